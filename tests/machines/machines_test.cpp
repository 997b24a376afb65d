// SPDX-License-Identifier: Apache-2.0
// The list of machines holds what the tables say, and kernels that this processor cannot run give what others give.
// covers: BLD-03
#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "cpu/engine.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "machines.hpp"

namespace tessera {

using cpu::jit::Target;

TEST(Machines, every_row_of_the_table_generates_what_one_of_them_does) {
    struct Row {
        const char* name;
        uint32_t isa;
    };
    constexpr Row rows[] = {
#define ISA(name, bits) {#name, bits},
#include "cpu/isa.def"
#undef ISA
    };
    for (const Row& row : rows)
        for (const bool permutes : {false, true}) {
            if (row.isa & 0x100 && !permutes) continue;
            const Machine m = cpu::machine_of(row.isa, permutes, false);
            EXPECT_TRUE(std::any_of(machines().begin(), machines().end(),
                                    [&](const Machine& x) {
                                        if (!cpu::jit::has_target(m)) return !cpu::jit::has_target(x);
                                        return cpu::jit::has_target(x) &&
                                               cpu::jit::target_of(x) == cpu::jit::target_of(m) &&
                                               !x.fast_bf16_products;
                                    }))
                << row.name << (permutes ? " with byte permutes" : "");
        }
    for (size_t i = 0; i < machines().size(); ++i)
        for (size_t j = 0; j < i; ++j) EXPECT_NE(machines()[i].name, machines()[j].name);
}

TEST(Machines, all_that_the_library_tells_apart) {
    const auto count = [](auto is) {
        return std::count_if(machines().begin(), machines().end(),
                             [&](const Context& m) { return cpu::jit::has_target(m) && is(cpu::jit::target_of(m)); });
    };
    EXPECT_FALSE(cpu::jit::has_target(machines()[0]));
    EXPECT_GE(count([](const Target& t) { return t.vector_bytes == 32 && !t.vnni; }), 1);
    EXPECT_GE(count([](const Target& t) { return t.vector_bytes == 32 && t.vnni; }), 1);
    for (const bool permutes : {false, true}) {
        EXPECT_GE(count([=](const Target& t) { return t.masks && !t.vnni && t.byte_permute == permutes; }), 1);
        EXPECT_GE(count([=](const Target& t) { return t.vnni && t.masks && !t.bf16 && t.byte_permute == permutes; }),
                  1);
        EXPECT_GE(count([=](const Target& t) { return t.bf16 && !t.amx && t.byte_permute == permutes; }), 1);
    }
    EXPECT_GE(count([](const Target& t) { return t.amx && !t.amx_f16; }), 1);
    EXPECT_GE(count([](const Target& t) { return t.amx_f16; }), 1);
    std::printf("%s", coverage().c_str());
}

// A kernel of every machine's largest kind of products, run however it runs here.
TEST(Machines, kernels_run_natively_or_not) {
    for (const Context& m : generating_machines()) {
        const Target target = cpu::jit::target_of(m);
        const cpu::DotSpec spec{cpu::DotKind::f32, 1, 1};
        const auto kernel = cpu::jit::kernel(target, cpu::key(spec), [&] { return cpu::build_dot(target, spec); });
        ASSERT_TRUE(kernel) << m.name;
        float a[3] = {1, 2, 3}, b[3][16], c[16];
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 16; ++j) b[k][j] = float(k + j);
        cpu::DotArgs args{};
        args.a = a, args.a_step = 4, args.b = b, args.b_step = 64, args.c = c, args.c_row = 64, args.steps = 3;
        args.columns = 16;
        (*kernel)(&args);
        for (int j = 0; j < 16; ++j) EXPECT_EQ(c[j], float(8 + 6 * j)) << m.name;
    }
}

} // namespace tessera
