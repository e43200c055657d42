"""The rules that hold the house together, which no linter checks by itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "agentops"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 400
_WRITING = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC")
_EXCEPTIONS = {
    # the standard streams are given back to the process before any other module runs
    "agentops/cli/voice.py": {"os.open for writing", "io.FileIO"},
    # git's own lock has to be made with O_EXCL under git's name, and to say that it is ours
    "agentops/tree/index_lock.py": {"os.open for writing", "os.write"},
}


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _outside_host() -> list[Path]:
    return [path for path in MODULES if "host" not in path.relative_to(PACKAGE).parts]


def _writes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines that open a file for writing, or write a descriptor, without asking `host/files.py`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            given = [word.value for word in node.keywords if word.arg == "mode"] + node.args[1:2]
            modes = [mode.value for mode in given if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
            if len(modes) < len(given) or any(set(mode) & set("wax+") for mode in modes):
                yield node.lineno, "open for writing"
        elif ast.unparse(node.func) in ("os.write", "io.FileIO"):
            yield node.lineno, ast.unparse(node.func)
        elif ast.unparse(node.func) == "os.open" and any(word in ast.unparse(node) for word in _WRITING):
            yield node.lineno, "os.open for writing"
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("write_text", "write_bytes"):
            yield node.lineno, node.func.attr


def _undocumented(tree: ast.Module) -> Iterator[str]:
    """Public classes and functions of a module without a docstring; `main` is what the module's own docstring tells."""
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_") or node.name == "main":
            continue
        if ast.get_docstring(node) is None:
            yield node.name


def test_rooms_call_downwards_only() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_scan_itself_sees_a_write() -> None:
    """A scan that finds nothing anywhere must not be one that can't see."""
    source = ["open('x', 'w')", "open('x', mode='ab')", "open('x')", "os.write(1, b'')", "p.write_text('')"]
    source += ["os.open('x', os.O_RDONLY)", "os.open('x', os.O_RDWR)"]
    seen = list(_writes(ast.parse("\n".join(source))))
    assert [line for line, _ in seen] == [1, 2, 4, 5, 7]


@pytest.mark.parametrize("path", _outside_host(), ids=_id)
def test_only_the_host_writes_files(path: Path) -> None:
    allowed = _EXCEPTIONS.get(_id(path), set())
    found = [(line, what) for line, what in _writes(ast.parse(path.read_text("utf-8"))) if what not in allowed]
    assert found == []


@pytest.mark.parametrize("path", MODULES, ids=_id)
def test_a_module_holds_one_idea(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", MODULES, ids=_id)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


@pytest.mark.parametrize("path", MODULES, ids=_id)
def test_what_other_rooms_call_is_documented(path: Path) -> None:
    assert list(_undocumented(ast.parse(path.read_text("utf-8")))) == []


def test_the_table_of_commands_names_modules_that_have_the_command() -> None:
    from importlib import import_module

    import click

    from agentops.cli.main import COMMANDS

    for name, (module, line) in COMMANDS.items():
        command = import_module(module).command
        assert isinstance(command, click.Command), name
        assert line.endswith(".") or (name, line) == ("script", ""), name


def test_every_exit_code_is_explained() -> None:
    from agentops.core.errors import ExitCode

    text = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    for code in ExitCode:
        assert f"| {code.value} |" in text, code


def test_every_stop_reason_is_explained_and_has_words_in_the_report() -> None:
    from agentops.core.stops import StopReason
    from agentops.views.report import STOPPED

    text = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    for reason in StopReason:
        assert STOPPED[reason]
        if reason is not StopReason.DEADLINE:
            assert f"`{reason}`" in text, reason
