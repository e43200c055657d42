"""The person's commit hooks, run for our commits only where they asked for it (`--run-hooks`)."""

from __future__ import annotations

from agentops.core.errors import AoError
from agentops.host.files import write_atomic
from agentops.tree.checkout import Checkout


class Refused(AoError):
    """A commit hook refused the work. It stays in the work tree, uncommitted; see the hook's words."""


def run_hooks_before(checkout: Checkout, index: str, message: str) -> str:
    """`pre-commit`, then `commit-msg`; returns the message as they leave it. Raises Refused with the hook's words.

    A pre-commit hook may change the index that it is given, as with `git commit`.
    """
    path = checkout.scratch("message")
    write_atomic(path, message.encode("utf-8", "surrogateescape"), durable=False)
    for name, args in (("pre-commit", ()), ("commit-msg", ("--", path))):
        done = checkout.git.run(
            "hook", "run", "--ignore-missing", name, *args, index=index, check=False, writes=True, hooks=True, filters=True
        )
        if done.code != 0:
            words = (done.err or done.out).decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
            raise Refused(f"The {name} hook refused the commit ({words[-1]}): the work stays uncommitted.")
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
