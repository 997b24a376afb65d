#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Options of a build: those that ask for what there is not stop it before a compiler is looked for, with a sentence that
# names the option, its value and what there is; the others arrive.
#
#   tests/install/options.sh SOURCE_FOLDER CMAKE FOLDER
set -uo pipefail
source=$1 cmake=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
failed=0
fail() { echo "options: $*" >&2; failed=1; }

# refused 'text of the refusal' -DOPTION=VALUE...
refused() {
    local text=$1 answer
    shift
    answer=$("$cmake" -S "$source" -B refused "$@" 2>&1) && fail "$* configures"
    # CMake wraps long lines, and indents.
    answer=$(tr -s ' \n' ' ' <<<"$answer")
    grep -qF -- "$text" <<<"$answer" || fail "$*: no '$text' in: $answer"
    grep -q "compiler identification" <<<"$answer" && fail "$*: refused after looking for compilers"
    rm -rf refused
}

refused "DNNL_CPU_RUNTIME=TBBB: there is OMP, TBB, SEQ, THREADPOOL" -DDNNL_CPU_RUNTIME=TBBB
refused "ONEDNN_CPU_RUNTIME=SYCL: there is OMP, TBB, SEQ, THREADPOOL" -DONEDNN_CPU_RUNTIME=SYCL
refused "ONEDNN_CPU_RUNTIME=NONE: there is OMP" -DONEDNN_CPU_RUNTIME=NONE
refused "ONEDNN_CPU_RUNTIME=OPENMP: there is OMP, TBB, SEQ, THREADPOOL; OMP is OpenMP" -DONEDNN_CPU_RUNTIME=OPENMP
refused "ONEDNN_GPU_RUNTIME=ZE: there is NONE, OCL, SYCL; the library has engines of OpenCL devices" -DONEDNN_GPU_RUNTIME=ZE
refused "DNNL_WITH_SYCL=ON and ONEDNN_GPU_RUNTIME=OCL: with SYCL" -DDNNL_WITH_SYCL=ON -DONEDNN_GPU_RUNTIME=OCL
refused "DNNL_WITH_SYCL=ON: a static library" -DONEDNN_WITH_SYCL=1 -DBUILD_SHARED_LIBS=OFF
refused "DNNL_LIBRARY_TYPE=OBJECT: there is SHARED, STATIC" -DDNNL_LIBRARY_TYPE=OBJECT
refused "ONEDNN_LIBRARY_NAME=a/b: a name is letters" -DONEDNN_LIBRARY_NAME=a/b
refused "ONEDNN_BUILD_GRAPH=ON: the graph API is not part" -DONEDNN_BUILD_GRAPH=ON
refused "ONEDNN_BUILD_TESTS=maybe: there is ON, OFF" -DONEDNN_BUILD_TESTS=maybe
refused "ONEDNN_BUILD_TEST: no such option; there is BUILD_TESTS" -DONEDNN_BUILD_TEST=OFF
refused "DNNL_ENABLE_JIT: no such option; there is ENABLE_CONCURRENT_EXEC" -DDNNL_ENABLE_JIT=ON
refused "ONEDNN_ENABLE_WORKLOAD=SERVING: there is ALL, or some of TRAINING, INFERENCE" -DONEDNN_ENABLE_WORKLOAD=SERVING
refused "ONEDNN_ENABLE_PRIMITIVE=MATMUL;REODER: there is ALL, or some of BATCH_NORMALIZATION, BINARY," \
    "-DONEDNN_ENABLE_PRIMITIVE=MATMUL;REODER"
refused "ONEDNN_ENABLE_PRIMITIVE=OFF: there is ALL, or some of" -DONEDNN_ENABLE_PRIMITIVE=OFF
refused "DNNL_ENABLE_GEMM_KERNELS_ISA=0: there is ALL, or some of NONE" -DDNNL_ENABLE_GEMM_KERNELS_ISA=0
refused "ONEDNN_ENABLE_PRIMITIVE_CPU_ISA=AVX3: there is ALL, or some of SSE41" -DONEDNN_ENABLE_PRIMITIVE_CPU_ISA=AVX3
refused "ONEDNN_ENABLE_ITT_TASKS=ON: there are no ITT tasks" -DONEDNN_ENABLE_ITT_TASKS=ON
refused "ONEDNN_EXPERIMENTAL_UKERNEL=ON: this experimental part is not built" -DONEDNN_EXPERIMENTAL_UKERNEL=ON
refused "ONEDNN_EXPERIMENTAL_OTHER: no such option; there is EXPERIMENTAL" -DONEDNN_EXPERIMENTAL_OTHER=ON
refused "ONEDNN_BLAS_VENDOR=MKL: there is NONE" -DONEDNN_BLAS_VENDOR=MKL
refused "ONEDNN_CPU_RUNTIME=TBB and DNNL_CPU_RUNTIME=SEQ are two spellings of one option" \
    -DONEDNN_CPU_RUNTIME=TBB -DDNNL_CPU_RUNTIME=SEQ
# All at once, each with its sentence.
refused "there is SHARED, STATIC ONEDNN_BUILD_GRAPH=ON: the graph" -DONEDNN_BUILD_GRAPH=ON -DDNNL_LIBRARY_TYPE=DYNAMIC

# accepted 'NAME=value ...' -DOPTION=VALUE...: what the options come to
cat >probe.cmake <<END
cmake_minimum_required(VERSION 3.22)
set(PROJECT_IS_TOP_LEVEL OFF)
include("$source/cmake/options.cmake")
foreach(name \${tessera_option_names})
  message("\${name}=\${DNNL_\${name}}")
