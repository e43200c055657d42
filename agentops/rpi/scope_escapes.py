"""The report on work that can't be done within its scope, in the shape that upstream asks its agents for."""

from __future__ import annotations

import re

from agentops.rpi.verdicts import PhaseVerdict

FOLDER = ".agents/evolve/scope-escapes"
OWN = "scope-escape.md"
"""What an agent may leave in its phase folder; then it is the report."""
_UNSAFE = re.compile(r"[^a-z0-9]+")


def name_of(day: str, cycle: int, target: str) -> str:
    """`2026-11-30-cycle-12-tests-green.md`."""
    return f"{day}-cycle-{cycle}-{_UNSAFE.sub('-', target.lower()).strip('-')[:60] or 'work'}.md"


def report(title: str, target: str, verdict: PhaseVerdict | None, own: str | None) -> str:
    """The text. What the agent wrote itself stands as it is; else its verdict is laid out under upstream's headings."""
    if own is not None and own.strip():
        return own if own.endswith("\n") else own + "\n"
    summary = verdict.summary.strip() if verdict else ""
    findings = verdict.findings if verdict else ()
    return "\n".join(
        (
            "# Scope escape",
            "",
            "### Task",
            f"{title} (`{target}`)",
            "",
            "### Finding",
            summary or "The agent said that this can't be done within its scope, and gave no reason.",
            "",
            "### Audit Summary",
            "",
            "| Metric | Value |",
            "|--------|-------|",
            f"| Findings | {len(findings)} |",
            f"| Follow-ups queued | {len(verdict.follow_ups) if verdict else 0} |",
            "",
            "### Scope Expansion Required",
            "- [ ] Human decision needed",
            "",
            "### Evidence",
            *(f"- {one}" for one in findings or ("(none was given)",)),
            "",
        )
    )
