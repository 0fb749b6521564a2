#!/bin/bash
# Checks the Debian package: what is in it, what it depends on, and that it installs and runs on a Debian that has nothing else.
#
#   scripts/check_deb.sh PACKAGE.deb [MIRROR]
#
# As root with debootstrap, a minimal Debian 12 is made in a temporary folder, the package is installed there with apt, and the
# program is run in it. Otherwise the package is only unpacked: every library that the program needs must belong to a package that it
# depends on. The last line says which of the two was done.
set -euo pipefail
package=$(realpath "$1")
mirror=${2:-http://deb.debian.org/debian}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "deb: $*" >&2
    exit 1
}

contents() {
    dpkg-deb -x "$package" "$folder/files"
    local file
    for file in usr/bin/treaty usr/share/man/man1/treaty.1 usr/share/bash-completion/completions/treaty \
        usr/share/zsh/vendor-completions/_treaty usr/share/fish/vendor_completions.d/treaty.fish \
        usr/share/doc/treaty/README.md usr/share/doc/treaty/docs/language.md \
        usr/share/doc/treaty/examples/withdraw/withdraw.treaty; do
        [ -e "$folder/files/$file" ] || fail "the package has no $file"
    done
    if find "$folder/files" -name '*.a' -o -name '*.h' -path '*/include/*' | grep -q .; then fail "the library is in the package"; fi
    dpkg-deb -f "$package" Depends | grep -q libc6 || fail "the package does not depend on libc6"
}

# Every library that the program is linked with comes with one of the packages it depends on, or with one of theirs.
dependencies() {
    local library owner depends
    depends=$(dpkg-deb -f "$package" Depends | tr ',' '\n' | sed 's/^ *//;s/ .*//')
    for library in $(objdump -p "$folder/files/usr/bin/treaty" | awk '$1 == "NEEDED" {print $2}'); do
        owner=$(dpkg -S "*/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/$library" 2>/dev/null | head -1 | cut -d: -f1)
        [ -n "$owner" ] || fail "no package has $library"
        dpkg-deb -f "$package" Depends | grep -qw -- "$owner" || fail "the package does not depend on $owner, which has $library"
    done
    echo "deb: depends on" $depends
}

# Runs the program as `treaty`, by whatever command comes first.
runs() {
    local doc=/usr/share/doc/treaty
    "$@" treaty --version | grep -q '^treaty [0-9]' || fail "treaty --version does not work"
    "$@" treaty check $doc/examples/withdraw/withdraw.treaty | grep -q '^holds' || fail "treaty check does not work"
    "$@" treaty show $doc/examples/withdraw/withdraw.treaty --as graph -o /graph.svg >/dev/null || fail "treaty show does not work"
    "$@" grep -q '<svg' /graph.svg || fail "treaty show wrote no picture"
    "$@" treaty conform $doc/examples/withdraw/withdraw.treaty $doc/examples/withdraw/withdraw.treaty | grep -q '^holds' ||
        fail "treaty conform does not work"
}

clean_system() {
    local root=$folder/root
    debootstrap --variant=minbase bookworm "$root" "$mirror" >"$folder/log" 2>&1 || return 1
    cp "$package" "$root/treaty.deb"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends /treaty.deb >"$folder/log" 2>&1 ||
        { cat "$folder/log" >&2; fail "the package cannot be installed"; }
    runs chroot "$root"
    chroot "$root" apt-get -qq -y remove treaty >"$folder/log" 2>&1 || fail "the package cannot be removed"
    [ ! -e "$root/usr/bin/treaty" ] || fail "removing the package leaves the program"
}

contents
dependencies
if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null; then
    if clean_system; then
        echo "deb: installed, run and removed in a minimal Debian 12"
        exit 0
    fi
    echo "deb: no minimal Debian could be made:" >&2
    tail -3 "$folder/log" >&2
fi
echo "deb: unpacked, and its dependencies checked; to install it in a minimal Debian, run this as root with debootstrap"
