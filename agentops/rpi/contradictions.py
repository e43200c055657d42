"""Where a verdict contradicts its own numbers: PASS beside "2 failed". A finding, never a decision.

The numbers may be about something else ("3 failed before, none now"), and a heuristic that turned green work red is one of
upstream's own mended bugs (agentops L14). So it is said, and weighs only where nothing else speaks for the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_FAILED = re.compile(
    r"(?:(?:tests?|checks?|goals?)_?)?(?:failed|failing|failures?|errors?)(?:_?(?:tests?|checks?|count))?", re.IGNORECASE
)
_PASSED = ("passed", "passing", "tests_passed", "checks_passed")
_TOTAL = ("total", "tests_total", "checks_total", "collected")
_SKIPPED = ("skipped", "xfailed", "deselected")
_DEEP = 4
_MOST = 5
_SUMMARY = re.compile(
    r"\b(?P<failed>[1-9][0-9]{0,6}) (?:failed|failures?|errors?)\b[^.\n]{0,40}\bpass"
    r"|\bpass[^.\n]{0,40}\b(?P<after>[1-9][0-9]{0,6}) (?:failed|failures?|errors?)\b"
    r"|\b(?P<some>[0-9]{1,7})(?: ?/ ?| of )(?P<all>[0-9]{1,7}) (?:tests?|checks?|goals?) (?:are )?pass",
    re.IGNORECASE,
)


def contradictions(said: str, verdict: Mapping[str, object]) -> tuple[str, ...]:
    """What does not go together, each as one sentence. `said`: a word that claims that all is well."""
    found = [*_numbers(verdict, "", _DEEP), *_words(str(verdict.get("summary") or "")[:4000])]
    return tuple(f"it says {said}, and in its own words {one}" for one in dict.fromkeys(found))[:_MOST]


def _numbers(value: Mapping[str, object], path: str, deep: int) -> Iterator[str]:
    for key, one in value.items():
        if isinstance(one, dict) and deep:
            yield from _numbers(one, f"{path}{key}.", deep - 1)
        elif _whole(one) and _FAILED.fullmatch(str(key)):
            yield f"{path}{key} = {one}"
    passed, total = _first(value, _PASSED), _first(value, _TOTAL)
    if passed is not None and total is not None and passed + sum(_first(value, (key,)) or 0 for key in _SKIPPED) < total:
        yield f"{path}passed {passed} of {total}"


def _words(summary: str) -> Iterator[str]:
    for found in _SUMMARY.finditer(summary):
        if found["some"] is not None and int(found["some"]) >= int(found["all"]):
            continue
        yield f"“{found[0].strip()}…”"


def _first(value: Mapping[str, object], keys: tuple[str, ...]) -> int | None:
    return next((one for key in keys if isinstance(one := value.get(key), int) and not isinstance(one, bool)), None)


def _whole(one: object) -> bool:
    return isinstance(one, int) and not isinstance(one, bool) and one > 0
