"""The kernel as a library: one request in, one JSON object out. Commands that no skill declares are refused."""
from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.config import load_settings
from core.handlers import NullHandler
from core.kernel import AgentKernel
from core.skills import SkillRegistry


def main(request: str) -> int:
    """Run one request and report how it ended."""
    settings = load_settings()
    skills = SkillRegistry(settings.skills_dir)
    skills.scan()
    handler = NullHandler(auto_approve=False)
    kernel = AgentKernel(skills, handler=handler, settings=settings)
    try:
        answer = kernel.run(request)
    finally:
        kernel.close()
    outcome = kernel.outcome
    assert outcome is not None  # set by every run
    json.dump({"status": outcome.status, "steps": outcome.steps, "answer": answer, "errors": handler.errors}, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "What is the 100th Fibonacci number?"))
