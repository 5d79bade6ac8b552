"""Starts commands so that they can change nothing outside the workspace: docs/sandbox.md says what holds and what does not."""
from core.sandbox.explain import Denial
from core.sandbox.manager import Sandbox
from core.sandbox.policy import Policy
from core.sandbox.process import Command

__all__ = ["Command", "Denial", "Policy", "Sandbox"]
