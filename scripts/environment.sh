# Sourced by scripts/ao and scripts/test: one virtual environment beside the checkout, made once, kept current.
# shellcheck shell=bash

# The checkout, whatever link the script was called by.
checkout=$(cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
venv=$checkout/.venv

say() { printf '%s\n' "$*" >&2; }

find_python() {
    local each
    for each in "${AO_PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        if [ -n "$each" ] && "$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v -- "$each"
            return
        fi
    done
    say "ao: no Python 3.11 or newer was found"
    say "  → install python3 (with its venv module), or name one: AO_PYTHON=/path/to/python3 $0"
    return 7
}

# What must be equal for an installation to be current: what is wanted, the pins, and where the checkout lies
# (an editable install points there).
wanted() { { cat -- "$checkout/pyproject.toml" "$checkout/constraints.txt"; printf '%s\n' "$checkout" "$1"; } | cksum; }

install() {
    local python extra=$1 target=$checkout
    if ! "$venv/bin/python" -c '' 2>/dev/null; then
        python=$(find_python) || return
        say "ao: making a virtual environment in $venv (once)"
        "$python" -m venv --clear "$venv" || {
            say "ao: $python could not make a virtual environment"
            say "  → install its venv module (Debian, Ubuntu: apt-get install python3-venv) and run this again"
            return 7
        }
    fi
    [ -z "$extra" ] || target="${checkout}[$extra]"
    say "ao: installing into $venv"
    # Two steps without build isolation: whatever is there already is used, and no network is needed for it.
    "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --no-input \
        --constraint "$checkout/constraints.txt" hatchling editables >&2 &&
        "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --no-input \
            --constraint "$checkout/constraints.txt" --no-build-isolation --editable "$target" >&2 || {
        say "ao: the installation did not finish"
        say "  → pip said why above; it needs a package index once, then works offline"
        return 7
    }
}

current() { [ -x "$venv/bin/ao" ] && [ "$(cat -- "$venv/.installed-${1:-run}" 2>/dev/null)" = "$(wanted "$1")" ]; }

# ensure_environment EXTRA: EXTRA is empty or `dev`; `dev` holds everything that the empty one needs.
ensure_environment() {
    local extra=$1
    if current "$extra" || current dev; then
        return 0
    fi
    # Two first calls at once must not install over each other; the lock goes with the process.
    mkdir -p -- "$venv"
    exec 9<"$venv"
    ! command -v flock >/dev/null || flock 9
    if ! current "$extra"; then
        install "$extra" || return
        wanted "$extra" >"$venv/.installed-${extra:-run}"
    fi
    exec 9<&-
}
