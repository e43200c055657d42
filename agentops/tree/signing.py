"""Commit objects of our own: with whatever identity there is, signed where that needs nobody at a keyboard."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from agentops.core.errors import GitFailed
from agentops.host.files import ensure_folder, write_atomic
from agentops.tree.checkout import Checkout

NAME, EMAIL = "ao", "ao@localhost"
_BATCH_SIGNER = "#!/bin/sh\nexec '{program}' --batch --pinentry-mode error \"$@\"\n"


def commit_object(checkout: Checkout, tree: str, parents: Sequence[str], message: str) -> tuple[str, tuple[str, ...]]:
    """Write a commit; returns its id and what the report should say about identity and signature."""
    notes: list[str] = []
    values = checkout.settings.values()
    options = list(_identity(values, notes))
    argv = ["commit-tree", tree, *(part for parent in parents for part in ("-p", parent))]
    text = message.encode("utf-8", "surrogateescape")
    if checkout.settings.flag("commit.gpgsign", False):
        try:
            signer = _signer(checkout, values)
            key = values.get("user.signingkey", "")
            sha = checkout.git.run(*options, *signer, *argv, f"-S{key}", stdin=text, durable=True, writes=True).text
        except GitFailed as error:
            why = error.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
            notes.append(f"commit.gpgsign is set, but signing without a prompt failed ({why[-1]}): the commit is unsigned.")
        else:
            return sha, tuple(notes)
    sha = checkout.git.run(*options, *argv, stdin=text, durable=True, writes=True).text
    return sha, tuple(notes)


def _identity(values: Mapping[str, str], notes: list[str]) -> list[str]:
    """A name and an address of last resort, so that a machine without git's settings still keeps its work."""
    lacking = []
    for key, who, fallback in (("user.name", "NAME", NAME), ("user.email", "EMAIL", EMAIL)):
        set_by = (f"GIT_AUTHOR_{who}", f"GIT_COMMITTER_{who}")
        if not values.get(key) and not all(os.environ.get(one) for one in set_by):
            specific = [values.get(f"{role}.{who.lower()}") for role in ("author", "committer")]
            if not all(specific):
                lacking += ["-c", f"{key}={fallback}"]
    if lacking:
        notes.append(f"git knows no identity here: commits are made as {NAME} <{EMAIL}> (git config user.name, user.email).")
    return lacking


def _signer(checkout: Checkout, values: Mapping[str, str]) -> tuple[str, ...]:
    """A signing program that fails where it would ask: nobody is there to type a passphrase at night."""
    kind = values.get("gpg.format", "openpgp")
    if kind == "ssh":
        return ()  # without a terminal ssh-keygen fails by itself
    program = values.get(f"gpg.{kind}.program") or values.get("gpg.program") or ("gpgsm" if kind == "x509" else "gpg")
    path = os.path.join(checkout.repository.state, "bin", f"sign-{kind}")
    ensure_folder(os.path.dirname(path))
    quoted = program.replace("'", "'\\''")
    write_atomic(path, _BATCH_SIGNER.format(program=quoted).encode(), mode=0o700, durable=False)
    return "-c", f"gpg.{kind}.program={path}", "-c", f"gpg.program={path}"
