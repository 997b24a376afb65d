#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library and the program for another processor: built by the preset `aarch64` in its own folder, where plain C++ runs
# everything, and the problem lines of every primitive on it, under qemu. Of the products, which took as long as all others,
# every fourth line.
#
#   tests/aarch64/run.sh [LINES...]          lines: reorder, matmul ...; those of every primitive without an argument
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=${JOBS:-$(nproc)}
for program in aarch64-linux-gnu-g++ qemu-aarch64; do
    command -v "$program" >/dev/null || { echo "aarch64: no $program; as root: apt-get install g++-aarch64-linux-gnu qemu-user" >&2; exit 1; }
done
cmake --preset aarch64
cmake --build build/aarch64 -j "$jobs" --target dnnl tessera_cli
# With the libraries of the cross compiler.
qemu=(qemu-aarch64 -L /usr/aarch64-linux-gnu)

said=$(ONEDNN_VERBOSE=1 "${qemu[@]}" build/aarch64/tessera run -q "reorder 2x3")
for words in "info,cpu,isa:portable" "exec,cpu,reorder,portable,"; do
    [[ $said == *"$words"* ]] || { echo "aarch64: '$words' is not in: $said" >&2; exit 1; }
done

folder=build/aarch64/lines
rm -rf "$folder" && mkdir "$folder"
if [ $# -eq 0 ]; then
    set -- tests/inputs/*.txt
    set -- "${@##*/}"
    set -- "${@%.txt}"
fi
for name in "$@"; do
    [ "$name" = CMakeLists ] && continue
    every=1
    [ "$name" = matmul ] && every=4
    grep -vE '^(#|$)' "tests/inputs/$name.txt" | awk "NR % $every == 0" >"$folder/$name.txt"
done
ls -S "$folder"/*.txt | xargs -P "$jobs" -I{} sh -c 'result=$("$@" 2>&1) && echo "{}: $result" || { echo "{}: $result"; exit 255; }' \
    sh "${qemu[@]}" build/aarch64/tessera run -q -f {}
