"""`ao goals init` and `ao goals migrate`: goals files that were not there before."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from agentops.app.goal_files import open_goals
from agentops.core.errors import UsageError
from agentops.core.fitness import Goal
from agentops.goals.directives import Directive
from agentops.goals.document import NAMES, parse
from agentops.goals.migrating import page, to_markdown
from agentops.goals.model import Format
from agentops.goals.templates import FIRST, Facts, Template, detect, gates
from agentops.host import files

_READ = 1024 * 1024
_TARGET = re.compile(rb"^([A-Za-z0-9_.-]+)[ \t]*:(?!=)", re.MULTILINE)
_TOOLS = ("ruff", "black", "mypy", "pytest")
_PLACEHOLDER = "no test specified"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person says of their project; what is empty gets a default."""

    mission: str = ""
    north_stars: tuple[str, ...] = ()
    anti_stars: tuple[str, ...] = ()
    directive: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A goals file that was written, or would be."""

    path: str
    text: str
    template: Template
    goals: tuple[Goal, ...]
    directives: tuple[Directive, ...]
    mission: str


def refuse_second(cwd: str, file: str | None) -> str:
    """Where a first goals file goes. Raises UsageError when there is one."""
    path = os.path.join(cwd, file or NAMES[0])
    folder = os.path.dirname(path)
    for there in dict.fromkeys((path, *(os.path.join(folder, name) for name in NAMES))):
        if os.path.lexists(there):
            raise UsageError(f"{there} is there already", mend="ao goals validate   ·   ao goals add ID CHECK")
    if not path.endswith(".md"):
        raise UsageError(f"{path}: a first goals file is Markdown", mend="ao goals init --file GOALS.md")
    return path


def init(cwd: str, file: str | None, *, template: Template | None, wishes: Wishes, dry_run: bool) -> Made:
    """Write a first GOALS.md. Raises UsageError when there is a goals file already."""
    path = refuse_second(cwd, file)
    facts = facts_of(cwd)
    kind = template or detect(facts)
    found = gates(kind, facts)
    directive = FIRST
    if wishes.directive:
        directive = Directive(1, wishes.directive, wishes.description, "increase")
    mission = wishes.mission or f"Fitness goals for {os.path.basename(os.path.abspath(cwd))}"
    north = wishes.north_stars or ("Every gate passes on every commit",)
    anti = wishes.anti_stars or ("A change that nothing checked reaches a user",)
    text = page(mission, (directive,), found, (("North Stars", north), ("Anti Stars", anti)))
    if parse(text.encode(), path).goals == ():
        raise UsageError(
            "these words cannot stand in a goals file: they begin a section of their own", mend="ao goals init --non-interactive"
        )
    if not dry_run:
        files.write_atomic(path, text.encode(), mode=0o644)
    return Made(path, text, kind, found, (directive,), mission)


def migrate(cwd: str, env: Mapping[str, str], file: str | None, *, to_md: bool, dry_run: bool) -> tuple[str, ...]:
    """Bring a GOALS.yaml to version 2, or write it as GOALS.md beside it; what was done, line by line."""
    document = open_goals(cwd, env, file).document
    if document.format is Format.MARKDOWN:
        return (f"{document.path} is in the GOALS.md format already; there is nothing to migrate",)
    if to_md:
        path = os.path.join(os.path.dirname(document.path), NAMES[0])
        if os.path.lexists(path):
            raise UsageError(
                f"{path} is there already, and is what is read",
                mend=f"move it away, then: ao goals migrate --to-md --file {document.path}",
            )
        text = to_markdown(document)
        if dry_run:
            return (f"would write {path}:", "", *text.splitlines())
        files.write_atomic(path, text.encode(), mode=0o644)
        return (
            f"migrated {document.path} → {path} (GOALS.md format, version 4)",
            "the YAML file stays; from now on GOALS.md is read",
        )
    if document.version > 1:
        return (f"{document.path} is version {document.version} already; there is nothing to migrate",)
    from agentops.goals.yaml_editing import at_version

    wanted, backup = at_version(document, 2), f"{document.path}.v1.bak"
    if dry_run:
        return (f"would back {document.path} up as {backup} and make it version 2",)
    if os.path.lexists(backup):
        raise UsageError(f"{backup} is there already, from an earlier migration", mend=f"move {backup} away")
    files.write_atomic(backup, document.raw, mode=0o644)
    files.rewrite(document.path, lambda raw: wanted if raw == document.raw else None)
    return (f"backed up as {backup}", f"migrated {document.path} from version 1 to version 2")


def facts_of(folder: str) -> Facts:
    """What a folder holds that templates ask about."""
    try:
        names = set(os.listdir(folder))
    except OSError:
        names = set()
    if os.path.exists(os.path.join(folder, "cli", "go.mod")):
        names.add("cli/go.mod")
    return Facts(frozenset(names), frozenset(_configured(folder, names)), _npm(folder), _make(folder, names))


def _configured(folder: str, names: set[str]) -> Sequence[str]:
    """Tools that a repository sets up for itself: a formatter that nobody asked for would rewrite every file."""
    project = _text(folder, "pyproject.toml") + _text(folder, "setup.cfg") + _text(folder, "tox.ini")
    found = [tool for tool in _TOOLS if f"[tool.{tool}".encode() in project or f"[{tool}".encode() in project]
    found += ["ruff"] if names & {"ruff.toml", ".ruff.toml"} else []
    found += ["mypy"] if names & {"mypy.ini", ".mypy.ini"} else []
    found += ["pytest"] if names & {"pytest.ini", "tests", "test", "conftest.py"} else []
    return found


def _npm(folder: str) -> frozenset[str]:
    try:
        package = msgspec.json.decode(_text(folder, "package.json") or b"{}")
    except (msgspec.DecodeError, RecursionError):
        return frozenset()
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return frozenset()
    return frozenset(name for name, text in scripts.items() if isinstance(text, str) and _PLACEHOLDER not in text)


def _make(folder: str, names: set[str]) -> frozenset[str]:
    name = next((one for one in ("GNUmakefile", "makefile", "Makefile") if one in names), "")
    return frozenset(found.decode() for found in _TARGET.findall(_text(folder, name))) if name else frozenset()


def _text(folder: str, name: str) -> bytes:
    try:
        return files.read_bounded(os.path.join(folder, name), _READ)
    except OSError:
        return b""
