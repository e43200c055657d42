#!/usr/bin/env bash
# Measures the goals into a snapshot file, replaced as one act or left as it is. usage: --output FILE [--help for more]
# A door to `ao script measure-fitness`: the `ao` beside this file (a link to it may lie anywhere), else the one on PATH.
set -euo pipefail
here=$(cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
ao=$here/ao
[ -x "$ao" ] && [ -f "$here/environment.sh" ] || ao=$(command -v ao) || {
    printf '%s\n' "$(basename -- "$0"): there is no \`ao\` beside this script or on PATH" "  → pip install agentops-evolve" >&2
    exit 1
}
exec "$ao" script measure-fitness "$@"
