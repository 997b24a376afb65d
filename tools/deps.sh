#!/usr/bin/env bash
# Installs the named Debian packages that are missing, and touches nothing when none is.
#
#   tools/deps.sh g++ cmake ...
#
# Uses sudo when not root. Where there is no dpkg it names the packages and goes on: the build says what it misses.
set -euo pipefail

if ! command -v dpkg-query >/dev/null; then
    echo "deps: not a Debian system; needed, under your system's names: $*" >&2
    exit 0
fi
missing=()
for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "deps: as root: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
