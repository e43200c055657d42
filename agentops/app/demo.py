"""A small real repository whose goals fail for real reasons: what `ao demo` works on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.stops import Scope
from agentops.host.environment import clean_environment, resolve
from agentops.host.faults import fault
from agentops.host.files import ensure_folder, write_atomic
from agentops.host.git import Git
from agentops.host.launcher import Launcher


@dataclass(frozen=True, slots=True)
class _Commit:
    """One commit of the demo's history: the files it writes."""

    title: str
    files: Mapping[str, str]


_TALLY = '''\
"""tally: count the words of a text."""

import sys

USAGE = """\\
usage: tally.py [--top N] < text
  --top N   only the N most frequent words
"""


def load(path):
    with open(path, encoding="utf-8") as lines:
        return {line.strip() for line in lines}


def count(text, ignored=frozenset()):
    words = {}
    for word in text.lower().split():
        word = word.strip(".,;:!?")
        if word and word not in ignored:
            words[word] = words.get(word, 0) + 1
    return sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))


if __name__ == "__main__":
    if "--help" in sys.argv:
        sys.stdout.write(USAGE)
    else:
        for word, times in count(sys.stdin.read(), load("ignored.txt")):
            print(times, word)
'''

_NOISY = _TALLY.replace(
    """        if word and word not in ignored:
""",
    """        if not word:
            print("DEBUG empty word", file=sys.stderr)
        elif word not in ignored:
""",
)

_TEST = """\
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

_GOALS = """\
# Tally

A word counter that stays honest.

## Gates

| ID | Check | Weight | Description | Fix |
|----|-------|--------|-------------|-----|
| tests-green | `PYTHONDONTWRITEBYTECODE=1 python3 test_tally.py` | 9 | The tests pass | |
| release-notes | `grep -q '^## 0.2' NEWS.md` | 8 | Version 0.2 is described, which only a person can do | |
| ignored-sorted | `LC_ALL=C sort -c ignored.txt` | 7 | The list of ignored words is sorted | \
`LC_ALL=C sort -o ignored.txt ignored.txt` |
| help-current | `PYTHONDONTWRITEBYTECODE=1 python3 tally.py --help \\| cmp - help.txt` | 6 | help.txt shows today's usage | \
`PYTHONDONTWRITEBYTECODE=1 python3 tally.py --help > help.txt` |
| no-debugging | `! grep -n DEBUG tally.py` | 3 | No debugging output is left | \
`grep -v DEBUG tally.py > tally.new; mv tally.new tally.py` |
"""

_HISTORY = (
    _Commit(
        "Count words",
        {
            "tally.py": _TALLY.replace(" [--top N]", "").replace("  --top N   only the N most frequent words\n", ""),
            "test_tally.py": _TEST,
            "help.txt": "usage: tally.py < text\n",
            "ignored.txt": "a\nan\nthe\n",
            "NEWS.md": "# News\n\n## 0.1\n\nCounts words.\n",
        },
    ),
    _Commit("Ignore more words, announce --top", {"tally.py": _TALLY, "ignored.txt": "a\nan\nthe\nof\nand\nin\n"}),
    _Commit("Look into empty words; goals for what we keep forgetting", {"tally.py": _NOISY, "GOALS.md": _GOALS}),
)


def make(folder: str, env: Mapping[str, str], host: Launcher, scope: Scope) -> str:
    """Write the repository into `folder`, which must not exist or be empty; returns its absolute path.

    Raises UsageError for a folder that holds something, EnvironmentUnusable without git, bash or python3.
    """
    clean, _ = clean_environment(env)
    for tool in ("git", "bash", "python3"):
        if resolve(tool, clean) is None:
            raise EnvironmentUnusable(f"the demo needs {tool}, and it is not on PATH", mend=f"install {tool}")
    path = os.path.abspath(folder)
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise UsageError(f"{path} is there already and not empty", mend="ao demo --folder NEW-FOLDER")
    fault("demo.make.before")
    ensure_folder(path, 0o755)
    git = Git(host, scope, path, clean)
    git.run("init", "--quiet", "--template=", writes=True)
    git.run("symbolic-ref", "HEAD", "refs/heads/main", writes=True)
    # its own identity: a fresh machine has none, and the demo must not depend on it
    git.run("config", "user.name", "Demo", writes=True)
    git.run("config", "user.email", "demo@localhost", writes=True)
    git.run("config", "commit.gpgsign", "false", writes=True)
    for commit in _HISTORY:
        for name, text in commit.files.items():
            write_atomic(os.path.join(path, name), text.encode(), mode=0o644, durable=False)
        git.run("add", "--all", writes=True)
        git.run("commit", "--quiet", "--message", commit.title, writes=True)
    return path
