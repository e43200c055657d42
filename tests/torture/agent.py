"""The fake agent: does the acts that its script lists, one after the other, and says each one aloud.

Runs as `python -I -S agent.py CONTROL`, with nothing of ours imported: it stands for a stranger's program. The script is
`CONTROL/script.json`: {"phases": {name: [[verb, argument...]...]}, "exit": n}; `implementation-2` names a second try alone. It
writes lines to the pipe `CONTROL/said`;
at `["sync", name]` it waits for a byte from `CONTROL/go`. Acts that fail are said and passed over.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable

Args = list[str]


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def write(path: str, text: str, mode: str = "") -> None:
    """Write bytes given as latin-1 text; folders are made."""
    raw = _raw(path)
    os.makedirs(os.path.dirname(raw) or b".", exist_ok=True)
    if os.path.islink(raw):
        os.unlink(raw)
    with open(raw, "wb") as file:
        file.write(text.encode("latin-1"))
    if mode:
        os.chmod(raw, int(mode, 8))


def leave(name: str, text: str) -> None:
    """A file in the phase's own folder."""
    write(os.path.join(os.environ["AO_PHASE_DIR"], name), text)


def tell(text: str) -> None:
    """Words on stdout."""
    os.write(1, text.encode())


def append(path: str, text: str) -> None:
    raw = _raw(path)
    os.makedirs(os.path.dirname(raw) or b".", exist_ok=True)
    with open(raw, "ab") as file:
        file.write(text.encode("latin-1"))


def delete(path: str) -> None:
    raw = _raw(path)
    if os.path.isdir(raw) and not os.path.islink(raw):
        shutil.rmtree(raw)
    else:
        os.unlink(raw)


def chmod(path: str, mode: str) -> None:
    os.chmod(_raw(path), int(mode, 8))


def symlink(target: str, path: str) -> None:
    raw = _raw(path)
    if os.path.lexists(raw):
        delete(path)
    os.symlink(_raw(target), raw)


def rename(old: str, new: str) -> None:
    os.rename(_raw(old), _raw(new))


def mkdir(path: str) -> None:
    os.makedirs(_raw(path), exist_ok=True)


def git(*argv: str) -> None:
    words = [b"git", *map(_raw, argv)]
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    pid = os.posix_spawnp("git", words, os.environ, file_actions=quiet)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(f"git ended with {code}")


def hide() -> None:
    """Leave a grandchild in a session of its own that ignores SIGTERM and holds stdout, then ignore SIGTERM too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                signal.pause()
        os._exit(0)
    os.wait()


def hang() -> None:
    while True:
        signal.pause()


VERBS: dict[str, Callable[..., None]] = {
    one.__name__: one for one in (write, leave, tell, append, delete, chmod, symlink, rename, mkdir, git, hide, hang)
}


def main(control: str) -> int:
    with open(os.path.join(control, "script.json"), encoding="ascii") as file:
        script = json.load(file)
    phase = os.environ.get("AO_PHASE", "")
    phases = script["phases"]
    acts = phases.get(f"{phase}-{os.environ.get('AO_ATTEMPT', '')}", phases.get(phase))
    if acts is None:
        return 0
    said = os.open(os.path.join(control, "said"), os.O_WRONLY)
    go = os.open(os.path.join(control, "go"), os.O_RDONLY)

    def say(line: str) -> None:
        os.write(said, line.encode("ascii", "backslashreplace")[:3000] + b"\n")

    for number, (verb, *words) in enumerate(acts):
        if verb == "sync":
            say(f"sync {words[0]}")
            os.read(go, 1)
            continue
        try:
            VERBS[verb](*words)
            say(f"did {number}")
        except (OSError, ValueError) as error:
            say(f"failed {number} {error}")
    return int(script["exit"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
