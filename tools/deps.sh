#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sees that the named Debian packages are installed, and touches nothing when they are.
#
#   tools/deps.sh g++ cmake ...
#
# As root it says what it installs, and installs. Otherwise it asks, where there is a terminal and sudo; INSTALL=yes in
# the environment is the answer yes. Without an answer it names what is missing and goes on: what is needed may be there
# under other names, and the build says what it lacks. Packages that this release does not have are named and left out.
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
    answer=${INSTALL:-}
    if [ -z "$answer" ] && [ -t 0 ] && [ -t 2 ] && command -v sudo >/dev/null; then
        read -r -p "deps: missing ${missing[*]}; install them with sudo? [y/N] " answer
    fi
    if ! [[ $answer =~ ^[yY] ]]; then
        echo "deps: missing, and not installed: ${missing[*]}" >&2
        echo "deps: as root: apt-get install ${missing[*]}" >&2
        exit 0
    fi
    as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
there=()
for package in "${missing[@]}"; do
    # apt-cache also knows the names of virtual packages; only one with a candidate can be installed. Read to its end: a
    # reader that stops at the line kills it, which pipefail takes for its failure.
    policy=$(apt-cache policy "$package" 2>/dev/null || true)
    if grep -q '^  Candidate: [^(]' <<<"$policy"; then
        there+=("$package")
    else
        echo "deps: this release has no $package; what needs it is left out" >&2
    fi
done
[ ${#there[@]} -gt 0 ] || exit 0
echo "deps: installing ${there[*]}"
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${there[@]}" </dev/null >/dev/null # errors are on the other stream
