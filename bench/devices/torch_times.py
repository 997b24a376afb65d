#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of PyTorch for the large cases of bench/devices, under the same names: `name<TAB>microseconds queued<TAB>of one alone`.

    torch_times.py > torch.tsv && devices --set large --beside torch.tsv

Queued: a call's share of 20 that are queued one after the other. Alone: a call and the wait for it. Both the least of ten turns.
"""
import time

import torch
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.manual_seed(1)
device = "cuda"
images = torch.randn(64, 64, 112, 112, device=device)
last = images.contiguous(memory_format=torch.channels_last)
blocked = images.view(64, 4, 16, 112, 112)
tokens = torch.randn(16384, 4096, device=device)
channels = torch.randn(1, 64, 1, 1, device=device)
photos = torch.randint(0, 255, (256, 224, 224, 3), device=device, dtype=torch.uint8)
planes = torch.empty(256, 3, 224, 224, device=device)
out, out_last = torch.empty_like(images), torch.empty_like(last)
rows = torch.ones(4096, device=device)
weight, bias = torch.ones(64, device=device), torch.zeros(64, device=device)
kilobytes, other = torch.randn(4096, device=device), torch.empty(4096, device=device)
megabytes, more = torch.randn(3211264, device=device), torch.empty(3211264, device=device)
in_blocks, from_blocks = torch.empty(64, 4, 112, 112, 16, device=device), torch.randn(64, 4, 112, 112, 16, device=device)
last_of_blocks = torch.empty(64, 112, 112, 4, 16, device=device)


def matrices(m, k, n, dtype=torch.float32):
    return torch.randn(m, k, device=device).to(dtype), torch.randn(k, n, device=device).to(dtype)


small, large, bf16, row = (matrices(1024, 1024, 1024), matrices(4096, 4096, 4096),
                           matrices(4096, 4096, 4096, torch.bfloat16), matrices(1, 4096, 4096))
bytes_ = [torch.randint(-100, 100, (4096, 4096), device=device, dtype=torch.int8) for _ in range(2)]

CASES = {
    "copy 205 MB": lambda: out.copy_(images),
    "copy 25 MB": lambda: more.copy_(megabytes),
    "copy 32 KB": lambda: other.copy_(kilobytes),
    "nchw -> nhwc": lambda: out_last.copy_(images),
    "nhwc -> nchw": lambda: out.copy_(last),
    "nchw -> nChw16c": lambda: in_blocks.copy_(blocked.permute(0, 1, 3, 4, 2)),
    "nChw16c -> nhwc": lambda: last_of_blocks.copy_(from_blocks.permute(0, 2, 3, 1, 4)),
    "u8 nhwc -> f32 nchw, 3 channels": lambda: planes.copy_(photos.permute(0, 3, 1, 2)),
    "shuffle nchw, 4 groups": lambda: F.channel_shuffle(images, 4),
    "shuffle nhwc, 4 groups": lambda: F.channel_shuffle(last, 4),
    "relu": lambda: F.relu(images),
    "gelu": lambda: F.gelu(images),
    "add by channel": lambda: images + channels,
    "softmax rows": lambda: F.softmax(tokens, 1),
    "softmax columns": lambda: F.softmax(tokens, 0),
    "layer norm": lambda: F.layer_norm(tokens, (4096,), rows, rows),
    "batch norm nchw": lambda: F.batch_norm(images, None, None, weight, bias, True),
    "batch norm nhwc": lambda: F.batch_norm(last, None, None, weight, bias, True),
    "max pooling 3x3 s2 nchw": lambda: F.max_pool2d(images, 3, 2, 1),
    "max pooling 3x3 s2 nhwc": lambda: F.max_pool2d(last, 3, 2, 1),
    "mean pooling 2x2 s2 nchw": lambda: F.avg_pool2d(images, 2, 2),
    "sum of rows": lambda: tokens.sum(1),
    "sum of columns": lambda: tokens.sum(0),
    "sum of all": lambda: tokens.sum(),
    "matmul 1024": lambda: small[0] @ small[1],
    "matmul 4096": lambda: large[0] @ large[1],
    "matmul bf16 4096": lambda: bf16[0] @ bf16[1],
    "matmul s8 4096": lambda: torch._int_mm(bytes_[0], bytes_[1].t()),
    "matmul 1x4096x4096": lambda: row[0] @ row[1],
}


LAYERS = {
    "convolution 7x7 s2 64x3x224": (64, 3, 224, 64, 7, 2, 1),
    "convolution 3x3 64x64x56": (64, 64, 56, 64, 3, 1, 1),
    "convolution 3x3 64x256x14": (64, 256, 14, 256, 3, 1, 1),
    "convolution 3x3 s2 64x128x56": (64, 128, 56, 128, 3, 2, 1),
    "convolution 3x3 64x512x7": (64, 512, 7, 512, 3, 1, 1),
    "convolution 3x3 1x256x14": (1, 256, 14, 256, 3, 1, 1),
    "depthwise 3x3 64x192x56": (64, 192, 56, 192, 3, 1, 192),
}
KINDS = {
    "f32 nchw": (torch.float32, torch.contiguous_format),
    "f32 nhwc": (torch.float32, torch.channels_last),
    "bf16 nhwc": (torch.bfloat16, torch.channels_last),
}


def add_convolution(layer, kind):
    count, inputs, size, outputs, kernel, stride, groups = LAYERS[layer]
    dtype, form = KINDS[kind]
    src = torch.randn(count, inputs, size, size, device=device).to(dtype).contiguous(memory_format=form)
    weights = torch.randn(outputs, inputs // groups, kernel, kernel, device=device).to(dtype).contiguous(memory_format=form)
    pad = kernel // 2
    CASES[f"{layer} {kind}"] = lambda: F.conv2d(src, weights, None, stride, pad, 1, groups)
    if layer != "convolution 3x3 64x256x14" or kind == "f32 nchw":
        return
    dst = F.conv2d(src, weights, None, stride, pad)
    backward = torch.ops.aten.convolution_backward
    shape = f"3x3 64x256x14 {kind}"
    rest = (None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups)
    CASES[f"gradient of src {shape}"] = lambda: backward(dst, src, weights, *rest, [True, False, False])
    CASES[f"gradient of weights {shape}"] = lambda: backward(dst, src, weights, *rest, [False, True, False])


for layer in LAYERS:
    for kind in KINDS:
        add_convolution(layer, kind)


def seconds(call, calls):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls


with torch.no_grad():
    for name, call in CASES.items():
        seconds(call, 3)
        print(f"{name}\t{min(seconds(call, 20) for _ in range(10)) * 1e6:.1f}\t"
              f"{min(seconds(call, 1) for _ in range(10)) * 1e6:.1f}", flush=True)
