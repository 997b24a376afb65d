#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Problem lines on devices, from the command line; without a device what is said then, alone.
#   cli_test.sh PROGRAM FOLDER     there is a libOpenCL.so.1 without functions in FOLDER
set -u
program=$1 without_functions=$2
. "$(dirname "$0")/../tools/expect.sh"

# No loader, one without functions, and no driver: the folder of their names is empty.
nothing=$(mktemp -d)
trap 'rm -r "$nothing"' EXIT
mkdir "$nothing/library" && touch "$nothing/library/libOpenCL.so.1"
LD_LIBRARY_PATH=$nothing/library expect 1 "there is no GPU engine 0: libOpenCL.so.1 cannot be loaded (" run --engine=gpu "reorder 2x3"
LD_LIBRARY_PATH=$without_functions expect 1 "there is no GPU engine 0: libOpenCL.so.1 has no clGetPlatformIDs, clGet" \
    run --engine=gpu "reorder 2x3"
for missing in "$nothing/library" "$without_functions"; do
    LD_LIBRARY_PATH=$missing expect 0 "1 passed" run --engine=cpu "reorder 2x3"
done
for command in run bench explain; do
    OCL_ICD_VENDORS=$nothing expect 1 "there is no GPU engine 0: " $command --engine=gpu "reorder 2x3"
done
OCL_ICD_VENDORS=$nothing expect 0 "1 passed" run "reorder 2x3"

export TESSERA_OPENCL_DEVICES=all
if [[ $("$program" run --engine=gpu "reorder 2x3" 2>&1) == *"there is no GPU engine 0: "* ]]; then
    echo "no device of OpenCL: the rest is skipped"
    exit $((failures > 0))
fi
expect 0 "1 passed, 0 failed, 0 skipped" run --engine=gpu reorder --ddt=s8 --dtag=aBcd16b 2x17x5x5
expect 0 "1 passed, 0 failed, 0 skipped" run --engine gpu:0 --matmul --dt=u8:s8:f32 16x32:32x64
expect 0 "1 passed, 0 failed, 0 skipped" run "--matmul --engine=gpu --dt=u8:s8:f32 --attr-scales=wei:per_oc 16x32:32x64"
expect 0 "1 passed, 0 failed, 0 skipped" run "sum --engine=gpu --scales=1:2 --inplace 9x31"
expect 0 "1 passed, 0 failed, 0 skipped" run --engine=gpu "matmul --stag=ab --dtag=ab --rt=1 --attr-scales=src:host 5x7:7x6"
expect 0 "1 passed, 0 failed, 0 skipped" run --engine=gpu "eltwise --alg=relu --attr-scratchpad=user 0x7"
expect 0 "1 passed, 0 failed, 0 skipped" run --engine=gpu "reorder --ssub=0x1x0@2x20x5 --dsub=1x0x3@4x17x8 2x17x5"
expect 0 "refused: " run --engine=gpu "reorder --stag=any --expect=invalid_arguments 2x3"
expect 1 "should have been refused" run --engine=gpu "reorder --expect=unimplemented 2x3"
expect 0 "2 passed, 0 failed, 0 skipped" run --engine=gpu -f - <<<$'reorder --ddt=f16 --dtag=ba 3x5\nreorder --engine=cpu 3x5'
expect 0 "1 timed on gpu, " bench --engine=gpu --turns 5 "reorder --dtag=ba 64x64"
expect 0 "kernel void tessera_step" explain --engine=gpu --code "reorder --ddt=bf16 --dtag=ba 64x48"
expect 0 "work-items" explain "reorder --engine=gpu --ddt=bf16 --dtag=ba 64x48"

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
