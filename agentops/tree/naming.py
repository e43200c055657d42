"""What a repository is called: by its origin, else by its folder. Work items say for whose repository they are."""

from __future__ import annotations

import os
import re

from agentops.host.files import read_bounded

_SMALL = 1 << 20
_SECTION = re.compile(r'\[\s*remote\s+"origin"\s*\]([^\[]*)', re.IGNORECASE)
_URL = re.compile(r"^\s*url\s*=\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


def repository_name(top: str, common_dir: str | None) -> str:
    """The last part of origin's URL without `.git`, else the folder's name.

    Read from git's own file: a process for one word would double the time of `ao queue list`. What `include` adds isn't seen.
    """
    if common_dir is not None:
        try:
            config = read_bounded(os.path.join(common_dir, "config"), _SMALL).decode("utf-8", "replace")
        except OSError:
            config = ""
        section = _SECTION.search(config)
        found = _URL.search(section[1]) if section else None
        if found is not None:
            name = re.split(r"[/:]", found[1].strip('"').rstrip("/"))[-1].removesuffix(".git")
            if name:
                return name
    return os.path.basename(os.path.realpath(top))