endforeach()
END
accepted() {
    local wanted=$1 answer word
    shift
    answer=$("$cmake" "$@" -P probe.cmake 2>&1) || fail "$* is refused: $answer"
    for word in $wanted; do grep -qxF -- "$word" <<<"$answer" || fail "$*: no $word in: $answer"; done
}
accepted "CPU_RUNTIME=OMP LIBRARY_TYPE=SHARED LIBRARY_NAME=dnnl BUILD_TESTS=OFF BUILD_EXAMPLES=OFF WERROR=OFF"
accepted "CPU_RUNTIME=TBB LIBRARY_TYPE=STATIC" -DONEDNN_CPU_RUNTIME=tbb -DDNNL_LIBRARY_TYPE=Static
accepted "CPU_RUNTIME=SEQ" -DONEDNN_CPU_RUNTIME=SEQ -DDNNL_CPU_RUNTIME=SEQ
accepted "LIBRARY_TYPE=STATIC" -DBUILD_SHARED_LIBS=OFF
accepted "LIBRARY_TYPE=SHARED" -DBUILD_SHARED_LIBS=OFF -DDNNL_LIBRARY_TYPE=SHARED
accepted "BUILD_TESTS=ON BUILD_EXAMPLES=ON WERROR=ON" -DONEDNN_BUILD_TESTS=1 -DDNNL_BUILD_EXAMPLES=yes -DONEDNN_WERROR=TRUE
accepted "LIBRARY_NAME=other ARCH_OPT_FLAGS=-march=x86-64-v2" -DONEDNN_LIBRARY_NAME=other \
    -DDNNL_ARCH_OPT_FLAGS=-march=x86-64-v2
accepted "ENABLE_CONCURRENT_EXEC=ON GPU_VENDOR=INTEL BUILD_GRAPH=OFF" -DONEDNN_ENABLE_CONCURRENT_EXEC=ON \
    -DDNNL_GPU_VENDOR=INTEL -DONEDNN_BUILD_GRAPH=OFF -DONEDNN_ENABLE_PRIMITIVE=ALL -DDNNL_DIR=/somewhere

# What recipes of other projects ask for: a part of the library, which is built whole, and a line says so.
whole() {
    accepted "${1%%=*}=ALL" "$2"
    grep -qF -- "$3" <<<"$("$cmake" "$2" -P probe.cmake 2>&1)" || fail "$2: no line '$3'"
}
whole ENABLE_WORKLOAD -DONEDNN_ENABLE_WORKLOAD=INFERENCE "ONEDNN_ENABLE_WORKLOAD=INFERENCE: more is built, training and"
whole ENABLE_WORKLOAD -DDNNL_ENABLE_WORKLOAD=training "DNNL_ENABLE_WORKLOAD=TRAINING: more is built"
whole ENABLE_PRIMITIVE "-DONEDNN_ENABLE_PRIMITIVE=MATMUL;REORDER" "ONEDNN_ENABLE_PRIMITIVE=MATMUL;REORDER: more is built"
whole ENABLE_PRIMITIVE "-DDNNL_ENABLE_PRIMITIVE=convolution;rnn" "CONVOLUTION;RNN: more is built, every primitive: there"
whole ENABLE_PRIMITIVE_CPU_ISA -DONEDNN_ENABLE_PRIMITIVE_CPU_ISA=AVX2 "AVX2: more is built, every instruction set; the variable"
whole ENABLE_PRIMITIVE_GPU_ISA -DONEDNN_ENABLE_PRIMITIVE_GPU_ISA=XeHPC "=XEHPC: more is built; kernels are compiled for the"
whole ENABLE_GEMM_KERNELS_ISA -DONEDNN_ENABLE_GEMM_KERNELS_ISA=NONE "=NONE: more is built"
# What asks for less than there is, or for what the library is without: it is the same, and a line says so.
either() {
    accepted "$1" "$2"
    grep -qF -- "$3" <<<"$("$cmake" "$2" -P probe.cmake 2>&1)" || fail "$2: no line '$3'"
}
either VERBOSE=ON -DDNNL_VERBOSE=NO "DNNL_VERBOSE=NO: verbose lines are always there"
either ENABLE_PRIMITIVE_CACHE=ON -DONEDNN_ENABLE_PRIMITIVE_CACHE=OFF "ONEDNN_ENABLE_PRIMITIVE_CACHE=OFF: the cache is always there"
either ENABLE_MAX_CPU_ISA=ON -DDNNL_ENABLE_MAX_CPU_ISA=OFF "DNNL_ENABLE_MAX_CPU_ISA=OFF: ONEDNN_MAX_CPU_ISA and"
either ENABLE_CPU_ISA_HINTS=ON -DDNNL_ENABLE_CPU_ISA_HINTS=OFF "=OFF: ONEDNN_CPU_ISA_HINTS and"
either ENABLE_JIT_PROFILING=ON -DDNNL_ENABLE_JIT_PROFILING=off "DNNL_ENABLE_JIT_PROFILING=off: profiling is always there"
either EXPERIMENTAL_SPARSE=ON -DONEDNN_EXPERIMENTAL_SPARSE=OFF "ONEDNN_EXPERIMENTAL_SPARSE=OFF: sparse memory is always there"
either BUILD_DOC=OFF -DDNNL_BUILD_DOC=1 "DNNL_BUILD_DOC=1: \`make docs\` builds the site"
for option in -DONEDNN_ENABLE_PRIMITIVE=ALL -DONEDNN_ENABLE_WORKLOAD= -DDNNL_ENABLE_PRIMITIVE_CPU_ISA=all; do
    if grep -q "more is built" <<<"$("$cmake" "$option" -P probe.cmake 2>&1)"; then fail "$option asks for a part"; fi
done

rm -rf "$folder"
exit $failed
