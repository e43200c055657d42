"""GitPython for reading, with every process of its going through our door (design-review E15b).

Imported by those who need it, when they need it: `git` costs tens of milliseconds.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

import git
from git.cmd import Git as GitCommand

from agentops.core.errors import GitFailed
from agentops.host.git import Git


class _Finished:
    """A process that has ended already, as GitPython's readers want one: its output can be read, it can be waited for."""

    def __init__(self, command: Sequence[str], code: int, out: bytes, err: bytes) -> None:
        self.args, self.returncode = list(command), code
        self.pid = 0
        self.stdin = io.BytesIO()
        self.stdout, self.stderr = io.BytesIO(out), io.BytesIO(err)

    def poll(self) -> int:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        return self.returncode

    def terminate(self) -> None:
        """Nothing runs."""


def open_repo(door: Git) -> git.Repo:
    """The repository of the door's folder. Reads only; raises `GitFailed` when the folder is in none.

    No child is left behind by it: objects are read by one-shot commands where GitPython keeps `cat-file --batch` alive.
    """

    class Routed(GitCommand):
        """GitPython's command object, whose commands our door runs."""

        def execute(  # type: ignore[override]
            self,
            command: str | Sequence[Any],
            istream: Any = None,
            with_extended_output: bool = False,
            with_exceptions: bool = True,
            as_process: bool = False,
            output_stream: Any = None,
            stdout_as_string: bool = True,
            env: Mapping[str, str] | None = None,
            strip_newline_in_stdout: bool = True,
            universal_newlines: bool = False,
            **unused: Any,  # time limits and shells: ours is the launcher's
        ) -> Any:
            words = [command] if isinstance(command, str) else [one if isinstance(one, bytes) else str(one) for one in command]
            if istream is not None and not hasattr(istream, "read"):
                raise GitFailed(tuple(map(_shown, words)), None, b"a process that stays open does not go through our door")
            stdin = b"" if istream is None else istream.read()
            extra = {**self.environment(), **(env or {})}
            # GitPython unquotes names itself, and only what git has quoted down to ASCII.
            done = door.run("-c", "core.quotePath=true", *words[1:], stdin=stdin, check=False, env_extra=extra)
            if as_process:
                finished = _Finished(list(map(_shown, words)), done.code, done.out, done.err)
                return self.AutoInterrupt(finished, words)  # type: ignore[arg-type]
            if with_exceptions and done.code != 0:
                raise git.GitCommandError(list(map(_shown, words)), done.code, done.err, done.out)
            out = done.out
            if output_stream is not None:
                output_stream.write(out)
                out = b""
            elif strip_newline_in_stdout:
                out = out.removesuffix(b"\n")
            said: bytes | str = out.decode("utf-8", "surrogateescape") if stdout_as_string or universal_newlines else out
            return (done.code, said, done.err.decode("utf-8", "replace").removesuffix("\n")) if with_extended_output else said

        def get_object_header(self, ref: str | bytes) -> tuple[str, str, int]:
            return self._header(self._object("--batch-check", ref))

        def get_object_data(self, ref: str | bytes) -> tuple[str, str, int, bytes]:
            header, _, content = self._object("--batch", ref).partition(b"\n")
            sha, kind, size = self._header(header)
            return sha, kind, size, content[:size]

        def stream_object_data(self, ref: str | bytes) -> Any:
            sha, kind, size, content = self.get_object_data(ref)
            return sha, kind, size, self.CatFileContentStream(size, io.BytesIO(content + b"\n"))

        def _header(self, line: bytes) -> tuple[str, str, int]:
            # Annotated as text, but GitPython reads it from a pipe and goes on with bytes.
            return self._parse_object_header(line)  # type: ignore[arg-type]

        def _object(self, how: str, ref: str | bytes) -> bytes:
            return door.run("cat-file", how, stdin=self._prepare_ref(ref)).out

    class Repository(git.Repo):
        GitCommandWrapperType = Routed

    top = door.run("rev-parse", "--show-toplevel", check=False)
    folder = top.text if top.code == 0 else door.run("rev-parse", "--absolute-git-dir").text
    # Left in our environment, these would make GitPython look elsewhere than the door does.
    hidden = {name: os.environ.pop(name) for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR") if name in os.environ}
    try:
        return Repository(folder)
    finally:
        os.environ.update(hidden)


def _shown(word: str | bytes) -> str:
    return word if isinstance(word, str) else os.fsdecode(word)
