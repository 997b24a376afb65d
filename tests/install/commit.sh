#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commit of dnnl_version()->hash: of a checkout of any kind, of an archive, of the caller's choice, else N/A.
#
#   tests/install/commit.sh SOURCE_FOLDER CMAKE FOLDER
set -uo pipefail
source=$1 cmake=$2 folder=$3
command -v git >/dev/null || { echo "skipped: no git here"; exit 0; }
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
failed=0
fail() { echo "commit: $*" >&2; failed=1; }
unset GIT_DIR GIT_WORK_TREE
git() { command git -c user.name=test -c user.email=test@example.com -c init.defaultBranch=main "$@"; }

sources() { # FOLDER: of what the version is made of
    mkdir -p "$1/include/oneapi/dnnl"
    cp -r "$source/cmake" "$1"
    cp "$source"/include/oneapi/dnnl/dnnl_{tessera,version}.h "$1/include/oneapi/dnnl"
    [ ! -e "$source/.gitattributes" ] || cp "$source/.gitattributes" "$1"
    cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(version NONE)
include(cmake/version.cmake)
message(STATUS "commit ${tessera_commit}.")
END
}
tells() { # COMMIT FOLDER [OPTION...]
    local wanted=$1 answer
    answer=$("$cmake" -S "$2" -B build "${@:3}" 2>&1)
    grep -qxF -- "-- commit $wanted." <<<"$answer" || fail "$2 ${*:3}: not $wanted but $(grep -e commit -e COMMIT <<<"$answer")"
    rm -rf build
}

sources none
tells N/A none
sources checkout
git -C checkout init -q
tells N/A checkout # no commit yet
git -C checkout add -A
git -C checkout commit -qm first
git -C checkout commit -qm second --allow-empty
head=$(git -C checkout rev-parse HEAD)
tells "$head" checkout
echo "# changed" >>checkout/CMakeLists.txt
tells "$head" checkout
git -C checkout checkout -q CMakeLists.txt
# As in a hook of another repository.
git init -q other && git -C other commit -qm other --allow-empty
GIT_DIR=$PWD/other/.git tells "$head" checkout
GIT_DIR=/nowhere GIT_WORK_TREE=/nowhere tells "$head" checkout
git clone -q --depth 1 "file://$PWD/checkout" shallow
tells "$head" shallow
git -C checkout worktree add -q ../tree
tells "$head" tree
git -C checkout checkout -q --detach HEAD~1
tells "$(git -C checkout rev-parse HEAD)" checkout
sources checkout/inside # another project's repository
tells N/A checkout/inside
mkdir archive
git -C tree archive HEAD | tar -x -C archive
[ ! -e "$source/.gitattributes" ] || tells "$head" archive
sources broken
echo "gitdir: /nowhere" >broken/.git
tells N/A broken
tells 1.2-3+debian checkout -DTESSERA_COMMIT=1.2-3+debian
answer=$("$cmake" -S none -B build '-DTESSERA_COMMIT=a "b" $c' 2>&1) && fail "quotes are taken"
grep -q "letters, digits and" <<<"$answer" || fail "quotes: $answer"

cd / && rm -rf "$folder"
exit $failed
