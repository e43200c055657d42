"""The configuration of a run: which files there are, what they and the environment say."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from agentops.host.files import read_bounded
from agentops.policy import toml_layer, upstream, variables
from agentops.policy.configuration import Configuration, merge
from agentops.policy.origins import Given, Layer
from agentops.policy.toml_layer import BadConfiguration
from agentops.policy.trust import trusts

REPOSITORY_FILE = "ao.toml"
_PYPROJECT = "pyproject.toml"
_UPSTREAM = (os.path.join(".agents", "ao", "config.yaml"), os.path.join(".agentops", "config.yaml"))
"""Where the original keeps its file, and where it kept it before; the first that is there is read."""
REPOSITORY_FILES = frozenset({REPOSITORY_FILE, _PYPROJECT, *_UPSTREAM})
"""Every file of a repository in which settings may stand."""
_LIMIT = 1 << 20


def read(top: str, env: Mapping[str, str], *, trusted: bool = False) -> Configuration:
    """What holds for the repository at `top` (or the folder, where there is none). `trusted`: the person said that the
    programs which its files name may run.

    Raises BadConfiguration (exit 2) for a file that is there and does not load, and for a variable that means nothing.
    """
    home = env.get("HOME") or os.path.expanduser("~")
    notices: list[str] = []
    layers = [
        _repository(top, notices),
        _user(env, home),
        *_upstreams(top, env, home, notices),
        # the original's variables are weaker than ours, on the same layer: ours overwrite them
        upstream.variables(env) | variables.layer(env),
    ]
    found = merge(layers, trusted=trusted, notices=notices)
    if found.withheld and trusts(top, {key: given.value for key, given in found.asks.items()}, env):
        return merge(layers, trusted=True, notices=notices)
    return found


def repository_says(top: str) -> Mapping[str, object]:
    """What the files in the repository say now, by dotted key. Raises BadConfiguration."""
    found: dict[str, object] = {}
    for name in _UPSTREAM:
        if (text := _text(os.path.join(top, name), name)) is not None:
            found |= {key: given.value for key, given in upstream.layer(text, name, Layer.UPSTREAM)[0].items()}
            break
    return found | {key: given.value for key, given in _repository(top, []).items()}


def user_file(env: Mapping[str, str], home: str) -> str:
    """Where the person's own file lies, whether or not it is there."""
    base = env.get("XDG_CONFIG_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, ".config"), "ao", "config.toml")


def _repository(top: str, notices: list[str]) -> dict[str, Given]:
    own = _text(os.path.join(top, REPOSITORY_FILE), REPOSITORY_FILE)
    pyproject = _text(os.path.join(top, _PYPROJECT), _PYPROJECT) or ""
    ours = "[tool.agentops" in pyproject  # one that is none of our business must not be able to stop a night
    if own is None:
        return toml_layer.layer(pyproject, _PYPROJECT, Layer.REPOSITORY, ("tool", "agentops")) if ours else {}
    if ours:
        notices.append(f"{_PYPROJECT}: [tool.agentops] is not read, because {REPOSITORY_FILE} is there")
    return toml_layer.layer(own, REPOSITORY_FILE, Layer.REPOSITORY)


def _user(env: Mapping[str, str], home: str) -> dict[str, Given]:
    path = user_file(env, home)
    text = _text(path, path)
    return {} if text is None else toml_layer.layer(text, _shown(path, home), Layer.USER)


def _upstreams(top: str, env: Mapping[str, str], home: str, notices: list[str]) -> list[dict[str, Given]]:
    named = env.get("AGENTOPS_CONFIG", "").strip()
    if named:  # the original then reads this file alone, and so do we; a person's word, not the repository's
        text = _text(named, named)
        if text is None:
            raise BadConfiguration(f"AGENTOPS_CONFIG names {named}, which is not there", mend="unset AGENTOPS_CONFIG")
        files = [(named, text, Layer.UPSTREAM_NAMED)]
    else:
        files = []
        for folder, level in ((top, Layer.UPSTREAM), (home, Layer.UPSTREAM_USER)):
            for name in _UPSTREAM:
                path = os.path.join(folder, name)
                if (text := _text(path, path)) is not None:
                    files.append((name if level is Layer.UPSTREAM else _shown(path, home), text, level))
                    break
    layers = []
    for path, text, level in files:
        found, vain = upstream.layer(text, path, level)
        layers.append(found)
        notices += vain
    return layers


def _text(path: str, shown: str) -> str | None:
    """A file's text; None when there is none. Raises BadConfiguration for what is there and cannot be read as text."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise BadConfiguration(f"{shown}: this is no file", mend=f"ls -ld {path}")
        raw = read_bounded(path, _LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadConfiguration(f"{shown}: {error.strerror}", mend=f"ls -ld {path}") from error
    if len(raw) > _LIMIT:
        raise BadConfiguration(f"{shown}: larger than a configuration can be ({_LIMIT >> 20} MiB)", mend=f"ls -l {path}")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as broken:
        before = raw[: broken.start]
        line, column = before.count(b"\n") + 1, broken.start - (before.rfind(b"\n") + 1) + 1
        raise BadConfiguration(f"{shown}:{line}:{column}: this is no UTF-8 text", mend=f"${{EDITOR:-vi}} {path}") from None


def _shown(path: str, home: str) -> str:
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
