"""First goals for a repository, by what it is written in and what it has set up for itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from agentops.core.fitness import Goal
from agentops.goals.directives import Directive


class Template(StrEnum):
    """Kinds of projects, by upstream's names."""

    GO = "go-cli"
    PYTHON = "python-lib"
    WEB = "web-app"
    RUST = "rust-cli"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a folder holds. `names`: entries at its top, and `cli/go.mod`; `configured`: tools that its files set up;
    `npm`: scripts of `package.json`; `make`: targets of its Makefile that would run something.
    """

    names: frozenset[str] = frozenset()
    configured: frozenset[str] = frozenset()
    npm: frozenset[str] = frozenset()
    make: frozenset[str] = frozenset()


FIRST = Directive(1, "Get every gate green", "Make each gate pass, and keep it passing.", "increase")


def detect(facts: Facts) -> Template:
    """The template that fits, in upstream's order."""
    if facts.names & {"go.mod", "cli/go.mod"}:
        return Template.GO
    if "Cargo.toml" in facts.names:
        return Template.RUST
    if facts.names & {"pyproject.toml", "setup.py"}:
        return Template.PYTHON
    return Template.WEB if "package.json" in facts.names else Template.GENERIC


def gates(template: Template, facts: Facts) -> tuple[Goal, ...]:
    """The goals of a template. Never none: a table without a goal gives nothing to do."""
    kinds = {Template.GO: _go, Template.PYTHON: _python, Template.WEB: _web, Template.RUST: _rust, Template.GENERIC: _generic}
    return tuple(kinds[template](facts)) or tuple(_clean(facts))


def _go(facts: Facts) -> Iterator[Goal]:
    at = "" if "go.mod" in facts.names or "cli/go.mod" not in facts.names else "cd cli && "
    yield Goal("go-build", f"{at}go build ./...", "Everything builds", 8)
    yield Goal("go-test", f"{at}go test ./...", "All tests pass", 8)
    yield Goal("go-vet", f"{at}go vet ./...", "No finding of go vet", 5)
    yield Goal("go-format", f'{at}test -z "$(gofmt -l .)"', "The code is formatted", 3, fix=f"{at}gofmt -w .")


def _python(facts: Facts) -> Iterator[Goal]:
    if "pytest" in facts.configured:
        yield Goal("tests", "python3 -m pytest -q", "All tests pass", 8)
    if "ruff" in facts.configured:
        yield Goal("lint", "ruff check .", "No finding of the linter", 5, fix="ruff check --fix .")
        yield Goal("format", "ruff format --check .", "The code is formatted", 3, fix="ruff format .")
    if "black" in facts.configured:
        yield Goal("format-black", "black --check -q .", "The code is formatted", 3, fix="black -q .")
    if "mypy" in facts.configured:
        yield Goal("types", "mypy .", "The types hold", 6)


def _web(facts: Facts) -> Iterator[Goal]:
    for script, weight, text in (
        ("test", 8, "All tests pass"),
        ("build", 7, "It builds"),
        ("lint", 5, "No finding of the linter"),
    ):
        if script in facts.npm:
            run = "CI=1 npm test" if script == "test" else f"npm run {script}"
            yield Goal(f"npm-{script}", run, text, weight)


def _rust(facts: Facts) -> Iterator[Goal]:
    yield Goal("cargo-build", "cargo build --quiet", "Everything builds", 8)
    yield Goal("cargo-test", "cargo test --quiet", "All tests pass", 8)
    yield Goal("cargo-format", "cargo fmt --check", "The code is formatted", 3, fix="cargo fmt")


def _generic(facts: Facts) -> Iterator[Goal]:
    if "test" in facts.make:
        yield Goal("tests", "make test", "All tests pass", 8)
    if "lint" in facts.make:
        yield Goal("lint", "make lint", "No finding of the linter", 5)
    yield from _clean(facts)


def _clean(facts: Facts) -> Iterator[Goal]:
    yield Goal("no-conflict-marks", "! git grep -nE '^(<{7}|>{7}) '", "No mark of an unfinished merge was committed", 5)
