#!/usr/bin/env bash
# Appends a row to the ledger and prints it. usage: --cycle N --target T --result R [--help for more]
# A door to `ao script log-cycle`: the `ao` beside this file (a link to it may lie anywhere), else the one on PATH.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
ao=$here/ao
[ -x "$ao" ] && [ -f "$here/environment.sh" ] || ao=$(command -v ao) || {
    printf '%s\n' "$(basename -- "$0"): there is no \`ao\` beside this script or on PATH" "  → pip install agentops-evolve" >&2
    exit 1
}
exec "$ao" script log-cycle "$@"
