// SPDX-License-Identifier: Apache-2.0
// A problem run in every way the library has: the interpreter of plans, the portable engine and generated code for
// every machine, each compared with the reference.
//
//   Trial run(*make_binary(...));
//   run.set(arg::src, {1, 2, 3});            // in logical order; everything else is random from a few values
//   run.check();                             // all ways give what the reference gives
//   EXPECT_EQ(run.get(arg::dst), ...);       // what the reference gave
#pragma once

#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "core/layout/layout.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "machines.hpp"
#include "ops/binary/binary.hpp"
#include "ops/coordinates.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

class Trial {
public:
    // Values are small multiples of 1/4 (integers: of 1), so that sums are exact; `extremes`: of floats some are zeros
    // of both signs, infinities, NaN and denormals.
    explicit Trial(Problem problem, unsigned seed = 1, bool extremes = false) : p(std::move(problem)) {
        std::mt19937 random(seed);
        for (const Tensor& t : p.tensors) fill(t, random, extremes);
        for (const QuantArg& q : quant_args(p)) {
            auto& v = bytes[q.id];
            v.resize(size_t(bytes_of(q.quant.type, q.count)) + guard);
            for (int64_t i = 0; i < q.count; ++i) write<float>(q.quant.type, v.data(), i, float(1 << random() % 3) / 2);
        }
    }

    void set(int id, const std::vector<float>& values) {
        size_t next = 0;
        each(id, [&](int64_t element) { write<float>(p.md(id).type, bytes[id].data(), element, values.at(next++)); });
    }
    std::vector<float> get(int id) {
        std::vector<float> values;
        each(id, [&](int64_t e) { values.push_back(read<float>(p.md(id).type, bytes[id].data(), e)); });
        return values;
    }
    // Another argument's buffer is this one's.
    void share(int id, int with) { shared[id] = with; }

    void reference() { row(p.kind).ref(p, buffers(bytes)); }

    void check() { check(false); }
    // All ways give the bits that the interpreter gives, whatever sums round to.
    void check_bits() { check(true); }
    // Numbers may be off by so much of their size, or of 1; NaN, infinities and everything else are as they are.
    void check_close(float tolerance) {
        tolerance_ = tolerance;
        check(false);
    }

    Problem p;
    std::map<int, std::vector<unsigned char>> bytes; // argument -> buffer and a guard behind it
    std::map<int, int> shared;

private:
    void check(bool of_interpreter) {
        Context machine;
        machine.threads = 2;
        auto lowered = row(p.kind).lower(p);
        ASSERT_TRUE(lowered) << lowered.error().reason;
        const auto plan = std::make_shared<const Plan>(*lowered);
        const auto valid = verify(*plan);
        ASSERT_TRUE(valid) << valid.error().reason << "\n" << to_string(*plan);
        const auto before = bytes;
        if (!of_interpreter) reference();

        auto got = before;
        auto at = pointers(*plan, got);
        for (size_t o = 0; o < at.size(); ++o) at[o] = static_cast<char*>(at[o]) + plan->operands[o].bytes;
        interpret(*plan, at);
        if (of_interpreter) bytes = got;
        compare("interpreter", *plan, got);
        got = before;
        const auto portable = cpu::make_portable(plan, machine);
        ASSERT_TRUE(portable) << portable.error().reason;
        ASSERT_EQ((*portable)->run(pointers(*plan, got), {}), Status::success);
        compare("portable", *plan, got);
        constexpr int threads[] = {1, 2, 3, 7};
        int turn = 0;
        for (Context generating : generating_machines()) {
            generating.threads = threads[turn++ % 4];
            const auto generated = cpu::make_generated(plan, generating);
            if (!generated) continue;
            got = before;
            ASSERT_EQ(generated->run(pointers(*plan, got), {}), Status::success);
            compare("generated for " + generating.name, *plan, got);
            if (turn != 1) continue; // of one machine the plan that runs as well: it means what the plan does
            got = before;
            auto [in_turn, scratch] = pointers_of_selection(*generated->runs(), got);
            interpret(*generated->runs(), in_turn);
            compare("the plan that runs on " + generating.name, *plan, got);
        }
    }

