"""What holds for every test."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# A time limit for each example, or for making them, is a timing asserted: on a busy machine it fails for no reason of ours.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Started in a shell's background or under nohup, these are ignored, and so are they in every process that a test starts: tests
# of a second Ctrl-C or a closed terminal then wait for a signal that nobody hears.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
