"""Whether a goals file is as it should be, in the words of upstream's `goals validate`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os.path import basename

from agentops.goals.lines import Problem
from agentops.goals.model import Format, GoalsDocument
from agentops.goals.wiring import named_paths, script_of


@dataclass(frozen=True, slots=True)
class Validation:
    """`errors` make the file invalid; `warnings` do not. `goal_count` counts the goals that are read."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    goal_count: int = 0
    version: int = 0
    format: str = ""
    directives: int = 0

    @property
    def valid(self) -> bool:
        """Nothing is wrong with it."""
        return not self.errors


def validate(document: GoalsDocument, exists: Callable[[str], bool], scripts: Sequence[str] = ()) -> Validation:
    """What is wrong with a document that was read. `exists` answers for a path as a check names it; `scripts` are the
    `scripts/check-*.sh` that are there.
    """
    errors = [_said(problem) for problem in document.problems if problem.fatal or problem.wrong]
    for goal in document.goals:
        script = script_of(goal.check)
        if script and not exists(script):
            errors.append(f"goal {goal.id}: script {script} does not exist")
    return Validation(
        tuple(errors),
        tuple(_warnings(document, exists, scripts)),
        len(document.goals),
        document.version,
        str(document.format),
        len(document.directives),
    )


def unreadable(why: str) -> Validation:
    """The file cannot be read at all."""
    return Validation((f"load: {why}",), ())


def _warnings(document: GoalsDocument, exists: Callable[[str], bool], scripts: Sequence[str]) -> Iterator[str]:
    markdown = document.format is Format.MARKDOWN
    if markdown and not document.mission:
        yield "empty mission"
    if markdown and not document.directives:
        yield "no directives defined"
    for directive in document.directives:
        if not directive.steer:
            yield f'directive {directive.number} "{directive.title}": missing steer'
    for script in sorted(basename(one) for one in scripts):
        if not any(script in goal.check for goal in document.goals):
            yield f"script {script} not wired to any goal"
    for goal in document.goals:
        for path in named_paths(goal.check):
            if path != script_of(goal.check) and not exists(path):
                yield f"goal {goal.id}: names {path}, which does not exist"
    yield from (_said(problem) for problem in document.problems if not (problem.fatal or problem.wrong))


def _said(problem: Problem) -> str:
    return f"line {problem.line}: {problem.text}" if problem.line else problem.text
