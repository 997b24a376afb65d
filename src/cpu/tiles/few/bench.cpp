// SPDX-License-Identifier: Apache-2.0
// Dot products and rank-1 updates of few rows against reading their weights (bench/kernels).
#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "cpu/tiles/dot/kernel/row_addresses.hpp"
#include "cpu/tiles/few/contract.hpp"
#include "kernels/measure.hpp"

namespace tessera::cpu::bench {

namespace {

using jit::Gpr;
using jit::Vec;
using jit::VOp;

// Four streams: one waits for the prefetcher more than the kernels do, which have up to eight.
Code read_code(const Target& target) {
    Code c(target, "read");
    const Gpr turns = c.gload({c.args(), offsetof(PeakArgs, turns)}),
              data = c.gload({c.args(), offsetof(PeakArgs, data)});
    const Gpr quarter = c.gmul(turns, 2 * c.width());
    const RowAddresses streams(c, data, quarter, 4);
    std::vector<Vec> all;
    for (int n = 0; n < 8; ++n) all.push_back(c.zero());
    c.loop();
    for (int n = 0; n < 8; ++n)
        c.op2_into(VOp::ior, all[size_t(n)], all[size_t(n)], c.load(streams.at(n / 2, n % 2 * c.width())));
    streams.advance(2 * c.width());
    c.end_loop(turns, 1);
    return c;
}

constexpr int64_t columns_of_weights = 4096;

Work few_rows(const Target& target, bool dots, const FewRowsSpec& spec, int64_t bytes, const Buffer& memory) {
    const KernelPtr kernel = dots ? made(target, dots_key(spec), [&] { return build_dots(target, spec); })
                                  : made(target, axpy_key(spec), [&] { return build_axpy(target, spec); });
    const int64_t size = bits(spec.b) / 8, line = std::min(columns_of_weights, bytes / size / 256);
    const int64_t lines = bytes / size / line;
    const uint8_t* weights = memory.data(size_t(1) << 20);
    uint8_t *a = memory.data(), *c = memory.data(512 << 10);
    const int64_t a_size = bits(spec.a) / 8;
    if (dots)
        return {double(bytes), [=] {
                    DotsArgs args{a, line * a_size, weights, line * size, c, lines * 4, lines, line, 0};
                    (*kernel)(&args);
                }};
    return {double(bytes), [=] {
                AxpyArgs args{a, lines * a_size, a_size, weights, line * size, c, line * 4, line, lines, 0};
                (*kernel)(&args);
            }};
}

Work reading(const Target& target, int64_t bytes, const Buffer& memory) {
    const KernelPtr kernel = made(target, "read", [&] { return read_code(target); });
    return {double(bytes), [=, data = memory.data(size_t(1) << 20)] {
                PeakArgs args{bytes / (8 * target.vector_bytes), data};
                (*kernel)(&args);
            }};
}

} // namespace

void measure_few_rows(const Options& o, const Target& target, const Buffer& memory) {
    for (const auto& [bytes, place] : {std::pair{int64_t(1) << 20, "L2"}, {int64_t(64) << 20, "64 MiB"}})
        for (bool dots : {true, false})
            for (int rows : {1, 2, 4})
                for (const auto& [type, sum] : {std::pair{DataType::f32, ValueType::f32},
                                                {DataType::bf16, ValueType::f32},
                                                {DataType::s8, ValueType::s32}})
                    measure(
                        o,
                        fmt::format("W{} {} {} rows {} {}", target.vector_bytes, dots ? "dots" : "axpy", rows,
                                    std::string(tessera::name(type)), place),
                        [&] {
                            return few_rows(target, dots, {rows, type, type, sum}, bytes, memory);
                        },
                        [&] { return std::vector<Work>{reading(target, bytes, memory)}; });
}

} // namespace tessera::cpu::bench
