#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks fmt as a suite of Debian has it, for builds that ask whether Tessera compiles with other versions than the
# system's. Nothing is installed: lists and packages stay in the folder.
#
#   tools/fmt/install.sh stable|testing|experimental [DIR]     DIR defaults to build/fmt-SUITE; prints the folder of its
#                                                              CMake package last, for -Dfmt_DIR=...
set -euo pipefail

fail() { echo "fmt: $*" >&2; exit 1; }

suite=${1:?"a suite of Debian: stable, testing, experimental"} dir=${2:-build/fmt-$1}
command -v apt-get >/dev/null || fail "no apt-get: the packages are those of Debian"
mkdir -p "$dir/lists/partial" "$dir/archives/partial" || fail "cannot create '$dir'"
dir=$(cd "$dir" && pwd)
if [ ! -f "$dir/installed" ]; then
    mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
    for part in "$suite" $([ "$suite" = experimental ] && echo unstable); do # what experimental needs is in unstable
        printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$part"
    done >"$dir/sources.list"
    apt=(-qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$dir/lists"
         -o "Dir::Cache=$dir" -o APT::Sandbox::User= -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
    apt-get "${apt[@]}" update >&2 || fail "no lists of packages; is $mirror reachable?"
    grep -q '^Package: libfmt-dev$' < <(apt-cache "${apt[@]}" show libfmt-dev 2>/dev/null) || fail "$suite has no libfmt-dev"
    library=$(apt-cache "${apt[@]}" depends "libfmt-dev/$suite" | sed -n '0,/^ *Depends: libfmt[0-9]/s/^ *Depends: \(libfmt[0-9]*\)$/\1/p')
    (cd "$dir" && apt-get "${apt[@]}" download "libfmt-dev/$suite" "$library/$suite" >&2) || fail "cannot fetch libfmt-dev and $library"
    for package in "$dir"/*.deb; do dpkg-deb -x "$package" "$dir/unpacked"; done
    touch "$dir/installed"
fi
config=$(find "$dir/unpacked" -name fmt-config.cmake)
[ -n "$config" ] || fail "no fmt-config.cmake under $dir; delete that folder and run again"
version=$(cat "$dir"/unpacked/usr/include/fmt/{core,base}.h 2>/dev/null | sed -n "s/^# *define FMT_VERSION //p" || true)
echo "fmt: $suite has version $version" >&2
dirname "$config"
