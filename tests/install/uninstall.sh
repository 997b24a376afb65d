#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What was installed is removed, and nothing else.
#
#   tests/install/uninstall.sh BUILD FOLDER
set -euo pipefail
rm -rf "$2" && mkdir -p "$2/lib/cmake/dnnl" && echo mine >"$2/lib/cmake/dnnl/mine.cmake"
cmake --install "$1" --prefix "$2" >/dev/null
[ -e "$2/include/oneapi/dnnl/dnnl.h" ] || { echo "uninstall: nothing was installed" >&2; exit 1; }
cmake --build "$1" --target uninstall >/dev/null
left=$(cd "$2" && find . -type f -o -type l)
[ "$left" = ./lib/cmake/dnnl/mine.cmake ] || { echo "uninstall: left are: $left" >&2; exit 1; }
[ ! -e "$2/include/oneapi" ] || { echo "uninstall: empty folders are left" >&2; exit 1; }
if cmake --build "$1" --target uninstall >/dev/null 2>&1; then echo "uninstall: twice" >&2; exit 1; fi
rm -rf "$2"
