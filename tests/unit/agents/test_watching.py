"""When a run is ended by us although no limit of its process says so."""

from __future__ import annotations

from agentops.agents.adapter import Ends
from agentops.agents.heard import Heard
from agentops.agents.watching import LINGER, Watching
from agentops.core.processes import Ended
from agentops.core.stops import Stop, StopReason
from tests.twins.time import VirtualClock, VirtualScope


def test_one_that_has_finished_and_does_not_leave_gets_half_a_minute() -> None:
    clock, heard = VirtualClock(), Heard()
    watching = Watching(VirtualScope(clock), heard)
    assert watching.stopped() is None
    heard.done = Ends.OK
    assert watching.stopped() is None
    clock.pass_(LINGER - 0.1)
    assert watching.stopped() is None and not watching.finished
    clock.pass_(0.2)
    stop = watching.stopped()
    assert stop is not None and stop.reason is StopReason.DEADLINE and watching.finished


def test_one_that_goes_on_after_its_end_starts_its_half_minute_anew() -> None:
    clock, heard = VirtualClock(), Heard()
    watching = Watching(VirtualScope(clock), heard)
    heard.done = Ends.OK
    assert watching.stopped() is None
    heard.begins()
    clock.pass_(LINGER + 1)
    assert watching.stopped() is None
    heard.done = Ends.OK
    assert watching.stopped() is None
    clock.pass_(LINGER - 1)
    assert watching.stopped() is None


def test_a_stop_of_the_session_is_never_taken_for_our_own() -> None:
    clock, heard = VirtualClock(), Heard()
    told = Stop(StopReason.KILL_SWITCH, "STOP")
    watching = Watching(VirtualScope(clock, told=told), heard)
    heard.enough = (Ended.STALLED, "in circles")
    assert watching.stopped() is told and not watching.finished
