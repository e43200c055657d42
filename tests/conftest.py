"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A time limit for each example, or for making them, is a timing asserted: on a busy machine it fails for no reason of ours.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
