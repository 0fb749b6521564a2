#!/bin/bash
# Installs the Debian packages of the named groups of packages.txt, if any is missing.
#
#   scripts/setup.sh GROUP...
#
# With nothing missing it only asks dpkg: no network, no root, no time. Needs nothing that a minimal Debian
# does not have. Set TREATY_NO_INSTALL=1 to be told what is missing instead.
set -u
cd "$(dirname "$0")/.." || exit 1

fail() {
    echo "setup: $*" >&2
    exit 1
}

# The packages of the groups given as arguments, one per line.
packages_of() {
    local line group=
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%%#*}
        line=${line//[[:space:]]/}
        case $line in
        '') ;;
        '['*']') group=${line#[} group=${group%]} ;;
        *) case " $* " in *" $group "*) echo "$line" ;; esac ;;
        esac
    done <packages.txt
}

missing_of() {
    local package
    for package in "$@"; do
        # Node.js from elsewhere has npm in its own package, and Debian's would replace it.
        [ "$package" = npm ] && command -v npm >/dev/null && continue
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

[ $# -gt 0 ] || fail "name the groups of packages.txt to install"
command -v dpkg-query >/dev/null || fail "this is not a Debian system; install by hand what packages.txt lists"
wanted=$(packages_of "$@")
[ -n "$wanted" ] || fail "packages.txt has no group '$*'"
# shellcheck disable=SC2086  # package names have no blanks
missing=$(missing_of $wanted | tr '\n' ' ')
[ -n "$missing" ] || exit 0

[ -z "${TREATY_NO_INSTALL:-}" ] || fail "missing packages: $missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing and need root to install: $missing"
    as_root=sudo
fi

log=$(mktemp) || fail "cannot create a temporary file"
trap 'rm -f "$log"' EXIT
# Runs apt-get quietly; what it said is kept for the case that it fails.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1
}
# shellcheck disable=SC2086
install() { apt install -y --no-install-recommends $missing; }

echo "setup: installing $missing"
# The package lists of this machine may be good enough; they are fetched only when they are not. A new machine may be busy
# updating itself, and a registry may be out of reach for a moment: some patience.
for pause in 5 15 30 0; do
    install && break
    echo "setup: fetching the package lists"
    if apt update; then
        install && break
        why="apt-get could not install: $missing"
    else
        why="apt-get update failed: is the package registry reachable?"
    fi
    [ "$pause" -gt 0 ] || { cat "$log" >&2; fail "$why"; }
    sleep "$pause"
done
# shellcheck disable=SC2086
missing=$(missing_of $wanted | tr '\n' ' ')
[ -z "$missing" ] || fail "still missing after installing: $missing"
