"""State that only the supervisor writes, put back as it was; what is ours by right in it stays."""

from __future__ import annotations

import os
import stat

from agentops.core.paths import raw_of, text_of
from agentops.core.places import Effect, Start
from agentops.host.files import write_atomic
from agentops.tree.changes import NEXT_WORK, appended_only, with_appended
from agentops.tree.checkout import Checkout
from agentops.tree.effect import content
from agentops.tree.manifest import Manifest
from agentops.tree.taking_back import put_files


def protect(
    checkout: Checkout, start: Start, effect: Effect, pre: Manifest, post: Manifest, paths: frozenset[str]
) -> frozenset[str]:
    """See `InPlace.protect_state`."""
    wanted = {text for text in paths if text in effect.paths or text in effect.ignored}
    done = set()
    if NEXT_WORK in wanted:
        wanted.remove(NEXT_WORK)
        old, new = content(checkout, pre, NEXT_WORK), content(checkout, post, NEXT_WORK)
        if old is not None and not appended_only(old, new) and _rows_back(checkout, new, with_appended(old, new)):
            done.add(NEXT_WORK)
    left = put_files(checkout, start, pre, post, wanted)
    return frozenset((wanted | done) - set(map(text_of, left.contested)))


def _rows_back(checkout: Checkout, seen: bytes | None, rows: bytes) -> bool:
    """Write the rows, where the queue still is as it was seen; True when it now holds them."""
    path = raw_of(NEXT_WORK)
    facts = checkout.look(path)
    now = checkout.read(path)[0] if facts is not None and stat.S_ISREG(facts.st_mode) else None
    if now == rows:
        return True
    if now != seen or (facts is None and not os.path.isdir(checkout.at(os.path.dirname(path)))):
        return False
    write_atomic(checkout.at(path), rows, mode=0o644 if facts is None else stat.S_IMODE(facts.st_mode))
    return True
