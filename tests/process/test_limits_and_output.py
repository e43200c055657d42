"""Time limits, signs of life, and output of every ugly kind (loop-peers C2-12, C2-13)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from agentops.core.processes import Ended, Limits
from tests.process.conftest import Rig


def test_total_limit_ends_a_run_that_goes_on(rig: Rig) -> None:
    done = rig.bash("echo first; exec sleep $TOKEN", limits=Limits(total=0.2))
    assert (done.ended, done.out, done.stop) == (Ended.TIMEOUT, b"first\n", None)


def test_silence_without_cpu_is_a_stall(rig: Rig) -> None:
    assert rig.bash("exec sleep $TOKEN", limits=Limits(idle=0.4)).ended is Ended.STALLED


def test_silent_child_that_computes_is_no_stall(rig: Rig) -> None:
    burn = "import time\nwhile time.process_time() < 0.9: pass\n"
    assert rig.bash(f"python3 -c '{burn}'; true", limits=Limits(idle=0.5)).ended is Ended.OK


def test_output_now_and_then_is_no_stall(rig: Rig) -> None:
    assert rig.bash("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done", limits=Limits(idle=1.2)).ended is Ended.OK


def test_output_is_read_only_for_a_while_after_a_plain_command_has_ended(strong: Rig) -> None:
    done = strong.bash("sleep $TOKEN & echo $!", contained=False, limits=Limits(drain=0.1))
    assert (done.ended, done.code) == (Ended.OK, 0)
    pid = int(done.out)
    assert strong.alive() == [pid], "a plain run ends with its command and leaves the rest alone"
    subprocess.run(["kill", str(pid)], check=True)
    strong.gone(pid)


def test_first_and_last_bytes_are_kept_and_the_rest_is_counted(strong: Rig) -> None:
    done = strong.bash("seq 1 100000; echo e >&2", limits=Limits(head=100, tail=50))
    whole = b"".join(b"%d\n" % i for i in range(1, 100001))
    assert (done.out, done.out_tail, done.dropped) == (whole[:100], whole[-50:], len(whole) - 150)
    assert (done.err, done.err_tail) == (b"e\n", b"")


def test_merged_output_keeps_its_order(strong: Rig) -> None:
    assert strong.bash("echo 1; echo 2 >&2; echo 3", merged=True).out == b"1\n2\n3\n"


def test_line_of_fifty_megabytes_arrives_cut_once_and_the_next_one_whole(strong: Rig) -> None:
    lines: list[bytes] = []
    strong.bash("head -c 50000000 /dev/zero; echo; echo next", None, lines.append)
    assert [len(line) for line in lines] == [8 << 20, 4]
    assert lines[1] == b"next"


def test_ugly_bytes_come_through_unharmed(strong: Rig) -> None:
    lines: list[bytes] = []
    strong.bash(r"printf 'a\r\n\0b\n\xff\xfe\n\033[31mred\n\n\xc3'; sleep 0.05; printf '\xa9\nlast'", None, lines.append)
    assert lines == [b"a", b"\0b", b"\xff\xfe", b"\x1b[31mred", b"", "é".encode(), b"last"]


MEASURED = """
import os, resource, sys
from agentops.core.processes import Limits, Spec
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
launcher, scope, count = Launcher(clock), StopScope(clock), [0]
def line(_):
    count[0] += 1
reader = line if sys.argv[2] == "lines" else None
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
done = launcher.run(Spec(("bash", "-c", f"yes 0123456789abcde | head -c {sys.argv[1]}"), "/", dict(os.environ)), scope, reader)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(done.ended, len(done.out) + len(done.out_tail) + done.dropped, count[0], grown)
"""


@pytest.mark.parametrize(
    ("size", "how"), [(200_000_000, "bytes"), (32_000_000, "lines"), pytest.param(1_000_000_000, "bytes", marks=pytest.mark.slow)]
)
def test_endless_output_stays_within_a_few_mebibytes(driver: Callable[..., subprocess.Popen[bytes]], size: int, how: str) -> None:
    out, err = driver(MEASURED, str(size), how).communicate()
    ended, total, lines, grown = out.decode().split() or [err.decode()] * 4
    assert (ended, int(total), int(lines)) == ("ok", size, size // 16 if how == "lines" else 0)
    assert int(grown) < 16 * 1024, "KiB of memory"