    using Scratch = std::vector<std::vector<unsigned char>>;
    static constexpr size_t guard = 64;
    Scratch scratch_; // of the run at hand
    float tolerance_ = 0;

    template <typename Body> void each(int id, Body body) {
        const Layout layout = layout_of(p.md(id));
        for_each_coordinate(p.md(id).dims_span(), [&](auto at) { body(layout.at(at)); });
    }

    void fill(const Tensor& t, std::mt19937& random, bool extremes) {
        const MemoryDesc& md = t.md;
        auto& v = bytes[t.arg];
        v.resize(size_of(md) + size_t(bytes_of(md.type, md.offset0)) + guard);
        for (auto& b : v) b = static_cast<unsigned char>(random());
        const float special[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
        // Of padding the inputs' is zero, the outputs' is to become so.
        if (!t.output && !md.has_zero_dim()) {
            const Layout layout = layout_of(md);
            for_each_coordinate(std::span<const int64_t>(md.padded_dims.data(), size_t(md.ndims)),
                                [&](auto at) { write_bits(md.type, v.data(), layout.at(at), 0); });
        }
        each(t.arg, [&](int64_t element) {
            float x = float(int(random() % 33) - 16) / (is_integer(md.type) ? 1 : 4);
            if (extremes && !is_integer(md.type) && random() % 4 == 0) x = special[random() % std::size(special)];
            write<float>(md.type, v.data(), element, x);
        });
    }

    Buffers buffers(std::map<int, std::vector<unsigned char>>& from) {
        Buffers b;
        for (auto& [id, v] : from) b[id] = v.data();
        for (const auto& [id, with] : shared) b[id] = b.at(with);
        return b;
    }

    std::vector<void*> pointers(const Plan& plan, std::map<int, std::vector<unsigned char>>& from) {
        const Buffers b = buffers(from);
        scratch_.clear();
        for (const int64_t size : plan.scratch) scratch_.emplace_back(size_t(size) + guard, 0xa5);
        std::vector<void*> result;
        for (const Operand& o : plan.operands)
            result.push_back(o.counted         ? nullptr
                             : o.scratch >= 0  ? scratch_[size_t(o.scratch)].data()
                             : o.constant >= 0 ? const_cast<float*>(plan.constants[size_t(o.constant)].data())
                                               : b.at(o.arg));
        return result;
    }

    std::pair<std::vector<void*>, Scratch> pointers_of_selection(const Plan& plan,
                                                                 std::map<int, std::vector<unsigned char>>& from) {
        Scratch scratch;
        for (const int64_t size : plan.scratch) scratch.emplace_back(size_t(size) + guard);
        std::vector<void*> result;
        for (const Operand& o : plan.operands) {
            void* base = nullptr;
            if (o.scratch >= 0)
                base = scratch[size_t(o.scratch)].data();
            else if (o.constant >= 0)
                base = const_cast<float*>(plan.constants[size_t(o.constant)].data());
            else if (!o.counted)
                base = buffers(from).at(o.arg);
            result.push_back(base ? static_cast<char*>(base) + o.bytes : nullptr);
        }
        return {result, std::move(scratch)};
    }

    // All bytes, but that every NaN is like every other.
    void compare(const std::string& way, const Plan& plan, const std::map<int, std::vector<unsigned char>>& got) {
        for (const Tensor& t : p.tensors) {
            const auto &want = bytes.at(t.arg), &have = got.at(t.arg);
            if (want == have) continue;
            const int width = bits(t.md.type);
            for (int64_t i = 0; i < int64_t(want.size()) * 8 / width; ++i) {
                if (read_bits(t.md.type, want.data(), i) == read_bits(t.md.type, have.data(), i)) continue;
                const float x = read<float>(t.md.type, want.data(), i), y = read<float>(t.md.type, have.data(), i);
                if (std::isnan(x) && std::isnan(y)) continue;
                const bool numbers = std::isfinite(x) && std::isfinite(y);
                if (tolerance_ > 0 && numbers && std::abs(x - y) <= tolerance_ * std::max(1.f, std::abs(x))) continue;
                ADD_FAILURE() << way << ", " << arg_name(t.arg) << " at element " << i << ": " << y << " where the "
                              << "reference has " << x << "\n"
                              << to_string(plan);
                return;
            }
        }
    }
};

} // namespace tessera::ops
