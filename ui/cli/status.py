"""What `status` says about a session: model, workspace, figures, and what its commands may do."""
from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import AgentError
from core.i18n import t
from ui.cli.counts import counted

if TYPE_CHECKING:
    from ui.cli.session import Session


def rows_of_status(session: Session) -> list[tuple[str, str]]:
    """Name and value, for a table."""
    return [(t("cli.status_model"), session.model), (t("cli.status_endpoint"), session.settings.api_base_url or "-"),
            (t("cli.status_workspace"), str(session.kernel.workspace)), (t("cli.status_skills"), str(len(session.registry.skills))),
            (t("cli.status_used"), t("cli.status_figures", requests=counted("requests", session.requests),
                                     steps=counted("steps", session.steps), tokens=counted("tokens", session.tokens))),
            (t("cli.status_auto"), t("cli.on" if session.confirmer.auto_approve else "cli.off")), *_safety(session)]


def _safety(session: Session) -> list[tuple[str, str]]:
    try:
        tier, *lacks = session.kernel.sandbox.describe()
    except AgentError as error:
        tier, lacks = error.message, []
    rows = [(t("cli.status_sandbox"), tier), *((t("cli.status_lacks"), words) for words in lacks)]
    rows.append((t("cli.status_network"), t("cli.network_on" if session.settings.network else "cli.network_off")))
    rows += [(t("cli.status_folders"), folder) for folder in session.settings.add_dirs or ("-",)]
    try:
        count = len(session.confirmer.memory.policy.entries) if session.confirmer.memory else 0
        rows.append((t("cli.status_rules"), counted("status_rules_count", count)))
    except AgentError as error:
        rows.append((t("cli.status_rules"), error.message))
    return rows
