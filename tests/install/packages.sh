#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages of a build: their names and relations, what they hold, and a C program built against what they unpack.
# The library in them is stripped and at most 5 MB.
#
#   tests/install/packages.sh BUILD SOURCE FOLDER CC [LIMIT]     (LIMIT: bytes of the library; without, any)
set -euo pipefail
build=$1 source=$2 folder=$3 cc=$4 limit=${5:-}
fail() { echo "packages: $*" >&2; exit 1; }
for tool in dpkg-deb dpkg-shlibdeps file; do # CPack calls all three
    command -v $tool >/dev/null || { echo "skipped: no $tool here (Debian: dpkg dpkg-dev file)"; exit 0; }
done
rm -rf "$folder" && mkdir -p "$folder"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder/made" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "cpack fails"; }

field() { dpkg-deb --field "$folder/made/$1"_*.deb "$2"; }
version=$(field libtessera Version)
[ "$(field libtessera Provides)" = "libdnnl3 (= $(sed -n 's/^Version: //p' "$build/dnnl.pc"))" ] || fail "libtessera provides $(field libtessera Provides)"
[ "$(field libtessera Conflicts)" = libdnnl3 ] || fail "libtessera conflicts with $(field libtessera Conflicts)"
[[ $(field libtessera-dev Depends) == *"libtessera (= $version)"* ]] || fail "libtessera-dev depends on $(field libtessera-dev Depends)"
for package in libtessera libtessera-dev tessera-tools; do
    dpkg-deb -x "$folder/made/$package"_*.deb "$folder/$package"
    dpkg-deb -x "$folder/made/$package"_*.deb "$folder/all"
    [ -s "$folder/$package/usr/share/doc/$package/copyright" ] || fail "$package has no copyright"
done
files=$(cd "$folder/libtessera/usr" && find . -type f ! -path './share/doc/*' | wc -l)
[ "$files" = 1 ] || fail "libtessera has $files files beside documents, not the library alone"
library=$(find "$folder/libtessera" -name 'libdnnl.so.3.*' -type f)
bytes=$(stat -c %s "$library")
# Two builds of the same sources in other folders give the same packages.
for file in "$library" "$folder/tessera-tools/usr/bin/tessera"; do
    ! grep -qaF "$source/" "$file" || fail "$(basename "$file") holds paths of $source: $(grep -aoE "$source/[[:print:]]+" "$file" | head -n 1)"
done
[ -z "$limit" ] || [ "$bytes" -le "$limit" ] || fail "the library has $bytes bytes, above $limit"
[ "$("$folder/tessera-tools/usr/bin/tessera" --version)" = "tessera $version, interface of oneDNN $(sed -n 's/^Version: //p' "$build/dnnl.pc")" ] ||
    fail "tessera --version is $("$folder/tessera-tools/usr/bin/tessera" --version)"

"$source/tests/install/tree.sh" "$folder/all/usr" "$source" SHARED
"$source/tests/install/c_consumer.sh" "$folder/all/usr" "$cc" "$folder"
rm -rf "$folder"
