"""Which commands of a check have a twin that mends: the table, and nothing but the table.

A fixer is the check's own command, turned from looking into mending: same tool, same paths, same options. Whoever wants
another one adds a row. The decisions behind it: docs/decisions/0035, 0036.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fixer:
    """One row. A command of the check is meant when its program is `tool` and its next word is one of `verbs` (if any).

    `drop`: words that only look. `add`: words that mend, put behind the verb. `becomes`: the verb then, where it changes.
    `cut`: everything from this word on is left out, `*` for all. `signs`: files by which a repository configures the tool,
    `file:text` for a text in one; asked for when only the output names the tool. `says`: the check's output must match this.
    `asked`: the owner's own words must ask for it. `patterns`: it expands `**/*.ts` by itself, better than a shell would.
    """

    tool: str
    verbs: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    becomes: str = ""
    cut: str = ""
    signs: tuple[str, ...] = ()
    says: str = ""
    asked: bool = False
    patterns: bool = False


_LOOK = ("--check", "--diff")
_PYPROJECT = "pyproject.toml:[tool."
_PACKAGE = "package.json"

FIXERS = (
    # python
    Fixer(
        "ruff",
        ("check",),
        drop=("--no-fix", "--diff", "--watch", "-w", "--fix", "--fix-only"),
        add=("--fix",),
        signs=("ruff.toml", ".ruff.toml", f"{_PYPROJECT}ruff"),
    ),
    Fixer("ruff", ("format",), drop=_LOOK, signs=("ruff.toml", ".ruff.toml", f"{_PYPROJECT}ruff")),
    Fixer("isort", drop=(*_LOOK, "-c", "--check-only", "-d", "--df"), signs=(".isort.cfg", f"{_PYPROJECT}isort")),
    Fixer("black", drop=(*_LOOK, "--color"), signs=(f"{_PYPROJECT}black",)),
    Fixer("yapf", drop=("-d", "--diff", "-q", "--quiet"), add=("-i",), signs=(".style.yapf", f"{_PYPROJECT}yapf")),
    Fixer("autoflake", drop=("--check", "-c", "--check-diff", "-cd"), add=("--in-place",), signs=(f"{_PYPROJECT}autoflake",)),
    # javascript
    Fixer(
        "prettier",
        drop=("--check", "-c", "--list-different", "-l"),
        add=("--write",),
        signs=(".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", f'{_PACKAGE}:"prettier"'),
        patterns=True,
    ),
    Fixer(
        "eslint",
        drop=("--fix-dry-run", "--fix"),
        add=("--fix",),
        signs=("eslint.config.js", "eslint.config.mjs", "eslint.config.ts", ".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs"),
        patterns=True,
    ),
    Fixer("stylelint", drop=("--fix",), add=("--fix",), signs=(".stylelintrc", ".stylelintrc.json"), patterns=True),
    Fixer("biome", ("check", "format", "lint"), drop=("--write",), add=("--write",), signs=("biome.json", "biome.jsonc")),
    Fixer("biome", ("ci",), becomes="check", add=("--write",), signs=("biome.json", "biome.jsonc")),
    # go, rust
    Fixer("gofmt", drop=("-l", "-d"), add=("-w",), signs=("go.mod",)),
    Fixer("gofumpt", drop=("-l", "-d"), add=("-w",), signs=("go.mod",)),
    Fixer("goimports", drop=("-l", "-d"), add=("-w",), signs=("go.mod",)),
    Fixer("golangci-lint", ("run",), drop=("--fix",), add=("--fix",), signs=(".golangci.yml", ".golangci.yaml")),
    Fixer("cargo", ("fmt",), drop=("--check",), signs=("Cargo.toml",)),
    Fixer("rustfmt", drop=("--check",), signs=("Cargo.toml",)),
    Fixer(
        "cargo",
        ("clippy",),
        add=("--fix", "--allow-dirty", "--allow-staged", "--offline"),
        drop=("--fix", "--offline"),
        cut="--",
        signs=("Cargo.toml",),
    ),
    Fixer(
        "cargo",
        ("check", "build"),
        becomes="fix",
        add=("--allow-dirty", "--allow-staged", "--offline"),
        drop=("--offline",),
        signs=("Cargo.toml",),
        says=r"`cargo fix\b",
    ),
    # others
    Fixer("shfmt", drop=("-d", "--diff", "-l", "--list"), add=("-w",), signs=(".editorconfig",)),
    Fixer("clang-format", drop=("--dry-run", "-n", "-Werror", "--Werror", "-i"), add=("-i",), signs=(".clang-format",)),
    Fixer("terraform", ("fmt",), drop=("-check", "-diff", "-check=true"), signs=(".terraform.lock.hcl", "main.tf")),
    Fixer("codespell", drop=("-w",), add=("-w",), signs=(".codespellrc", f"{_PYPROJECT}codespell")),
    Fixer("typos", drop=("-w", "--diff"), add=("-w",), signs=("typos.toml", "_typos.toml", ".typos.toml")),
    Fixer("rubocop", drop=("-a", "-A", "--autocorrect"), add=("-a",), signs=(".rubocop.yml",)),
    # it mends while it looks, and what a check changes is put back
    Fixer("pre-commit", ("run",), signs=(".pre-commit-config.yaml",)),
    # lock files: made again from what is installed or cached, never from the network
    Fixer("uv", ("lock",), drop=("--check", "--locked", "--offline"), add=("--offline",), signs=("uv.lock",)),
    Fixer("uv", ("sync",), becomes="lock", cut="*", add=("--offline",), says=r"lockfile .*needs to be updated"),
    Fixer(
        "cargo",
        ("build", "check", "test", "clippy", "metadata"),
        becomes="update",
        cut="*",
        add=("--workspace", "--offline"),
        says=r"(?i)lock file .*needs to be updated|cannot update the lock file",
    ),
    Fixer(
        "npm",
        ("ci",),
        becomes="install",
        cut="*",
        add=("--package-lock-only", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"),
        says=r"package-lock\.json.* in sync",
    ),
    Fixer(
        "pnpm",
        ("install", "i"),
        becomes="install",
        cut="*",
        add=("--lockfile-only", "--offline", "--ignore-scripts"),
        says=r"ERR_PNPM_OUTDATED_LOCKFILE",
    ),
    Fixer("go", ("mod",), becomes="mod tidy", cut="*", says=r"(?s)go\.(mod|sum)"),
    Fixer(
        "go",
        ("build", "vet", "test"),
        becomes="mod tidy",
        cut="*",
        says=r"updates to go\.(mod|sum) needed|missing go\.sum entry",
    ),
    # snapshots: what a test expects becomes what the code does, so only where the owner's own words ask for it
    Fixer("jest", drop=("--ci", "-u"), add=("-u",), says=r"(?i)snapshot", asked=True, patterns=True),
    Fixer("vitest", drop=("-u",), add=("-u",), says=r"(?i)snapshot", asked=True, patterns=True),
    Fixer("pytest", drop=("--snapshot-update",), add=("--snapshot-update",), says=r"(?i)snapshot", asked=True, patterns=True),
)

SNAPSHOTS = (
    r"(?is)\bsnapshots?\b.{0,60}\b(?:updat|refresh|regenerat|renew|current|up to date)"
    r"|\b(?:updat|refresh|regenerat|renew)\w*\b.{0,60}\bsnapshots?\b"
)
"""The owner's words for it, in a goal's own line."""

OFFLINE = {
    "CARGO_NET_OFFLINE": "true",
    "GOFLAGS": "-mod=mod",
    "GOPROXY": "off",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INDEX": "1",
    "UV_OFFLINE": "1",
    "npm_config_offline": "true",
    "npm_config_yes": "false",
}
"""A fixer mends what is there; it fetches and installs nothing, also where the sandbox can't keep it from the network."""
