# Sourced by each part: strict mode, the repository as the current folder, one target folder, and installing tools. Two parts may run at
# once: what both may install goes through `alone`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
# Nothing is built again after an edit in CI: what is kept for that, and lines in backtraces, take a fifth of a debug build.
[ "${CI:-}" != true ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
# Property tests take the same values in each run, so that a commit that has passed passes again. `cargo test` by hand tries others.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-20261130}"

have() { command -v "$1" >/dev/null 2>&1; }

# What cannot be checked here: in CI that is red, on a person's machine a notice (status 77).
cannot() {
    echo "NOT CHECKED: $*"
    [ "${CI:-}" != true ] || exit 1
    exit 77
}

# Runs it while no other part runs another so: two package systems at once refuse, or break.
alone() { if have flock; then flock .ci/common.sh "$@"; else "$@"; fi; }

# Debian packages, as root or by sudo.
apt_install() {
    have apt-get || return 1
    local sudo=
    if [ "$(id -u)" != 0 ]; then
        have sudo || return 1
        sudo="sudo -n"
    fi
    alone $sudo apt-get update -qq &&
        alone $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# A tool from the registry, built without optimisation: it runs for seconds and would take minutes to build. In a folder of its own: in the
# parts' it would wait for their builds.
install_tool() { show env -u CARGO_TARGET_DIR cargo install --locked --debug "$@"; }

# Has `rustup toolchain` this one?
have_toolchain() { have rustup && rustup toolchain list | grep -q "^$1"; }

# Runs it, and shows what.
show() {
    printf '+ %s\n' "$*"
    "$@"
}
