"""The tree's decisions and formats, for every input that Hypothesis can think of."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agentops.core.paths import raw_of, text_of
from agentops.core.places import Change
from agentops.tree.blame import blame, mark, marked, reach
from agentops.tree.changes import TreeChange, appended_only, differences, kept_anyway, parse_raw, under, with_appended
from agentops.tree.exclude import missing
from agentops.tree.ignored import heavy, key_like
from agentops.tree.index_file import entries, hidden, is_split
from agentops.tree.manifest import VERSION, Manifest, Own, Signature, load, save
from agentops.tree.objects import blob_id, pack, parse_batch
from agentops.tree.refs import Moved, parse_move
from agentops.tree.rewrite import rewritten
from agentops.tree.status import parse
from tests.git.ground import Ground

RAW = st.binary(min_size=1, max_size=30).filter(lambda raw: b"\0" not in raw and not raw.startswith(b"/"))
FILE = st.builds(
    Signature, st.integers(0, 99), st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.sampled_from([0o100644, 0o100600])
)
OWN = st.builds(Own, FILE, st.one_of(st.none(), st.sampled_from(["d1", "d2"])), st.booleans())
TEXT = st.sampled_from(["a", "b/c", "b/d", "e/f/g", ".env", "x.log"])


def manifest(own: dict[str, Own] | None = None, unseen: tuple[str, ...] = (), modes: dict[str, int] | None = None) -> Manifest:
    return Manifest(VERSION, 1, "t", "h", "main", "main", "h", 0, "", "i", 0, own=own or {}, unseen=unseen, modes=modes or {})


@given(st.lists(st.binary(max_size=300), max_size=20))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("width", [20])
def test_git_reads_our_packs_and_agrees_on_the_ids(template: Path, width: int, blobs: list[bytes]) -> None:
    ground = Ground(template / "repo", template / "home")
    if blobs:
        subprocess.run(["git", "unpack-objects", "-q"], cwd=ground.top, input=pack(blobs, width), check=True)
    ids = [blob_id(blob, width) for blob in blobs]
    out = ground.git("cat-file", "--batch", stdin="".join(f"{one}\n" for one in ids).encode())
    assert parse_batch(out, len(ids)) == blobs


@given(st.dictionaries(RAW, st.tuples(st.sampled_from([0, 0o100644, 0o120000]), st.sampled_from([0, 0o100755])), max_size=6))
def test_a_tree_difference_is_read_as_it_was_written(changes: dict[bytes, tuple[int, int]]) -> None:
    assume(all(old or new for old, new in changes.values()))
    text = b"".join(b":%06o %06o %s %s M\0%s\0" % (old, new, b"1" * 40, b"2" * 40, path) for path, (old, new) in changes.items())
    found = parse_raw(text)
    assert found.keys() == changes.keys()
    for path, (old, new) in changes.items():
        assert found[path].change is (Change.ADDED if not old else Change.DELETED if not new else Change.MODIFIED)


@given(st.lists(RAW, unique=True, max_size=5), st.lists(RAW, unique=True, max_size=5))
def test_status_keeps_every_path_whole(changed: list[bytes], new: list[bytes]) -> None:
    assume(not any(path.endswith(b"/") for path in new))
    lines = [b"1 .M N... 100644 100644 100755 " + b"1" * 40 + b" " + b"2" * 40 + b" " + path for path in changed]
    found = parse(b"".join(line + b"\0" for line in (*lines, *(b"? " + path for path in new))))
    assert list(found.tracked) == changed
    assert list(found.untracked) == new
    assert found.clean == (not changed and not new)


@given(st.dictionaries(TEXT, OWN), st.dictionaries(TEXT, OWN))
def test_what_is_the_same_on_both_sides_is_no_change(before: dict[str, Own], after: dict[str, Own]) -> None:
    found = differences({}, manifest(before), manifest(after))
    assert not differences({}, manifest(before), manifest(before)).paths
    for text, change in {**found.paths, **found.ignored}.items():
        assert before.get(text) != after.get(text)
        assert (change is Change.ADDED) == (text not in before)
        assert (change is Change.DELETED) == (text not in after)


@given(st.dictionaries(TEXT, OWN), st.sets(TEXT))
def test_nothing_in_a_folder_that_the_start_did_not_look_into_is_new(after: dict[str, Own], unseen: set[str]) -> None:
    """Else taking back would delete what a person had there."""
    tree = {raw_of(text): TreeChange(0, 0o100644, "0", "1") for text in unseen}
    found = differences(tree, manifest(unseen=tuple(unseen)), manifest(after))
    added = [text for text, change in {**found.paths, **found.ignored}.items() if change is Change.ADDED]
    assert not [text for text in added if under(text, unseen)]


@given(RAW, st.sets(RAW))
def test_under_means_itself_or_an_ancestor(path: bytes, folders: set[bytes]) -> None:
    texts = {text_of(one) for one in folders if not one.endswith(b"/")}
    text = text_of(path)
    wanted = any(text == one or text.startswith(f"{one}/") for one in texts)
    assert under(text, texts) == wanted


@given(st.lists(st.binary(max_size=9)), st.lists(st.binary(max_size=9)))
def test_rows_that_were_there_stay_and_rows_beyond_their_number_are_kept(old: list[bytes], new: list[bytes]) -> None:
    before = b"".join(line.replace(b"\n", b"").replace(b"\r", b"") + b"\n" for line in old)
    more = b"".join(line.replace(b"\n", b"").replace(b"\r", b"") + b"\n" for line in new)
    assert appended_only(before, before + more)
    assert with_appended(before, before + more) == before + more
    changed = b"".join(b"?" + line for line in before.splitlines(keepends=True)) + more
    assert with_appended(before, changed) == before + more
    assert appended_only(before, changed) == (not before)


@given(
    st.dictionaries(
        st.sampled_from([".agents/plans/a.md", ".agents/evolve/x", ".agents/rpi/next-work.jsonl", "a"]), st.sampled_from(Change)
    )
)
def test_only_new_files_and_appended_rows_are_kept_anyway(changes: dict[str, Change]) -> None:
    kept = kept_anyway(changes, b"1\n", b"1\n2\n")
    assert kept == {
        text
        for text, change in changes.items()
        if text == ".agents/rpi/next-work.jsonl" or (text.startswith(".agents/plans/") and change is Change.ADDED)
    }


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, tuple[str, ...]], list[Moved]]:
    """Commits of two people on one branch, with resets in between."""
    graph: dict[str, tuple[str, ...]] = {}
    tip, moves = "start", []
    for number in range(draw(st.integers(0, 8))):
        ours = draw(st.booleans())
        message = f"{mark('r', 1)}: x" if ours else draw(st.sampled_from(["commit: x", "ao:r/12: x", "ao:r2/1: x"]))
        known = ["start", *graph]
        if draw(st.integers(0, 4)) == 0:
            new = draw(st.sampled_from(known))
        else:
            new = f"c{number}"
            parents = [tip, *draw(st.lists(st.sampled_from(known), max_size=1))]
            graph[new] = tuple(dict.fromkeys(parents))
        moves.append(Moved(tip, new, message))
        tip = new
    return graph, moves


@given(histories())
def test_every_new_commit_is_either_ours_or_someone_elses(history: tuple[dict[str, tuple[str, ...]], list[Moved]]) -> None:
    graph, moves = history
    tip = moves[-1].new if moves else "start"
    found = blame(moves, graph, list(graph), "start", [tip], mark("r", 1))
    alive = reach(graph, [tip])
    assert not set(found.ours) & set(found.foreign)
    assert alive <= {*found.ours, *found.foreign}
    assert set(found.ours) <= alive
    for move in moves:
        if not marked(move, mark("r", 1)) and move.new in graph and move.new not in reach(graph, [move.old]):
            first = next(one for one in moves if move.new in reach(graph, [one.new]))
            assert marked(first, mark("r", 1)) or move.new in found.foreign


@given(st.binary(max_size=60))
def test_any_bytes_of_a_reflog_are_a_line_or_none(line: bytes) -> None:
    assert parse_move(line) is None or len(line) > 80
    whole = b"1" * 40 + b" " + b"2" * 40 + b" A <a@b> 1 +0000\t" + line.replace(b"\n", b"")
    found = parse_move(whole)
    assert found is not None
    assert (found.old, found.new) == ("1" * 40, "2" * 40)


@given(st.binary(max_size=80))
def test_excluding_twice_is_excluding_once_and_loses_no_byte(present: bytes) -> None:
    once = missing(present)
    assert once.startswith(present)
    assert missing(once) == once


@given(
    st.lists(
        st.sampled_from(["parent " + "1" * 40, "gpgsig -----BEGIN\n line\n -----END", "encoding x", "mergetag y\n z"]), max_size=4
    ),
    st.binary(max_size=30),
)
def test_a_rewritten_commit_keeps_everything_but_tree_parents_and_signature(lines: list[str], message: bytes) -> None:
    head = "\n".join(["tree " + "a" * 40, *lines, "author A <a@b> 1 +0000"]).encode()
    body = rewritten(head + b"\n\n" + message, "b" * 40, ["2" * 40])
    assert body.endswith(b"\n\n" + message) or message == b""
    assert b"gpgsig" not in body.partition(b"\n\n")[0]
    assert b"author A <a@b> 1 +0000" in body
    assert body.startswith(b"tree " + b"b" * 40 + b"\nparent " + b"2" * 40)
    for line in lines:
        if not line.startswith(("parent", "gpgsig")):
            assert line.encode() in body


@given(st.dictionaries(st.text(max_size=8), OWN, max_size=4))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_a_manifest_comes_back_as_it_was(tmp_path: Path, own: dict[str, Own]) -> None:
    assume(all(char < "\ud800" or char > "\udfff" for text in own for char in text))
    written = manifest(own)
    assert load(save(written, str(tmp_path / "m"), "pre")) == written


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_index_is_read_as_git_lists_it(repo: Ground, version: str) -> None:
    for number in range(60):
        repo.write(f"deep/{'x' * (number * 9 % 200)}/{number}.txt")
    repo.git("add", "-A")
    repo.write("mine.txt")
    repo.git("add", "-N", "mine.txt")
    repo.git("update-index", "--assume-unchanged", "a.txt")
    repo.git("update-index", "--skip-worktree", "b.txt")
    repo.git("update-index", "--index-version", version)
    data = (repo.top / ".git/index").read_bytes()
    found = entries(data)
    listed = repo.git("ls-files", "-s", "-z").split(b"\0")[:-1]
    assert [b"%06o %s %d\t%s" % (one.mode, one.oid.encode(), one.stage, path) for path, (one,) in found.items()] == listed
    assert [path for path, (one,) in found.items() if one.intent] == [b"mine.txt"]
    assert hidden(data) == ({b"a.txt": 0o100644}, {b"b.txt"})
    assert entries(data, only={b"a.txt"}) == {b"a.txt": found[b"a.txt"]}
    assert not is_split(data)
    repo.git("update-index", "--split-index")
    assert is_split((repo.top / ".git/index").read_bytes())


@pytest.mark.parametrize("name", [b".env", b"x/.env.local", b"a/id_rsa", b"server.key", b"my-credentials.json", b"x.pem"])
def test_keys_are_known_by_name(name: bytes) -> None:
    assert key_like(name)
    assert not key_like(name + b"/inside")
    assert not heavy(name)
    assert hashlib.sha1(b"blob 0\0", usedforsecurity=False).hexdigest() == blob_id(b"")
