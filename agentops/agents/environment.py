"""Which variables an agent gets: those that tools need everywhere, its own, and what the owner adds. Pure.

A shell full of keys for other services is no business of a program that reads the internet (loop-peers E4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_USUAL = """
PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TMPDIR TEMP TMP XDG_* AO_* GIT_* SSH_AUTH_SOCK SSL_CERT_*
REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy
no_proxy all_proxy VIRTUAL_ENV CONDA_* MAMBA_* PYENV_* PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PYTHONUTF8
PIP_INDEX_URL UV_* POETRY_* PIPX_* NVM_* NODE_PATH NODE_OPTIONS NODE_ENV NPM_CONFIG_PREFIX npm_config_* PNPM_HOME BUN_*
DENO_* VOLTA_* FNM_* ASDF_* MISE_* RTX_* GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS GOTOOLCHAIN CGO_*
CARGO_HOME CARGO_TARGET_DIR RUSTUP_* RUSTFLAGS RUSTC_* JAVA_* MAVEN_* M2_* GRADLE_* SDKMAN_* KOTLIN_* SBT_* DOTNET_*
NUGET_* RBENV_* GEM_* BUNDLE_PATH RUBY* PHP_* COMPOSER_HOME PERL5LIB MIX_* HEX_HOME ELIXIR_* ERL_* GHCUP_* STACK_*
CABAL_* OPAM* OCAML* JULIA_* R_LIBS* CC CXX CFLAGS CXXFLAGS LDFLAGS LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_* MAKEFLAGS
CUDA_* NIX_* HOMEBREW_* DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS EDITOR PAGER DOCKER_HOST CONTAINER_HOST CI
OMP_NUM_THREADS MPLBACKEND
"""
USUAL = tuple(_USUAL.split())
"""Names that pass for every agent; one that ends with `*` means all that begin so."""
FIXED = {"NO_COLOR": "1", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
"""What every agent gets: no colours in what we read, and nothing that waits for a person who sleeps."""
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|AUTH(?!OR)", re.IGNORECASE)
"""Not `GIT_AUTHOR_NAME`: who the person is passes (evolve.md section 4)."""


def allowed(
    env: Mapping[str, str],
    given: Mapping[str, str],
    passing: Iterable[str] = (),
    passing_when: Mapping[str, Iterable[str]] | None = None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The agent's environment, and the names that were withheld, sorted.

    `given`: set whatever `env` says. `passing`: names beside the usual ones. `passing_when`: a variable which, when it is set
    to anything but `0`, lets others through. A usual name that says secret (`npm_config_…authToken`) does not pass unless it
    is named in full.
    """
    extra = list(passing)
    for trigger, names in (passing_when or {}).items():
        if env.get(trigger, "0") not in ("", "0", "false"):
            extra += [trigger, *names]
    kept = {name: value for name, value in env.items() if _passes(name, extra)}
    withheld = tuple(sorted(name for name in env if name not in kept))
    return {**kept, **FIXED, **given}, withheld


def _passes(name: str, extra: list[str]) -> bool:
    if any(_matches(name, one) for one in extra):
        return True
    if name in USUAL:
        return True
    return _SECRET.search(name) is None and any(_matches(name, one) for one in USUAL)


def _matches(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
