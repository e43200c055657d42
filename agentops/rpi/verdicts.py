"""What a phase says of itself: `verdict.json`, else a council file, else the last `<promise>` (evolve.md section 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from agentops.core.wire import parse
from agentops.rpi.contradictions import contradictions
from agentops.rpi.follow_ups import FollowUp, read_follow_ups
from agentops.rpi.slices import Slice, read_slices


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
_WELL = frozenset({Said.PASS, Said.DONE, Said.ALREADY_DONE})
"""Words that say that nothing is wrong."""


@dataclass(frozen=True, slots=True)
class PhaseVerdict:
    """All texts are the agent's words, bounded; they go into prompts, reports and the queue, never into decisions.

    `slices`: the parts that discovery cut the work into. `doubts`: where the verdict contradicts its own numbers.
    """

    said: Said
    summary: str = ""
    findings: tuple[str, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    slices: tuple[Slice, ...] = ()
    artifacts: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


_COUNCIL = re.compile(r"^##[ \t]+Council Verdict:[ \t]*\**([A-Z_]+)", re.MULTILINE)
_PROMISE = re.compile(r"<promise>\s*([A-Z_]+)\s*</promise>")
_FINDING = re.compile(r"^(?:[-*][ \t]+)?FINDING:[ \t]*(.+)$", re.MULTILINE)
_WORDS = 4000
_FINDINGS = 20


def from_json(phase: Phase, raw: bytes) -> PhaseVerdict | None:
    """`verdict.json`: an object {verdict, summary, findings, follow_ups, artifacts, slices}. Anything else is no verdict."""
    try:
        value = parse(raw.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    said = _allowed(phase, str(value.get("verdict", "")))
    if said is None:
        return None
    summary = str(value.get("summary") or "")[:_WORDS]
    return PhaseVerdict(
        said,
        summary,
        _texts(value.get("findings"), _FINDINGS),
        read_follow_ups(value.get("follow_ups")),
        read_slices(value.get("slices")) if phase is Phase.DISCOVERY else (),
        _texts(value.get("artifacts"), _FINDINGS),
        contradictions(str(said), value) if said in _WELL else (),
    )


def from_council(phase: Phase, text: str) -> PhaseVerdict | None:
    """Upstream's council report: the line `## Council Verdict: PASS|WARN|FAIL` and its `FINDING:` lines."""
    found = _COUNCIL.search(text)
    said = _allowed(phase, found[1]) if found else None
    if said is None:
        return None
    return PhaseVerdict(said, "", tuple(line[:500] for line in _FINDING.findall(text)[:5]))


def from_promise(phase: Phase, text: str) -> PhaseVerdict | None:
    """The last `<promise>WORD</promise>` of the final message; one that the phase may not give is no verdict."""
    words = _PROMISE.findall(text)
    said = _allowed(phase, words[-1]) if words else None
    return PhaseVerdict(said) if said else None


def _texts(value: object, most: int) -> tuple[str, ...]:
    """A list's entries as texts: an object speaks by its usual keys, whatever else it holds."""
    listed = value if isinstance(value, list) else []
    return tuple(text[:500] for one in listed[:most] if (text := _text(one)))


def _text(one: object) -> str:
    if isinstance(one, dict):
        words = [str(one[key]) for key in ("severity", "title", "summary", "finding", "description", "path") if one.get(key)]
        return ": ".join(words) or str(one)
    return str(one).strip()


def _allowed(phase: Phase, word: str) -> Said | None:
    try:
        said = Said(word.strip().upper())
    except ValueError:
        return None
    return said if said in ALLOWED[phase] else None
