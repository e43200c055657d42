"""`ao goals add`, `prune`, `steer`, `init` and `migrate`: a person's changes to their goals file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentops.app.goal_files import Opened, markdown_only, open_goals
from agentops.app.measuring import measure_opened
from agentops.core.errors import UsageError
from agentops.core.fitness import Fitness, Goal, GoalOutcome
from agentops.goals import editing
from agentops.goals.checks import Watch
from agentops.goals.directives import STEERS, Directive
from agentops.goals.document import parse
from agentops.goals.model import GoalsDocument
from agentops.goals.table import is_goal_id
from agentops.goals.wiring import named_paths, script_of
from agentops.host import files


@dataclass(frozen=True, slots=True)
class Stale:
    """A goal whose check names a file that is not there."""

    goal: Goal
    missing: str


def add(
    cwd: str, env: Mapping[str, str], file: str | None, goal: Goal, *, timeout: float, check: bool, dry_run: bool, watch: Watch
) -> Opened:
    """Add a goal. Its check is run first, and must pass, unless `check` is False. Raises UsageError."""
    if not is_goal_id(goal.id):
        raise UsageError(
            f"the id `{goal.id}` is not kebab-case (small letters, digits, single hyphens)", mend="ao goals add --help"
        )
    if not goal.check.strip():
        raise UsageError("the check is empty", mend="ao goals add --help")
    opened = open_goals(cwd, env, file)
    editing.with_goal(opened.document, goal)  # an edit that cannot be made is refused before the check runs
    if check and not dry_run:
        alone = replace(opened, document=replace(opened.document, goals=(goal,)))
        _must_pass(measure_opened(alone, env, timeout=timeout, watch=watch))
    _change(opened, lambda document: editing.with_goal(document, goal), dry_run)
    return opened


def prune(cwd: str, env: Mapping[str, str], file: str | None, *, dry_run: bool) -> tuple[Opened, tuple[Stale, ...]]:
    """Remove the goals whose checks name files that are gone; which they are."""
    opened = open_goals(cwd, env, file)
    found = tuple(Stale(goal, path) for goal in opened.document.goals if (path := _missing(cwd, goal)) is not None)
    ids = frozenset(one.goal.id for one in found)
    if ids:
        _change(opened, lambda document: editing.without_goals(document, ids), dry_run)
    return opened, found


def steer_add(cwd: str, env: Mapping[str, str], file: str | None, directive: Directive, *, dry_run: bool) -> Directive:
    """Add a directive behind the others; it gets the next number."""
    if directive.steer not in STEERS:
        raise UsageError(f"the steer `{directive.steer}` is none of {', '.join(STEERS)}", mend="ao goals steer add --help")
    opened = markdown_only(open_goals(cwd, env, file))

    def numbered(document: GoalsDocument) -> Directive:
        return replace(directive, number=max((one.number for one in document.directives), default=0) + 1)

    _change(opened, lambda document: editing.with_directive(document, numbered(document)), dry_run)
    return numbered(opened.document)


def steer_remove(cwd: str, env: Mapping[str, str], file: str | None, number: int, *, dry_run: bool) -> tuple[Directive, ...]:
    """Remove a directive; those that are left, numbered from 1."""
    opened = markdown_only(open_goals(cwd, env, file))
    return _steered(opened, lambda document: editing.without_directive(document, _place(document, number)), dry_run)


def steer_prioritize(
    cwd: str, env: Mapping[str, str], file: str | None, number: int, position: int, *, dry_run: bool
) -> tuple[Directive, ...]:
    """Move a directive to another place; all of them, numbered from 1."""
    opened = markdown_only(open_goals(cwd, env, file))
    count = len(opened.document.directives)
    if not 1 <= position <= count:
        raise UsageError(f"there are {count} directives; the new place is 1 to {count}", mend="ao goals measure --directives")
    return _steered(opened, lambda document: editing.with_directive_at(document, _place(document, number), position - 1), dry_run)


def _steered(opened: Opened, change: Callable[[GoalsDocument], bytes], dry_run: bool) -> tuple[Directive, ...]:
    raw = change(opened.document)
    _change(opened, change, dry_run)
    return parse(raw, opened.document.path).directives


def _place(document: GoalsDocument, number: int) -> int:
    """Where the directive of a number stands. Upstream removes every one of a number that is there twice."""
    found = [at for at, one in enumerate(document.directives) if one.number == number]
    if not found:
        raise UsageError(f"there is no directive {number}", mend="ao goals measure --directives")
    if len(found) > 1:
        lines = " and ".join(str(document.directives[at].line) for at in found)
        raise UsageError(f"the directives on lines {lines} all have the number {number}", mend=f"number them in {document.path}")
    return found[0]


def _change(opened: Opened, change: Callable[[GoalsDocument], bytes], dry_run: bool) -> None:
    """Write the change, made on what the file holds at that moment: a person may have saved it since we read it."""
    if dry_run:
        change(opened.document)
        return
    files.rewrite(opened.document.path, lambda raw: change(parse(raw, opened.document.path)))


def _must_pass(found: Fitness) -> None:
    result: Sequence[str] = [one.output for one in found.goals if one.outcome is not GoalOutcome.PASS]
    if result:
        said = result[0].strip().splitlines()
        raise UsageError(
            f"the check does not pass now{f': {said[-1]}' if said else ''}",
            mend="ao goals add --force …   (adds it all the same)",
        )


def _missing(cwd: str, goal: Goal) -> str | None:
    named = dict.fromkeys((*((script,) if (script := script_of(goal.check)) else ()), *named_paths(goal.check)))
    return next((path for path in named if not os.path.exists(os.path.join(cwd, path))), None)
