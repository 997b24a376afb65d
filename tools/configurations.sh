#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the configurations that the default build does not compile, library and program, and runs their quick tests.
#
#   tools/configurations.sh                 all, one after the other: `make configurations`
#   tools/configurations.sh clang sycl      these
#   tools/configurations.sh --turn N        the N-th of them, counted in turn: some minutes
#
# What cannot be had here (a download, a compiler) is skipped with a line that says so; that is no failure. Compiled
# without optimization: what differs between configurations is seen by the front end of the compiler and by the linker,
# and the quick tests take seconds either way.
set -uo pipefail
cd "$(dirname "$0")/.."

anew=(sycl clang apart portable no-devices fmt-stable fmt-testing fmt-experimental docs aarch64)
linked=(sequential tbb threadpool static)
tests=(api_runtime_test api_memory_test api_specification_samples_test)
lines=(shuffle prelu)
jobs=${JOBS:-$(nproc)}

# The options of a configuration, in `options`. 1: it cannot be had here, for the reason that was printed.
options_of() {
    local fmt
    case $1 in
    sycl) tools/sycl/install.sh build/sycl-rt && options=(--preset sycl) ;;
    clang)
        tools/deps.sh clang-14 libomp-14-dev clang && options=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
            -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTESSERA_TOGETHER=OFF) ;;
    apart) options=(-DTESSERA_TOGETHER=OFF) ;;
    portable) options=(-DTESSERA_KERNELS=OFF) ;;
    docs) make -n docs | sed -n 's/^tools\/deps.sh //p' | xargs tools/deps.sh ;;
    aarch64) tools/deps.sh g++-aarch64-linux-gnu qemu-user && command -v qemu-aarch64 aarch64-linux-gnu-g++ ;;
    no-devices) options=(-DONEDNN_GPU_RUNTIME=NONE) ;;
    fmt-*) fmt=$(tools/fmt/install.sh "${1#fmt-}" | tail -n 1) && options=(-Dfmt_DIR="$fmt") ;;
    sequential | tbb | threadpool | static) # the objects of the default build: they are the same for all (decision 002)
        [ -f build/objects.cmake ] && cmake --build build -j "$jobs" --target dnnl || make build || return 1
        options=(-DTESSERA_OBJECTS="$PWD/build/objects.cmake") ;;&
    sequential) options+=(-DONEDNN_CPU_RUNTIME=SEQ) ;;
    tbb) options+=(-DONEDNN_CPU_RUNTIME=TBB) ;;
    threadpool) options+=(-DONEDNN_CPU_RUNTIME=THREADPOOL) ;;
    static) options+=(-DONEDNN_LIBRARY_TYPE=STATIC) ;;
    esac
}

build_and_test() {
    local name=$1 folder=build/configurations/$1 options=("${@:2}") set
    if [ "$name" = docs ]; then # the site, not the library
        tools/docs/build.sh
        return
    fi
    if [ "$name" = aarch64 ]; then # another processor
        JOBS=$jobs tests/aarch64/run.sh
        return
    fi
    if [ "$name" = sycl ]; then
        cmake "${options[@]}" && cmake --build build/sycl -j "$jobs" --target sycl_tests \
            && ctest --test-dir build/sycl -j "$jobs" -L sycl --output-on-failure
        return
    fi
    cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=None -DONEDNN_WERROR=ON -DONEDNN_BUILD_EXAMPLES=OFF -DTESSERA_BENCH=OFF \
        "${options[@]}" || return
    cmake --build "$folder" -j "$jobs" --target dnnl tessera_cli "${tests[@]}" || return
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure -R "^($(IFS='|'; echo "${tests[*]}"))\$" || return
    for set in "${lines[@]}"; do "$folder/tessera" run -q -f "tests/inputs/$set.txt" || return; done
}

if [ "${1:-}" = --turn ]; then
    set -- "${anew[@]}" "${linked[@]}" "$2"
    set -- "${@:$((${!#} % ($# - 1) + 1)):1}"
elif [ $# -eq 0 ]; then
    set -- "${anew[@]}" "${linked[@]}"
fi
mkdir -p build/configurations
passed=() skipped=() failed=()
for name in "$@"; do
    if [[ " ${anew[*]} ${linked[*]} " != *" $name "* ]]; then
        echo "configurations: no '$name'; there are ${anew[*]} ${linked[*]}" >&2
        exit 2
    fi
    start=$SECONDS log=build/configurations/$name.log options=()
    if ! options_of "$name" >"$log" 2>&1; then
        echo "configurations: $name SKIPPED, it cannot be had here:"
        tail -n 3 "$log" | sed 's/^/    /'
        skipped+=("$name")
    elif build_and_test "$name" "${options[@]}" >>"$log" 2>&1; then
        echo "configurations: $name passed in $((SECONDS - start)) s"
        passed+=("$name")
    else
        echo "configurations: $name FAILED; the end of $log:"
        tail -n 60 "$log" | sed 's/^/    /'
        failed+=("$name")
    fi
done
echo "configurations: passed ${passed[*]:-none}, skipped ${skipped[*]:-none}, failed ${failed[*]:-none}"
[ ${#failed[@]} -eq 0 ]
