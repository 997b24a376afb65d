#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A build as users make it, in a folder of its own: options, build, install, then a C program by pkg-config and a C++
# program by find_package with components. The objects that are the same in every build come from the tree that runs
# this test, so that configuring takes most of the time.
#
#   tests/install/variant.sh SOURCE TREE FOLDER CC CXX RUNTIME TYPE NAME [OPTION...]    ($CFLAGS: options of sanitizers)
set -euo pipefail
source=$1 tree=$2 folder=$3 cc=$4 cxx=$5 runtime=$6 type=$7 name=$8
shift 8
here=$source/tests/install
rm -rf "$folder" && mkdir -p "$folder"
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; echo "variant: $* fails" >&2; exit 1; }; }

quietly cmake -G Ninja -S "$source" -B "$folder/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DTESSERA_OBJECTS="$tree/objects.cmake" -DONEDNN_CPU_RUNTIME="$runtime" -DDNNL_LIBRARY_TYPE="$type" \
    -DONEDNN_LIBRARY_NAME="$name" -DONEDNN_BUILD_TESTS=OFF -DONEDNN_BUILD_EXAMPLES=OFF -DTESSERA_BENCH=OFF "$@"
quietly cmake --build "$folder/build" --target "$name"
# Flags for the compiler reach what is compiled here.
for option in "$@"; do
    case $option in
    -DONEDNN_ARCH_OPT_FLAGS=*)
        grep -qF -- " ${option#*=} " "$folder/build/compile_commands.json" || { echo "variant: $option is lost" >&2; exit 1; } ;;
    esac
done
quietly cmake --install "$folder/build" --prefix "$folder/prefix" # the library alone was built
"$here/tree.sh" "$folder/prefix" "$source" "$type" "$name"
"$here/c_consumer.sh" "$folder/prefix" "$cc" "$folder" "$name"

if [ "$name" = dnnl ]; then
    quietly cmake -S "$here/components" -B "$folder/components" -DCMAKE_PREFIX_PATH="$folder/prefix" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DRUNTIME="$runtime" -DTYPE="$type"
fi
quietly cmake -G Ninja -S "$here/cpp_consumer" -B "$folder/cpp" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DLIBRARY="$name" -DWANTED="$runtime;$type"
quietly cmake --build "$folder/cpp"
"$folder/cpp/cpp_consumer"
linked=$(ldd "$folder/cpp/cpp_consumer")
if [ "$type" = STATIC ] && grep -q "lib$name\.so" <<<"$linked"; then echo "variant: linked lib$name.so" >&2; exit 1; fi
case $runtime in
TBB) grep -q libtbb <<<"$linked" || { echo "variant: TBB without libtbb" >&2; exit 1; } ;;
SEQ | THREADPOOL)
    if grep -qE "libtbb|libg?omp" <<<"$linked"; then echo "variant: $runtime with threads of another" >&2; exit 1; fi ;;
esac
rm -rf "$folder"
