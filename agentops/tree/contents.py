"""Reads what a snapshot has to hold: raw bytes for git's object store, the rest for our own, by the caps of evolve.md 6."""

from __future__ import annotations

import os
import stat

from agentops.core.paths import raw_of, text_of
from agentops.tree.checkout import Checkout
from agentops.tree.exclude import UNHELD
from agentops.tree.ignored import ALL, ALL_IGNORED, BIGGEST, BIGGEST_IGNORED, heavy, key_like
from agentops.tree.manifest import Manifest, Own, Raw, Signature
from agentops.tree.objects import blob_id, store
from agentops.tree.scan import Scan
from agentops.tree.status import Status

_HELD_BACK = 32 << 20
_LINK, _GITLINK = 0o120000, 0o160000


class Contents:
    """What has been gathered so far. `lines`: what `git update-index --index-info` has to be told, removals first."""

    def __init__(self, checkout: Checkout, taken_ns: int) -> None:
        self.checkout, self.taken_ns = checkout, taken_ns
        self.width = checkout.width
        self.raw: dict[str, Raw] = {}
        self.own: dict[str, Own] = {}
        self.gone: set[str] = set()
        self.unseen: set[str] = set()
        self.surfaced: set[str] = set()
        self.removals: list[bytes] = []
        self.additions: list[bytes] = []
        self._fresh: list[bytes] = []
        self._fresh_own: list[tuple[str, Own, bytes]] = []
        self._waiting = self._total = self._total_ignored = 0
        self._modes_kept = checkout.settings.flag("core.filemode", True)

    def gather(self, status: Status, scan: Scan, hidden: tuple[dict[bytes, int], set[bytes]], before: Manifest | None) -> None:
        """Everything that is not clean, everything hidden or ignored that is worth it, and what `before` held."""
        for path, tracked in status.tracked.items():
            if tracked.submodule:
                self._submodule(path)
            elif tracked.worked != "." or tracked.staged not in ".D":
                # Also what is staged and not changed since: no commit has it, and filters may make the file's bytes others.
                self._tracked(path, tracked.mode)
        for path in status.unmerged:
            self.removals.append(self._line(0, self.checkout.zero, path))
            self._tracked(path, 0)
        for path, mode in hidden[0].items():
            self._tracked(path, mode)
        for path in hidden[1]:
            if self.checkout.look(path) is not None:
                self.surfaced.add(text_of(path))
                self._tracked(path, 0)
        for path in status.untracked:
            self._untracked(path)
        for path in status.nested:
            self._nested(path)
        self._ignored(status, scan)
        if before is not None:
            self._also(before)
        self.finish()

    def surface(self, paths: set[bytes]) -> None:
        """Of these, the files that are there now."""
        self.surfaced |= {text_of(path) for path in paths if self.checkout.look(path) is not None}

    def outrun(self, suspects: list[tuple[bytes, int, str]]) -> set[bytes]:
        """Of these files, which git takes for clean, those that are not: (path, mode, id in the index)."""
        changed = set()
        for path, mode, oid in suspects:
            if text_of(path) in self.raw or text_of(path) in self.gone:
                continue
            try:
                data, _ = self.checkout.read(path)
            except OSError:
                continue
            if blob_id(data, self.width) != oid:
                self._tracked(path, mode)
                changed.add(path)
        self.finish()
        return changed

    def finish(self) -> None:
        """Store what is still in memory."""
        self._flush()
        digests = self.checkout.blobs.put(data for _, _, data in self._fresh_own)
        for (text, own, _), digest in zip(self._fresh_own, digests, strict=True):
            self.own[text] = Own(own.signature, digest, own.ignored, own.tracked)
            self.checkout.known_own[text] = self.own[text], self.taken_ns
        self._fresh_own = []

    def note(self, paths: frozenset[bytes]) -> None:
        """Only what these paths hash to, into `raw`; nothing is stored."""
        for path in paths:
            facts = self.checkout.look(path)
            if facts is None or not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
                continue
            text, signature = text_of(path), Signature.of(facts)
            known = self.checkout.known.get(text)
            if known is not None and known[0].signature == signature and signature.settled(known[1]):
                self.raw[text] = known[0]
            elif facts.st_size <= BIGGEST:
                try:
                    data, signature = self.checkout.read(path)
                except OSError:
                    continue
                self.raw[text] = Raw(blob_id(data, self.width), signature)

    def _tracked(self, path: bytes, mode: int) -> None:
        facts = self.checkout.look(path)
        if facts is None or stat.S_ISDIR(facts.st_mode):
            self.gone.add(text_of(path))
            self.removals.append(self._line(0, self.checkout.zero, path))
        elif not self._stored(path, facts, mode):
            self.own[text_of(path)] = Own(Signature.of(facts), tracked=True)

    def _untracked(self, path: bytes) -> None:
        facts = self.checkout.look(path)
        if facts is None or stat.S_ISDIR(facts.st_mode):
            return
        if key_like(path) and facts.st_size <= BIGGEST and stat.S_ISREG(facts.st_mode):
            self._keep_own(path, facts, ignored=False)
        elif not self._stored(path, facts, 0):
            self.own[text_of(path)] = Own(Signature.of(facts))

    def _stored(self, path: bytes, facts: os.stat_result, mode: int) -> bool:
        """Raw bytes into the tree; False when they are beyond the caps, unreadable or no file."""
        text, signature = text_of(path), Signature.of(facts)
        link = stat.S_ISLNK(facts.st_mode)
        if not (link or stat.S_ISREG(facts.st_mode)) or facts.st_size > BIGGEST or self._total + facts.st_size > ALL:
            return False
        known = self.checkout.known.get(text)
        if known is not None and known[0].signature == signature and signature.settled(known[1]):
            self.raw[text] = known[0]
        else:
            try:
                data, signature = self.checkout.read(path)
            except OSError:
                return False
            self.raw[text] = Raw(blob_id(data, self.width), signature)
            if known is None or known[0].oid != self.raw[text].oid:  # touched, or looked at too soon: it is stored already
                self._fresh.append(data)
                self._waiting += len(data)
            if self._waiting > _HELD_BACK:
                self._flush()
        self._total += facts.st_size
        executable = signature.mode & 0o100 if self._modes_kept else mode == 0o100755
        kind = _LINK if link else 0o100755 if executable else 0o100644
        self.additions.append(self._line(kind, self.raw[text].oid, path))
        return True

    def _keep_own(self, path: bytes, facts: os.stat_result, *, ignored: bool) -> None:
        text, signature = text_of(path), Signature.of(facts)
        known = self.checkout.known_own.get(text)
        if known is not None and known[0].signature == signature and known[0].digest and signature.settled(known[1]):
            self.own[text] = Own(signature, known[0].digest, ignored)
            return
        try:
            data, signature = self.checkout.read(path)
        except OSError:
            self.own[text] = Own(signature, ignored=ignored)
            return
        self.own[text] = Own(signature, ignored=ignored)
        self._fresh_own.append((text, self.own[text], data))

    def _ignored(self, status: Status, scan: Scan) -> None:
        files = [path for path in status.ignored if not path.endswith(b"/")]
        for path in sorted({*files, *scan.ignored}):
            text = text_of(path)
            facts = self.checkout.look(path)
            if facts is None or stat.S_ISDIR(facts.st_mode) or text in self.raw or text in UNHELD:
                continue
            most = BIGGEST if key_like(path) else BIGGEST_IGNORED
            known_kind = stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)
            if heavy(path) or not known_kind or facts.st_size > most or self._total_ignored + facts.st_size > ALL_IGNORED:
                self.unseen.add(text)
                continue
            self._total_ignored += facts.st_size
            self._keep_own(path, facts, ignored=True)
        self.unseen.update(map(text_of, scan.unseen))

    def _submodule(self, path: bytes) -> None:
        """A gitlink whose repository stands at another commit; what lies in it is its own business (loop-peers B-W9)."""
        if not os.path.isdir(self.checkout.at(path)):
            self.gone.add(text_of(path))
            self.removals.append(self._line(0, self.checkout.zero, path))
        elif (sha := self._nested_head(path)) is not None:
            self.additions.append(self._line(_GITLINK, sha, path))

    def _nested(self, path: bytes) -> None:
        facts = self.checkout.look(path)
        if facts is not None:
            self.own[text_of(path)] = Own(Signature.of(facts))

    def _nested_head(self, path: bytes) -> str | None:
        said = self.checkout.git.run("-C", self.checkout.at(path), "rev-parse", "--verify", "HEAD", check=False)
        return said.text if said.code == 0 else None

    def _also(self, before: Manifest) -> None:
        """What the earlier snapshot held is held again, clean or not: only so can the two be compared byte for byte."""
        for text in before.raw.keys() - self.raw.keys() - self.own.keys() - self.gone:
            path = raw_of(text)
            facts = self.checkout.look(path)
            if facts is not None and not stat.S_ISDIR(facts.st_mode):
                self._stored(path, facts, 0)
        for text in before.own.keys() - self.raw.keys() - self.own.keys() - self.gone:
            path, old = raw_of(text), before.own[text]
            facts = self.checkout.look(path)
            if facts is None or (stat.S_ISDIR(facts.st_mode) and not stat.S_ISDIR(old.signature.mode)):
                continue
            held = stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)
            if old.digest is None or facts.st_size > BIGGEST or not held:
                self.own[text] = Own(Signature.of(facts), ignored=old.ignored, tracked=old.tracked)
            else:
                self._keep_own(path, facts, ignored=old.ignored)

    def _line(self, mode: int, oid: str, path: bytes) -> bytes:
        return b"%06o %s\t%s\0" % (mode, oid.encode(), path)

    def _flush(self) -> None:
        if self._fresh:
            store(self.checkout.git, self._fresh, self.width)
        self._fresh, self._waiting = [], 0
        self.checkout.known.update({text: (raw, self.taken_ns) for text, raw in self.raw.items()})
