"""The project that `ao demo` works on: `tally`, a small word counter with the troubles of a real one, and its history.

What is in it, and why: a lint finding and an outdated snapshot that commands can mend; a goal whose fix breaks the tests;
two that nobody here can mend; one that is mended and fails again for ever, because each of our own commits makes it fail;
what an earlier session left in the queue; and a directive of its owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_NEWS = "# News\n\n## 0.1\n\nCounts words.\n"
_NEWS_2 = "# News\n\n## 0.2\n\n--top shows the most frequent words only.\n"

_USAGE_BEFORE = """\
usage: tally.py < text
"""

_USAGE = """\
usage: tally.py [--top N] < text
  --top N   only the N most frequent words
"""

_TALLY = '''\
"""tally: count the words of a text."""

import os
import sys

USAGE = """\\
{usage}"""


def load(path):
    with open(path, encoding="utf-8") as lines:
        return {{line.strip() for line in lines}}


def count(text, ignored=frozenset()):
    words = {{}}
    for word in text.lower().split():
        word = word.strip(".,;:!?")
{look}    return sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.stdout.write(USAGE)
    else:
        for word, times in count(sys.stdin.read(), load("ignored.txt")):
            print(times, word)
'''

_QUIET = """\
        if word and word not in ignored:
            words[word] = words.get(word, 0) + 1
"""

_NOISY = """\
        if not word:
            print("DEBUG an empty word", file=sys.stderr)
        elif word not in ignored:
            words[word] = words.get(word, 0) + 1
"""

_TEST_TALLY = """\
import unittest

from tally import count


class Counting(unittest.TestCase):
    def test_the_most_frequent_word_comes_first(self):
        self.assertEqual(count("a rose is a rose")[0], ("a", 2))

    def test_ignored_words_do_not_count(self):
        self.assertEqual(count("The end.", {"the"}), [("end", 1)])

    def test_punctuation_alone_is_no_word(self):
        self.assertEqual(count("..."), [])


if __name__ == "__main__":
    unittest.main()
"""

_TEST_USAGE = '''\
"""help.txt is what --help prints; --update writes it anew."""

import sys

from tally import USAGE

if "--update" in sys.argv:
    with open("help.txt", "w", encoding="utf-8") as file:
        file.write(USAGE)
with open("help.txt", encoding="utf-8") as file:
    if file.read() != USAGE:
        sys.exit("help.txt is not what --help prints")
'''

_LINT = '''\
"""Imports that nothing uses, as lint finds them; --fix removes them."""

import ast
import sys


def unused(text):
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.Import) and all(name.name not in used for name in node.names):
            yield node.lineno, node.names[0].name


found = 0
for path in ("tally.py", "test_tally.py"):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    wrong = list(unused("".join(lines)))
    if "--fix" in sys.argv and wrong:
        gone = {line for line, _ in wrong}
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line for number, line in enumerate(lines, 1) if number not in gone)
        continue
    for line, name in wrong:
        found += 1
        print(f"{path}:{line}: {name} is imported and never used")
sys.exit(found > 0)
'''

_GOALS = """\
# Tally

A word counter that stays honest.

## Gates

| ID | Check | Weight | Description | Fix | Volatile |
|----|-------|--------|-------------|-----|----------|
| tests-green | `python3 test_tally.py` | 9 | The tests pass | | |
| build-number | `test "$(cat BUILD)" = "$(git rev-list --count HEAD)"` | 4 | BUILD says how many commits there are | \
`git rev-list --count HEAD > BUILD` | yes |
"""

_MORE_GOALS = """\
| release-notes | `grep -q '^## 0.3' NEWS.md` | 8 | Version 0.3 is described, in words that only a person has | | |
| top-works | `test "$(echo x y y \\| python3 tally.py --top 1)" = "2 y"` | 7 | --top does what the usage says | | |
| lint | `python3 lint.py` | 6 | Nothing is imported in vain | `python3 lint.py --fix` | |
| usage-snapshot | `python3 test_usage.py` | 5 | help.txt is what --help prints | `python3 test_usage.py --update` | |
| no-debugging | `! grep -n DEBUG tally.py` | 3 | No debugging output is left | \
`grep -v DEBUG tally.py > tally.new; mv tally.new tally.py` | |

## Directives

### 1. Do what the usage promises

Whatever `--help` prints has to work before anything new is added.

**Steer:** increase
**Gates:** top-works
"""

QUEUE_ITEM = "ignored.txt names a word twice"
QUEUE: Mapping[str, object] = {
    "title": QUEUE_ITEM,
    "type": "bug",
    "severity": "medium",
    "source": "council-finding",
    "description": "Seen while --top was announced: `the` stands in ignored.txt twice.",
    "evidence": "sort ignored.txt | uniq -d",
    "target_repo": "*",
    "file": "ignored.txt",
    "check": 'test -z "$(LC_ALL=C sort ignored.txt | uniq -d)"',
    "fix": "LC_ALL=C sort -u -o ignored.txt ignored.txt",
    "consumed": False,
    "claim_status": "available",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history: `days` ago, the files it writes. `row`: an earlier session made it, for this target;
    BUILD then says how many commits there were. `queues`: that session also left an item in the queue.
    """

    days: float
    title: str
    files: Mapping[str, str] = field(default_factory=dict)
    row: str = ""
    queues: bool = False


def _tally(usage: str, look: str) -> str:
    return _TALLY.format(usage=usage, look=look)


BUILD_NUMBER = "build-number: BUILD says how many commits there are"
HISTORY = (
    Commit(
        9.2,
        "Count words",
        {
            "tally.py": _tally(_USAGE_BEFORE, _QUIET),
            "test_tally.py": _TEST_TALLY,
            "test_usage.py": _TEST_USAGE,
            "lint.py": _LINT,
            "help.txt": _USAGE_BEFORE,
            "ignored.txt": "a\nan\nthe\n",
            "NEWS.md": _NEWS,
            "BUILD": "0\n",
            ".gitignore": "__pycache__/\n",
            "GOALS.md": _GOALS,
        },
    ),
    Commit(8.6, BUILD_NUMBER, row="build-number"),
    Commit(6.1, "Ignore more words", {"ignored.txt": "a\nan\nthe\nof\nand\nin\nthe\n"}),
    Commit(5.6, BUILD_NUMBER, row="build-number", queues=True),
    Commit(2.3, "Announce --top", {"tally.py": _tally(_USAGE, _QUIET), "NEWS.md": _NEWS.replace("# News\n", _NEWS_2)}),
    Commit(
        1.2,
        "Look into empty words; goals for what we keep forgetting",
        {"tally.py": _tally(_USAGE, _NOISY), "GOALS.md": _GOALS + _MORE_GOALS},
    ),
)
