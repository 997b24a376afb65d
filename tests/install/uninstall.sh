#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What was installed is removed, and nothing else: below any prefix, with DESTDIR, by component, and where files are gone
# already.
#
#   tests/install/uninstall.sh BUILD FOLDER
set -euo pipefail
build=$1 folder=$2
fail() { echo "uninstall: $*" >&2; exit 1; }
left() { (cd "$1" && find . -type f -o -type l | sort); }
uninstall() { cmake --build "$build" --target uninstall >/dev/null; }

rm -rf "$folder" && mkdir -p "$folder/lib/cmake/dnnl" && echo mine >"$folder/lib/cmake/dnnl/mine.cmake"
cmake --install "$build" --prefix "$folder" >/dev/null
[ -e "$folder/include/oneapi/dnnl/dnnl.h" ] || fail "nothing was installed"
echo mine >"$folder/include/oneapi/.hidden"
uninstall
[ "$(left "$folder")" = $'./include/oneapi/.hidden\n./lib/cmake/dnnl/mine.cmake' ] || fail "left are: $(left "$folder")"
[ ! -e "$folder/include/oneapi/dnnl" ] || fail "empty folders are left"
if cmake --build "$build" --target uninstall >/dev/null 2>&1; then fail "twice"; fi
rm -rf "$folder"

# A prefix that has the names of folders inside of it, and characters that have a meaning for CMake.
for prefix in "$folder/opt/oneapi/dnnl" "$folder/a b" "$folder/a[b] \$c *"; do
    mkdir -p "$prefix"
    cmake --install "$build" --prefix "$prefix" >/dev/null
    uninstall
    [ -d "$prefix" ] || fail "'$prefix' itself is removed"
    [ -z "$(left "$prefix")" ] || fail "left below '$prefix' are: $(left "$prefix")"
done
# Components that were installed one by one, some files removed by hand.
cmake --install "$build" --prefix "$folder/parts" --component dnnl_runtime >/dev/null
cmake --install "$build" --prefix "$folder/parts" --component dnnl_development >/dev/null
[ -z "$(find "$folder/parts" -name tessera -type f)" ] || fail "the program is no part of these components"
rm -r "$folder/parts/include"
uninstall
[ -z "$(left "$folder/parts")" ] || fail "left of two components are: $(left "$folder/parts")"
# A staged tree: the manifest has the paths behind DESTDIR.
export DESTDIR="$folder/staged tree"
cmake --install "$build" --prefix /usr/local >/dev/null
[ -e "$DESTDIR/usr/local/include/dnnl.h" ] || fail "nothing was staged"
uninstall
[ -z "$(left "$DESTDIR")" ] || fail "left of the staged tree are: $(left "$DESTDIR")"
rm -rf "$folder"
