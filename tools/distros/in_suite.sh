#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs in a folder of a suite, where /source holds the sources: builds with one compiler, without optimization (what differs
# between compilers is seen by their front ends and by the linker), and runs the quick tests; or makes the packages.
#
#   in_suite.sh gcc-14|clang-18|packages
set -euo pipefail
name=$1 folder=/build/$1
fmt=$(dpkg-query -W -f '${Version}' libfmt-dev)
versions="fmt ${fmt%%+*}, $(cmake --version | sed -n '1s/.* /CMake /p')"
echo "note: $versions"
rm -rf "$folder" # what another compiler or other sources left

case $name in
packages)
    cmake -G Ninja -S /source -B "$folder" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DONEDNN_BUILD_TESTS=OFF \
        -DONEDNN_BUILD_EXAMPLES=OFF -DTESSERA_BENCH=OFF
    cmake --build "$folder" -j "$JOBS"
    cd "$folder" && rm -f ./*.deb && cpack
    for package in ./*.deb; do
        dpkg-deb --info "$package"
        dpkg-deb --contents "$package"
    done
    exit ;;
gcc-*) cxx=g++-${name#gcc-} ;;
clang-*)
    apt-get install -y -qq --no-install-recommends "libomp-${name#clang-}-dev" # there can be one at a time
    cxx=clang++-${name#clang-}
    ;;
esac
tests=(api_runtime_test api_memory_test api_specification_samples_test)
with_tests=ON
grep -q 'define ZYDIS_VERSION.*0x0004' /usr/include/Zydis/Zydis.h || with_tests=OFF tests=()
# Debian 13's GoogleTest is compiled by GCC 14, and GCC 13 does not link it.
"$cxx" -x c++ - -o /dev/null -lgtest <<<'#include <gtest/gtest.h>
int main(int c, char** v) { testing::InitGoogleTest(&c, v); return RUN_ALL_TESTS(); }' 2>/dev/null || with_tests=OFF tests=()
[ $with_tests = ON ] || echo "note: no tests; $versions"
cmake -G Ninja -S /source -B "$folder" -DCMAKE_BUILD_TYPE=None -DONEDNN_BUILD_TESTS=$with_tests -DTESSERA_BENCH=OFF \
    -DCMAKE_C_COMPILER="$name" -DCMAKE_CXX_COMPILER="$cxx"
cmake --build "$folder" -j "$JOBS" --target dnnl tessera_cli cross_engine "${tests[@]}" -- -k 0 # every error at once
[ ${#tests[@]} -eq 0 ] || ctest --test-dir "$folder" --output-on-failure -R "^($(IFS='|'; echo "${tests[*]}"))\$"
for set in shuffle prelu; do "$folder/tessera" run -q -f "/source/tests/inputs/$set.txt"; done
"$folder/examples/cross_engine"
