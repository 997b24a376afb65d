#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles kernels of products and windows for NVIDIA's devices without one: clang-14 to PTX, ptxas to machine code. Says for each how many
# registers it takes and what is spilled; fails where the text or its inline PTX does not assemble.
#
#   tools/ptx.sh [build folder] [sm_90]
#
# OpenCL's functions are those of tools/ptx.h, so that what NVIDIA's own compiler makes of a kernel may differ.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build} arch=${2:-sm_90}
for tool in clang-14 ptxas "$build/tests/gpu/gpu_kernels"; do
    command -v "$tool" > /dev/null || { echo "skipped: no $tool here"; exit 0; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/tests/gpu/gpu_kernels" "capability=${arch#sm_},lanes=256,units=132,local_bytes=49152" "$folder" \
    "matmul 4096x4096:4096x4096" "matmul --stag=ba:ba 4096x4096:4096x4096" "matmul 1024x1024:1024x1024" \
    "matmul --sdt=bf16 --ddt=f32 4096x4096:4096x4096" "matmul --sdt=bf16 --ddt=bf16 --stag=ba:ba 4096x4096:4096x4096" \
    "matmul --sdt=f16 4096x4096:4096x4096" "matmul --sdt=f16 --stag=ab:ba 1024x1024:1024x1024" \
    "matmul --sdt=s8 --ddt=s32 --stag=ab:ba 4096x4096:4096x4096" "matmul --sdt=u8:s8 --ddt=s32 4096x4096:4096x4096" \
    "matmul --sdt=f16:bf16 --ddt=f32 1024x1024:1024x1024" "matmul --attr-fpmath=bf16 4096x4096:4096x4096" \
    "matmul --sdt=f8_e4m3:f8_e5m2 --ddt=f32 1024x1024:1024x1024" \
    "matmul --sdt=f32:s4 --attr-fpmath=bf16:true --attr-scales=wei:3:f32:64x1 4096x4096:4096x4096" \
    "matmul --sdt=s8:s8 --ddt=s32 --attr-zero-points=src:0 1024x1024:1024x1024" \
    "matmul --attr-fpmath=tf32 4096x4096:4096x4096" \
    "convolution --stag=acdb:cdba --dtag=acdb --padding=1 32x64x56x56:64x64x3x3" \
    "convolution --dt=bf16 --stag=acdb:cdba --dtag=acdb --padding=1 32x64x56x56:64x64x3x3" \
    "convolution --stag=abcd:abcd --dtag=abcd --padding=1 32x64x56x56:64x64x3x3" \
    "pooling --dir=FWD_I --alg=max --kernel=3x3 --stride=2 --padding=1 --stag=acdb 64x64x112x112:64x64x56x56" \
    "pooling --dir=FWD_I --alg=max --kernel=3x3 --stride=2 --padding=1 --stag=abcd 64x64x112x112:64x64x56x56" \
    "convolution --stag=acdb:any --dtag=acdb --padding=1 64x256x56x56:32x8x8x3x3" \
    "convolution --dt=bf16 --stag=acdb:any --dtag=acdb --padding=1 64x256x56x56:32x8x8x3x3" \
    "convolution --dir=BWD_W --stag=acdb:any --dtag=acdb --padding=1 64x256x56x56:32x8x8x3x3" \
    "matmul 8x4096:4096x4096" "matmul --sdt=f16 --stag=ab:ba 8x4096:4096x4096" \
    "matmul 1x4096:4096x4096" "matmul --sdt=bf16 --stag=ab:ba 1x4096:4096x4096" > "$folder/list" || exit 1
failed=0
while read -r file registers what; do
    if clang-14 -target nvptx64-nvidia-cuda -x cl -cl-std=CL1.2 -O3 -Xclang -target-cpu -Xclang sm_80 \
        -Xclang -target-feature -Xclang +ptx71 -include tools/ptx.h -S -o "$file.ptx" "$file" 2> "$file.log" &&
        ptxas -v -arch="$arch" -maxrregcount="$registers" -o "$file.bin" "$file.ptx" > "$file.log" 2>&1; then
        echo "$(grep -o 'Used [0-9]* registers' "$file.log"), $(grep -o '[0-9]* bytes spill stores' "$file.log"): $what"
    else
        echo "FAILED: $what"
        grep -E "error|fatal" "$file.log" | head -5
        failed=1
    fi
done < "$folder/list"
exit $failed
