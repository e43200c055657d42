"""What a sandboxed tree may write and see, and that root stays root in it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from agentops.core.processes import Mounts, SandboxLevel
from agentops.host import sandbox
from tests.process.conftest import Rig

pytestmark = pytest.mark.skipif(not sandbox.works(SandboxLevel.BWRAP), reason="bubblewrap does not work here")


@pytest.fixture
def boxed(strong: Rig) -> Rig:
    for name in ("open/inner", "secret"):
        (strong.folder / name).mkdir(parents=True)
    (strong.folder / "secret/key").write_text("hidden words\n")
    (strong.folder / "token").write_text("hidden words\n")
    return strong


def written(rig: Rig, mounts: Mounts, *names: str) -> list[str]:
    rig.bash("; ".join(f"echo x > {name}" for name in names) + "; true", mounts=mounts)
    return [name for name in names if (rig.folder / name).exists()]


def test_longer_path_wins_over_the_shorter(boxed: Rig) -> None:
    at = boxed.folder
    mounts = Mounts(base_writable=False, writable=(f"{at}/open/inner/deep", f"{at}/open"), read_only=(f"{at}/open/inner",))
    (at / "open/inner/deep").mkdir()
    assert written(boxed, mounts, "a", "open/a", "open/inner/a", "open/inner/deep/a") == ["open/a", "open/inner/deep/a"]


def test_read_only_wins_over_writable_at_the_same_path(boxed: Rig) -> None:
    path = f"{boxed.folder}/open"
    assert written(boxed, Mounts(writable=(path,), read_only=(path,)), "open/a", "b") == ["b"]


def test_masked_files_and_folders_show_nothing_of_theirs(boxed: Rig) -> None:
    mounts = Mounts(masked=(f"{boxed.folder}/secret", f"{boxed.folder}/token", "/no/such/place"))
    done = boxed.bash("ls -A secret; cat token; echo spoilt > token; cat secret/key", mounts=mounts)
    assert b"hidden" not in done.out + done.err
    assert done.out == b""
    assert (boxed.folder / "token").read_text() == "hidden words\n"


def test_path_that_is_a_link_protects_where_it_leads(boxed: Rig) -> None:
    (boxed.folder / "link").symlink_to("secret")
    mounts = Mounts(read_only=(f"{boxed.folder}/link",))
    assert written(boxed, mounts, "secret/new", "link/new2", "other") == ["other"]


def test_without_network_even_loopback_of_the_machine_is_out_of_reach(boxed: Rig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('connected')"
        assert boxed.python(connect).out == b"connected\n"
        assert boxed.python(connect, mounts=Mounts(network=False)).out == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs files of another owner")
def test_root_writes_other_owners_files_and_git_trusts_what_it_trusts_outside(boxed: Rig) -> None:
    theirs = boxed.folder / "theirs"
    theirs.write_text("old")
    os.chown(theirs, 65534, 65534)
    theirs.chmod(0o600)
    script = "echo new > theirs && chown 1:1 theirs && git init -q repo && git -C repo status --porcelain && id -u"
    done = boxed.bash(script)
    assert (done.out, done.err) == (b"0\n", b"")
    assert theirs.stat().st_uid == 1


def test_devices_temporary_files_and_own_processes_are_there(boxed: Rig) -> None:
    done = boxed.bash("echo gone > /dev/null && ls /proc/self/fd > /dev/null && mktemp -p /tmp ao-test.XXXXXX && ps -e | wc -l")
    name, count = done.out.decode().split()
    Path(name).unlink()
    assert int(count) < 12, "other processes of the machine are not visible"


def test_levels_that_cannot_mount_run_the_plain_command() -> None:
    from agentops.core.processes import Spec

    spec = Spec(("true",), "/", {}, mounts=Mounts(base_writable=False, masked=("/etc",)))
    assert sandbox.wrap(spec, SandboxLevel.OFF, 3, 4) == ("true",)
    for level in (SandboxLevel.GROUP, SandboxLevel.UNSHARE):
        assert "/etc" not in sandbox.wrap(spec, level, 3, 4)
