"""The meter's twin keeps the promises of the session's meter: one suite, run on both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.meters import Grant, Meter
from agentops.core.stops import Stop, StopReason
from agentops.meter.session import SessionMeter, WorkingTime
from tests.twins.meter import TwinMeter
from tests.twins.time import VirtualClock

HOUR = 3600.0
Make = Callable[[VirtualClock], Meter]


def twin(clock: VirtualClock) -> Meter:
    return TwinMeter(clock, cap=2 * HOUR)


def real(clock: VirtualClock) -> Meter:
    return SessionMeter(clock, WorkingTime(clock), hours=2.0, until=None)


@pytest.fixture(params=[twin, real], ids=["twin", "real"])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


def work(meter: Meter, clock: VirtualClock, seconds: float) -> None:
    grant = meter.reserve("agent", Usage())
    assert isinstance(grant, Grant)
    clock.pass_(seconds)
    meter.settle(grant, Usage(seconds))


def test_what_is_below_the_cap_is_granted_each_with_its_own_grant(make: Make) -> None:
    meter = make(VirtualClock())
    one, other = meter.reserve("agent", Usage()), meter.reserve("agent", Usage())
    assert isinstance(one, Grant) and isinstance(other, Grant) and one != other


def test_a_cap_that_is_passed_stops_everybody(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    work(meter, clock, 3 * HOUR)
    for account in ("agent", "another"):
        stop = meter.reserve(account, Usage())
        assert isinstance(stop, Stop) and stop.reason is StopReason.BUDGET


def test_a_grant_that_is_settled_twice_counts_once(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    grant = meter.reserve("agent", Usage())
    assert isinstance(grant, Grant)
    for _ in range(5):
        meter.settle(grant, Usage(HOUR))
    assert isinstance(meter.reserve("agent", Usage()), Grant)


def test_a_limit_pauses_its_own_account_until_it_is_over(make: Make) -> None:
    clock = VirtualClock()
    meter = make(clock)
    until = clock.now().plus(600.0)
    meter.pause("agent", until)
    paused = meter.reserve("agent", Usage())
    assert isinstance(paused, Instant) and paused == until
    assert isinstance(meter.reserve("another", Usage()), Grant)
    clock.pass_(601.0)
    assert isinstance(meter.reserve("agent", Usage()), Grant)
