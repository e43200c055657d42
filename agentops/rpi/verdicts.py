"""What a phase says of itself: `verdict.json`, else a council file, else the last `<promise>` (evolve.md section 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from agentops.core.wire import parse


class Phase(StrEnum):
    """The three runs of an agent, in order."""

    DISCOVERY = "discovery"
    IMPLEMENTATION = "implementation"
    VALIDATION = "validation"


class Said(StrEnum):
    """The words a phase may end with. DONE counts as PASS anywhere."""

    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"
    DONE = "DONE"
    PARTIAL = "PARTIAL"
    BLOCKED = "BLOCKED"
    ALREADY_DONE = "ALREADY_DONE"
    SCOPE_ESCAPE = "SCOPE_ESCAPE"


ALLOWED: dict[Phase, frozenset[Said]] = {
    Phase.DISCOVERY: frozenset({Said.PASS, Said.DONE, Said.WARN, Said.FAIL, Said.SCOPE_ESCAPE, Said.ALREADY_DONE}),
    Phase.IMPLEMENTATION: frozenset(
        {Said.PASS, Said.DONE, Said.PARTIAL, Said.BLOCKED, Said.ALREADY_DONE, Said.FAIL, Said.SCOPE_ESCAPE}
    ),
    Phase.VALIDATION: frozenset({Said.PASS, Said.DONE, Said.WARN, Said.FAIL}),
}


@dataclass(frozen=True, slots=True)
class PhaseVerdict:
    """`findings` and `summary` are the agent's words, bounded; they go into prompts and reports, never into decisions."""

    said: Said
    summary: str = ""
    findings: tuple[str, ...] = ()


_COUNCIL = re.compile(r"^## Council Verdict:\s*([A-Z_]+)", re.MULTILINE)
_PROMISE = re.compile(r"<promise>\s*([A-Z_]+)\s*</promise>")
_FINDING = re.compile(r"^FINDING:\s*(.+)$", re.MULTILINE)
_WORDS = 4000


def from_json(phase: Phase, raw: bytes) -> PhaseVerdict | None:
    """`verdict.json`: an object with `verdict`, `summary`, `findings`. Anything else is no verdict."""
    try:
        value = parse(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(value, dict):
        return None
    said = _allowed(phase, str(value.get("verdict", "")))
    if said is None:
        return None
    findings = value.get("findings")
    listed = findings if isinstance(findings, list) else []
    return PhaseVerdict(said, str(value.get("summary", ""))[:_WORDS], tuple(str(one)[:500] for one in listed[:20]))


def from_council(phase: Phase, text: str) -> PhaseVerdict | None:
    """Upstream's council report: the line `## Council Verdict: PASS|WARN|FAIL` and its `FINDING:` lines."""
    found = _COUNCIL.search(text)
    said = _allowed(phase, found[1]) if found else None
    if said is None:
        return None
    return PhaseVerdict(said, "", tuple(line[:500] for line in _FINDING.findall(text)[:5]))


def from_promise(phase: Phase, text: str) -> PhaseVerdict | None:
    """The last `<promise>WORD</promise>` of the final message."""
    words = _PROMISE.findall(text)
    said = _allowed(phase, words[-1]) if words else None
    return PhaseVerdict(said) if said else None


def _allowed(phase: Phase, word: str) -> Said | None:
    try:
        said = Said(word.strip().upper())
    except ValueError:
        return None
    return said if said in ALLOWED[phase] else None
