#!/usr/bin/env bash
# The installed tree: the names a loader, a linker, pkg-config and CMake look for, and nothing that points back to the
# build folder.
#
#   tests/install/tree.sh PREFIX SOURCE_FOLDER
set -euo pipefail
cd "$1"
fail() { echo "install: $*" >&2; exit 1; }

library=$(find . -name libdnnl.so.3.13 -type f)
[ -n "$library" ] || fail "no libdnnl.so.3.13 under $1"
folder=$(dirname "$library")
[ "$(readlink "$folder/libdnnl.so.3")" = libdnnl.so.3.13 ] || fail "libdnnl.so.3 is not a link to libdnnl.so.3.13"
[ "$(readlink "$folder/libdnnl.so")" = libdnnl.so.3 ] || fail "libdnnl.so is not a link to libdnnl.so.3"
grep -q 'SONAME *libdnnl.so.3$' <<<"$(objdump -p "$library")" || fail "the soname is not libdnnl.so.3"

for file in bin/tessera include/dnnl.h include/dnnl.hpp include/oneapi/dnnl/dnnl.h include/oneapi/dnnl/dnnl.hpp \
            include/oneapi/dnnl/dnnl_config.h share/doc/tessera/LICENSE \
            "$folder/cmake/dnnl/dnnl-config.cmake" "$folder/pkgconfig/dnnl.pc"; do
    [ -f "$file" ] || fail "no $file"
done
bin/tessera --help >/dev/null || fail "bin/tessera --help fails"
# One header per source header, the generated one included.
expected=$(cd "$2/include" && find . -type f | sed 's/dnnl_config\.h\.in$/dnnl_config.h/' | sort)
[ "$expected" = "$(cd include && find . -type f | sort)" ] || fail "installed headers differ from those of the source"
if grep -rIl "$2" . ; then fail "the files above name the source folder"; fi
