// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/mover.hpp"

namespace tessera::cpu {

namespace {

static_assert(job_operands <= size_t(broadcast_operands));

// Every line that the tile writes is one whole line of 64 bytes when the first one is.
bool whole_lines(const TransposeChoice& choice) {
    for (const TiledLoop& t : choice.loops) {
        if (t.loop.extent == 1) continue;
        if (t.loop.indexed() || t.loop.extent % t.tile) return false;
        bool in_line = false;
        for (TileBit b : choice.spec.line) in_line |= b.loop == t.index;
        const int64_t step = t.loop.stride[1] * choice.spec.element * (in_line ? t.tile : 1);
        if (step % 64) return false;
    }
    return true;
}

} // namespace

bool Mover::make_kernels(const jit::Target& target, bool streams, bool prefetches, bool fences) {
    TransposeSpec spec = choice.spec;
    spec.stream = spec.prefetch_read = false;
    kernel = jit::kernel(target, key(spec), [=] { return build_transpose(target, spec); });
    if (kernel && streams && whole_lines(choice)) {
        spec.stream = true, spec.prefetch_read = prefetches, spec.fence = fences;
        streaming = jit::kernel(target, key(spec), [=] { return build_transpose(target, spec); });
    }
    return kernel != nullptr;
}

void Mover::run(const char* src, char* dst, const Block& b, const LoopStrides& src_stride,
                const LoopStrides& dst_stride, const Bases* bases) const {
    TransposeArgs args;
    for (size_t o = 2; o < choice.spec.types.size(); ++o) args.broadcast[o] = (*bases)[o] + broadcast_at[o];
    args.src = src;
    args.dst = dst;
    for (size_t k = 0; k < choice.loops.size(); ++k) {
        const TiledLoop& t = choice.loops[k];
        if (t.index >= 0) args.src_stride[t.index] = src_stride[k], args.dst_stride[t.index] = dst_stride[k];
        const bool scattered = t.index >= 0 && t.index == choice.spec.scattered;
        if (scattered) args.table = t.loop.table[1]->data() + start(t, b.begin[k]);
        if (t.level < 0) continue;
        auto& loop = args.loop[t.level];
        loop.count = b.count[k];
        loop.src_step = t.tile * src_stride[k];
        loop.dst_step = t.tile * dst_stride[k];
        const int64_t over = loop.count * t.tile - points(t, b.begin[k], b.count[k]);
        if (scattered) loop.table_step = t.tile * 8, loop.table_fix = loop.count > 1 ? -over * 8 : 0;
        if (loop.count > 1) loop.src_fix = -over * src_stride[k], loop.dst_fix = -over * dst_stride[k];
    }
    const bool aligned = reinterpret_cast<uintptr_t>(dst) % 64 == 0;
    (streaming && aligned ? *streaming : *kernel)(&args);
}

} // namespace tessera::cpu
