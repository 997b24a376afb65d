// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/run.hpp"

#include <algorithm>

#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"

namespace tessera::cpu {

namespace {

// Loads operand 0, stores operand 1 and no other.
bool moves_0_to_1(const Program& program) {
    bool loads = false;
    for (const Op& op : program.ops) {
        loads |= op.code == OpCode::load && op.operand == 0;
        if (op.code == OpCode::store && op.operand != 1) return false;
    }
    return loads;
}

bool loads(const Plan& plan, const Program& program, int arg) {
    for (const Op& op : program.ops)
        if (op.code == OpCode::load && op.operand != 0 && plan.operands[size_t(op.operand)].arg == arg) return true;
    return false;
}

// Arithmetic between rows of two lines and more on both sides: the map tile computes while the transpose tile copies in
// blocks of long runs (relu nchw -> nhwc and back: bf16 0.39 -> 0.57 and 0.37 -> 0.47 of memcpy, f32 0.60 -> 0.74 and
// 0.48 -> 0.55). Blocks of 16 channels lose (bf16 nChw16c -> nhwc 0.87 -> 0.35), bytes too (0.32 -> 0.24).
bool computes_between_rows(const Move& move) {
    if (move.copy || is_conversion(move.program) || move.source != move.element || move.element == 1) return false;
    const auto dense_bytes = [&](size_t o) {
        int64_t bytes = 0;
        for (const Loop& loop : move.step.nest.loops)
            if (!loop.indexed() && loop.stride[o] == 1) bytes = std::max(bytes, loop.extent * move.element);
        return bytes;
    };
    constexpr int64_t two_lines = 128;
    return dense_bytes(0) >= two_lines && dense_bytes(1) >= two_lines;
}

// Tiles that a chain of short loops of src would leave partly empty (oihw with 3 x 3 taps: 9 of 16 columns) go through
// the whole chain instead and scatter its lines over dst. Zen 5, one thread, oihw -> OIhw16i16o with 3 x 3 taps, of
// memcpy: f32 32x32 0.23 -> 0.30, 512x512 0.60 -> 0.79; bf16 64x64 0.29 -> 0.40, 512x512 0.56 -> 0.78. Where most of a
// tile exists (bf16, 5 x 5 taps: 25 of 32; f32 abcde -> edcba, 20 of 32) the table costs more than it saves: 0.58 ->
// 0.53 and 0.59 -> 0.43. By AVX2, whose two tiles of 8 cover 9 taps: f32 64x64 0.27 -> 0.35, 256x256 0.50 -> 0.65, bf16
// 64x64 0.21 -> 0.37. Bytes of 3 taps have no tiles without it.
std::optional<TransposeChoice> scattered_choice(const Move& move, const std::optional<TransposeChoice>& direct) {
    if (!move.copy || move.streams()) return std::nullopt;
    // In the second level f32 of 64-byte lines depends on where the buffers lie: 64x64, 288 KiB, takes 2.6 to 4.0 us,
    // tile by tile 2.9 wherever they lie.
    const bool between = move.bytes() > move.context.l1_bytes && move.bytes() <= move.context.l2_bytes;
    if (between && move.element >= 4 && move.target.vector_bytes == 64) return std::nullopt;
    const bool wide_f32 = move.element >= 4 && move.target.vector_bytes == 64;
    const double most_used = wide_f32 ? 0.6 : 0.75; // of the tiles' columns
    const auto is_partial = [&](const TiledLoop& t) {
        return t.index >= 0 && t.loop.stride[0] == 1 &&
               double(t.loop.extent) <= most_used * double(t.tiles << direct->spec.loops[size_t(t.index)].bits);
    };
    if (direct && std::ranges::none_of(direct->loops, is_partial)) return std::nullopt;
    constexpr int64_t most_points = 4096; // 32 KiB of table
    const auto nest = with_chain(move.step.nest, most_points);
    if (!nest) return std::nullopt;
    TransposeSpec spec = move.spec();
    spec.scattered = 0;
    auto choice = choose_transpose(*nest, spec, move.target, move.context);
    if (!choice || choice->spec.scattered < 0) return std::nullopt;
    return choice;
}

} // namespace

TransposeSpec Move::spec() const {
    TransposeSpec s;
    s.stream = streams();
    s.element = element, s.source = source;
    if (copy) return s;
    s.program = program;
    for (const Operand& o : plan.operands) s.types.push_back(o.type);
    return s;
}

TransposeJob::TransposeJob(const Move& move, TransposeChoice choice) : element(move.element), source(move.source) {
    for (size_t k = 0; k < choice.loops.size(); ++k) {
        src_stride[k] = choice.loops[k].loop.stride[0] * source;
        dst_stride[k] = choice.loops[k].loop.stride[1] * element;
    }
    src_base = move.at(0), dst_base = move.at(1);
    for (size_t o = 2; o < move.plan.operands.size(); ++o) mover.broadcast_at[o] = move.at(o);
    units = choice.units;
    bytes = move.bytes();
    mover.choice = std::move(choice);
}

void TransposeJob::run(const Bases& bases, int64_t first, int64_t last) const {
    for (int64_t u = first; u < last; ++u) {
        Mover::Block b;
        int64_t s, d;
        place(u, b, s, d);
        mover.run(bases[0] + s, bases[1] + d, b, src_stride, dst_stride, &bases);
    }
}

void TransposeJob::place(int64_t u, Mover::Block& b, int64_t& s, int64_t& d) const {
    s = src_base, d = dst_base;
    UnitIndex index(u);
    for (size_t k = mover.choice.loops.size(); k-- > 0;) {
        const TiledLoop& t = mover.choice.loops[k];
        b.begin[k] = index.next(t.blocks()) * t.block;
        b.count[k] = std::min(t.block, t.tiles - b.begin[k]);
        const int64_t at = Mover::start(t, b.begin[k]);
        if (t.index >= 0 && t.index == mover.choice.spec.scattered) {
            s += at * src_stride[k]; // the mover begins with its place in the table
        } else if (t.loop.indexed()) {
            s += t.loop.offset(0, at) * source, d += t.loop.offset(1, at) * element;
        } else {
            s += at * src_stride[k], d += at * dst_stride[k];
        }
    }
}

std::unique_ptr<Job> make_transpose_job(const Plan& plan, const Step& step, const jit::Target& target,
                                        const Context& context) {
    if (step.kind != StepKind::map || step.nest.loops.size() > most_loops) return nullptr;
    const Program& program = plan.programs[size_t(step.program)];
    if (!moves_0_to_1(program)) return nullptr;
    const DataType from = plan.operands[0].type, to = plan.operands[1].type;
    if (is_sub_byte(from) || is_sub_byte(to)) return nullptr;
    const bool reads_dst = loads(plan, program, plan.operands[1].arg);
    const Move move{plan,           step,        program,          target,    context,
                    from,           to,          is_copy(program), reads_dst, !reads_dst && only_moves(plan, step),
                    bits(from) / 8, bits(to) / 8};
    if (computes_between_rows(move))
        if (auto job = make_staged_job(move)) return job;
    if (!move.copy && !move.broadcasts) return make_staged_job(move);
    auto choice = choose_transpose(step.nest, move.spec(), target, context);
    if (auto scattered = scattered_choice(move, choice)) {
        auto job = std::make_unique<TransposeJob>(move, *std::move(scattered));
        if (job->mover.make_kernels(target, false, false)) return job;
    }
    if (!choice) return move.copy ? nullptr : make_staged_job(move);
    if (auto job = make_panel_job(move, *choice)) return job;
    auto job = std::make_unique<TransposeJob>(move, *std::move(choice));
    if (!job->mover.make_kernels(target, move.streams(), true)) return nullptr;
    return job;
}

} // namespace tessera::cpu
