"""`scripts/night`: play the night, print what happened and the report, leave the repository to look around in."""

from __future__ import annotations

import sys
import time

from agentops.cli.voice import standard_out
from agentops.views import report as view
from tests.night.story import a_night
from tests.torture.ground import new_ground


def main() -> int:
    out, ground, began = standard_out(), new_ground(), time.monotonic()
    night = a_night(ground, out.line)
    report = night.reports[-1]
    out.line()
    out.show(view.blocks(report, report.ended))
    hours = (report.ended - report.started) / 3600
    out.line(f"\n{hours:.1f} hours in {time.monotonic() - began:.0f} seconds. The repository: {ground.repo}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
