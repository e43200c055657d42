"""A run that prints nothing from its start is stalled, also while it computes; one byte is enough (loop-peers B-H1)."""

from __future__ import annotations

from agentops.core.processes import Ended, Limits
from tests.process.conftest import Rig


def test_silence_from_the_first_byte_on_is_a_stall_even_while_it_computes(rig: Rig) -> None:
    done = rig.bash("while :; do :; done", limits=Limits(total=60.0, start=0.3))
    assert done.ended is Ended.STALLED and done.seconds < 30


def test_one_byte_is_a_sign_of_life(rig: Rig) -> None:
    done = rig.bash("printf .; read -t 0.6 <> <(:); true", limits=Limits(total=60.0, start=0.3))
    assert done.ended is Ended.OK
