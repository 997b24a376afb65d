#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed tree: the names a loader, a linker, pkg-config and CMake look for, and nothing that points back to the
# build folder.
#
#   tests/install/tree.sh PREFIX SOURCE_FOLDER SHARED|STATIC [NAME [FILE...]]    (FILE: must be there, too)
set -euo pipefail
source=$2 type=$3 name=${4:-dnnl}
cd "$1"
fail() { echo "install: $*" >&2; exit 1; }

if [ "$type" = SHARED ]; then
    library=$(find . -name "lib$name.so.3.13" -type f)
    [ -n "$library" ] || fail "no lib$name.so.3.13 under $1"
    folder=$(dirname "$library")
    [ "$(readlink "$folder/lib$name.so.3")" = "lib$name.so.3.13" ] || fail "lib$name.so.3 is not a link to lib$name.so.3.13"
    [ "$(readlink "$folder/lib$name.so")" = "lib$name.so.3" ] || fail "lib$name.so is not a link to lib$name.so.3"
    grep -q "SONAME *lib$name.so.3\$" <<<"$(objdump -p "$library")" || fail "the soname is not lib$name.so.3"
else
    library=$(find . -name "lib$name.a" -type f)
    [ -n "$library" ] || fail "no lib$name.a under $1"
    folder=$(dirname "$library")
    [ -z "$(find . -name '*.so*')" ] || fail "a shared library beside lib$name.a"
    if grep -q " T fmt::v" <<<"$(nm -gC --defined-only "$library" 2>/dev/null)"; then
        fail "the functions of fmt have names that clash with another fmt of the program's"
    fi
fi

for file in include/dnnl.h include/dnnl.hpp include/oneapi/dnnl/dnnl.h include/oneapi/dnnl/dnnl.hpp \
            include/oneapi/dnnl/dnnl_config.h share/doc/libtessera/{copyright,THIRD-PARTY.txt} share/doc/libtessera-dev/copyright \
            "$folder/cmake/$name/$name-config.cmake" "$folder/pkgconfig/$name.pc" "${@:5}"; do
    [ -f "$file" ] || fail "no $file"
done
if [ -f bin/tessera ]; then bin/tessera --help >/dev/null || fail "bin/tessera --help fails"; fi
# One header per source header, the generated one included.
expected=$(cd "$source/include" && find . -type f | sed 's/dnnl_config\.h\.in$/dnnl_config.h/' | sort)
[ "$expected" = "$(cd include && find . -type f | sort)" ] || fail "installed headers differ from those of the source"
if grep -rIl "$source" . ; then fail "the files above name the source folder"; fi
