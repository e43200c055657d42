"""Times as people read them: local and short. Files hold UTC (`records/times.py`)."""

from __future__ import annotations

import time


def local(wall: float, now: float | None = None) -> str:
    """`23:04` for a time of today, `Mon 30 Nov 23:04` for another day's, in local time."""
    then = time.localtime(wall)
    if now is not None and time.localtime(now)[:3] == then[:3]:
        return time.strftime("%H:%M", then)
    return time.strftime("%a %d %b %H:%M", then)


def duration(seconds: float) -> str:
    """`0.3 s`, `48 s`, `12 min`, `1 h 05 min`, `2 d 3 h`."""
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02d} min"
    return f"{hours // 24} d {hours % 24} h"


def span(start: float, end: float, now: float) -> str:
    """`22:04–22:06`, with the day when it is not today's."""
    until = time.strftime("%H:%M", time.localtime(end))
    same_day = time.localtime(start)[:3] == time.localtime(end)[:3]
    return f"{local(start, now)}–{until if same_day else local(end)}"
