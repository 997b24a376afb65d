#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources on the systems that people have: builds, quick tests and packages in folders made by debootstrap.
#
#   tools/distros/run.sh FOLDER [SUITE...]       as root; suites: bookworm trixie jammy (all, without an argument)
#   ONLY="gcc-14 packages new-user" ...          these compilers, the packages, or the two commands of the first page
#
# Each suite has the compilers and libraries of its table row. A compiler passes when library and program compile and their
# quick tests pass. The packages are made by the suite's own c++, installed in a second folder that never saw the sources, and
# a C and a C++ program are built against them there. The two commands and the first program run in another, as on the first
# day of a user (half an hour). A folder of a suite is made once (a minute or two and a gigabyte).
set -uo pipefail
cd "$(dirname "$0")/../.."
out=${1:?"usage: tools/distros/run.sh FOLDER [SUITE...]"}
shift
[ "$(id -u)" -eq 0 ] || { echo "distros: folders of systems are made by root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "distros: no debootstrap; as root: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$out/logs" && out=$(cd "$out" && pwd) || exit 1

# suite, mirror, compilers. Debian 12: fmt 9, CMake 3.25; Debian 13: fmt 10, CMake 3.31; Ubuntu 22.04: fmt 8, CMake 3.22.
table=(
    "bookworm|http://deb.debian.org/debian|gcc-11 gcc-12 clang-14 clang-16"
    "trixie|http://deb.debian.org/debian|gcc-13 gcc-14 clang-17 clang-18"
    "jammy|http://archive.ubuntu.com/ubuntu|gcc-11 gcc-12 clang-14"
)
packages=(make cmake ninja-build pkgconf python3 libfmt-dev libexpected-dev libcli11-dev libtbb-dev libgtest-dev
          opencl-c-headers libxbyak-dev libzydis-dev libzycore-dev g++ dpkg-dev file)

# inside ROOT COMMAND...: in a folder, with the file systems that programs expect; nothing stays mounted
inside() {
    unshare --mount --pid --fork bash -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && exec chroot "$@"' \
        inside "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive JOBS="${JOBS:-$(nproc)}" "${@:2}"
}

# A suite as it is when new, as FOLDER/SUITE-new.
make_new_folder() {
    local suite=$1 mirror=$2 keyring=()
    [ -f "$out/$suite-new/ready" ] && return
    if [ "$suite" = jammy ]; then # Debian 13 knows Ubuntu's keys
        make_new_folder trixie http://deb.debian.org/debian || return
        inside "$out/trixie-new" bash -c "apt-get update -qq && cd /var/cache && apt-get download -qq ubuntu-keyring" || return
        rm -rf "$out/keys" && dpkg-deb -x "$out"/trixie-new/var/cache/ubuntu-keyring*.deb "$out/keys" || return
        keyring=(--keyring="$out/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg" --components=main,universe)
    fi
    rm -rf "$out/$suite-new"
    debootstrap --variant=minbase "${keyring[@]}" "$suite" "$out/$suite-new" "$mirror" || return
    # Ubuntu 22.04 came with a snapshot of GCC 12, whose <atomic> Clang 14 does not compile; its updates have GCC 12.3.
    [ "$suite" != jammy ] || echo "deb $mirror jammy-updates main universe" >>"$out/$suite-new/etc/apt/sources.list"
    cp /etc/resolv.conf "$out/$suite-new/etc/"
    touch "$out/$suite-new/ready"
}

# And one with what builds need, as FOLDER/SUITE.
make_folder() {
    local suite=$1 mirror=$2 compilers=$3 wanted=("${packages[@]}") compiler
    make_new_folder "$suite" "$mirror" || return
    for compiler in $compilers; do
        case $compiler in
        gcc-*) wanted+=("g++-${compiler#gcc-}") ;;
        clang-*) wanted+=("$compiler") ;;
        esac
    done
    # An older folder gets what the table has now.
    [ "$(cat "$out/$suite/ready" 2>/dev/null)" != "${wanted[*]}" ] || return 0
    [ -d "$out/$suite" ] || { rm -rf "$out/part" && cp -a "$out/$suite-new" "$out/part" && mv "$out/part" "$out/$suite"; } || return
    rm -f "$out/$suite/ready"
    inside "$out/$suite" apt-get update -qq &&
        inside "$out/$suite" apt-get install -y -qq --no-install-recommends "${wanted[@]}" && echo "${wanted[*]}" >"$out/$suite/ready"
}

# The sources, uncommitted changes included, as /source of a suite.
copy_sources() {
    rm -rf "$out/$1/source" && mkdir "$out/$1/source"
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done |
        tar --null -T - -c | tar -x -C "$out/$1/source"
}

results=() failed=0
# step SUITE NAME COMMAND...: its output in a log; a line of the table
step() {
    local suite=$1 name=$2 start=$SECONDS log=$out/logs/$1-$2.log result=passed note
    if ! "${@:3}" >"$log" 2>&1; then
        result=FAILED failed=1
        tail -n 25 "$log" | sed 's/^/    /'
    fi
    note=$(sed -n 's/^note: //p' "$log" | tail -n 1)
    results+=("$(printf '%-9s %-9s %-7s %5d s  %s' "$suite" "$name" "$result" $((SECONDS - start)) "$note")")
    echo "${results[-1]}"
}

try_packages() { # made in the folder of a suite, used in one that is new
    local suite=$1 fresh=$out/$1-fresh
    inside "$out/$suite" /source/tools/distros/in_suite.sh packages || return
    rm -rf "$fresh" && cp -a "$out/$suite-new" "$fresh" && mkdir "$fresh/packages" &&
        cp "$out/$suite"/build/packages/*.deb "$out/$suite"/source/tests/install/c_consumer.c "$fresh/packages/" &&
        cp -r "$out/$suite/source/tests/install/cpp_consumer" "$out/$suite/source/tools/distros/use_packages.sh" "$fresh/packages/" || return
    inside "$fresh" /packages/use_packages.sh && rm -rf "$fresh"
}

try_commands() { # in one that is new
    local fresh=$out/$1-fresh
    rm -rf "$fresh" && cp -a "$out/$1-new" "$fresh" && cp -a "$out/$1/source" "$fresh/source" || return
    inside "$fresh" /source/tools/distros/new_user.sh && rm -rf "$fresh"
}

{ # Read as a whole before it runs, since it runs for hours, in which this file may change.
for row in "${table[@]}"; do
    IFS='|' read -r suite mirror compilers <<<"$row"
    if [ $# -gt 0 ] && [[ " $* " != *" $suite "* ]]; then continue; fi
    step "$suite" folder make_folder "$suite" "$mirror" "$compilers"
    [ -f "$out/$suite/ready" ] || continue
    copy_sources "$suite"
    steps="$compilers packages"
    [ "$suite" = jammy ] || steps+=" new-user" # the two commands are promised for Debian 12 and 13
    for name in $steps; do
        if [ -n "${ONLY:-}" ] && [[ " $ONLY " != *" $name "* ]]; then continue; fi
        if [ "$name" = packages ]; then
            step "$suite" packages try_packages "$suite"
        elif [ "$name" = new-user ]; then
            step "$suite" new-user try_commands "$suite"
        else
            step "$suite" "$name" inside "$out/$suite" /source/tools/distros/in_suite.sh "$name"
        fi
    done
done
echo
printf '%s\n' "${results[@]}"
exit $failed
}
