#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sources as a subdirectory of a project: it builds and runs, and its tests and installation hold the library alone.
#
#   tests/install/subdirectory.sh SOURCE TREE FOLDER CXX [OPTION...]
set -euo pipefail
source=$1 tree=$2 folder=$3 cxx=$4
shift 4
fail() { echo "subdirectory: $*" >&2; exit 1; }
rm -rf "$folder" && mkdir -p "$folder"
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "$* fails"; }; }

quietly cmake -G Ninja -S "$source/tests/install/subdirectory_consumer" -B "$folder/build" -DSOURCE="$source" \
    -DCMAKE_CXX_COMPILER="$cxx" -DTESSERA_OBJECTS="$tree/objects.cmake" "$@"
quietly cmake --build "$folder/build"
"$folder/build/subdirectory_consumer"
grep -q "^Total Tests: 0$" <<<"$(ctest --test-dir "$folder/build" -N)" || fail "it brings tests"

quietly cmake --install "$folder/build" --prefix "$folder/runtime" --component dnnl_runtime
quietly cmake --install "$folder/build" --prefix "$folder/development" --component dnnl_development
files=$(cd "$folder/runtime" && find . -type f ! -path './share/doc/libtessera/*')
[ -z "$files" ] || fail "the component dnnl_runtime of a static library holds: $files"
for file in libdnnl.a dnnl-config.cmake dnnl.pc dnnl.hpp; do
    [ -n "$(find "$folder/development" -name $file)" ] || fail "the component dnnl_development has no $file"
done
rm -rf "$folder"
