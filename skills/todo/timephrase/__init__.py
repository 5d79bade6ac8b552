"""Chinese and English due-date phrases and recurrences: deterministic, strict, standard library only.

    parse("明天下午3点前", now).due            "2026-10-15T15:00:00"
    parse_rule("每周五下午5点", now)           a Rule, or the Refusal that says why there is none
    find("remind me tomorrow at 3pm", now)     where the one time phrase of a sentence stands, and what it says

A wrong date is worse than a question: what is vague, impossible, contradictory or left over is refused with a reason and a suggestion, and
what a convention decided is marked as assumed. `now` is a naive local time; results lie within 1970-2200.
"""
from __future__ import annotations

from timephrase.finding import Found, find
from timephrase.reading import parse, parse_rule
from timephrase.results import Assumption, Reading, Refusal
from timephrase.rules import Rule

__all__ = ["Assumption", "Found", "Reading", "Refusal", "Rule", "find", "parse", "parse_rule"]
