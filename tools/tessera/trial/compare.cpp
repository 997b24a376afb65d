// SPDX-License-Identifier: Apache-2.0
// Comparison: the whole buffer at once, and only after a difference element by element.
#include "trial/compare.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/ranges.h>

#include "core/layout/layout.hpp"
#include "core/types/convert.hpp"
#include "primitives/row.hpp"
#include "trial/experiment_data.hpp"

namespace tessera {
namespace {

std::string value_text(DataType type, const void* base, int64_t element) {
    if (is_integer(type)) return fmt::format("{}", read<int64_t>(type, base, element));
    return fmt::format("{} (bits {:#x})", read<double>(type, base, element), read_bits(type, base, element));
}

bool both_nan(DataType type, const void* a, const void* b, int64_t element) {
    return !is_integer(type) && std::isnan(read<double>(type, a, element)) &&
           std::isnan(read<double>(type, b, element));
}

} // namespace

Result<void> compare(const MemoryDesc& md, const uint8_t* got, const uint8_t* expected, size_t bytes, bool exact_nan,
                     const Close& close) {
    if (bytes == 0 || std::memcmp(got, expected, bytes) == 0) return {};
    std::vector<uint8_t> rest(got, got + bytes); // a copy in which accepted differences are overwritten
    int64_t differing = 0, total = 0;
    std::string first;
    if (md.is_blocked()) {
        const Layout layout = layout_of(md);
        for_each_element(md, [&](std::span<const int64_t> at) {
            const int64_t element = layout.at(at);
            const uint64_t right = read_bits(md.type, expected, element);
            ++total;
            if (read_bits(md.type, got, element) == right) return;
            write_bits(md.type, rest.data(), element, right);
            if (!exact_nan && both_nan(md.type, got, expected, element)) return;
            if (close && close(at, element)) return;
            if (differing++ == 0)
                first = fmt::format("element ({}) is {}, expected {}", fmt::join(at, ","),
                                    value_text(md.type, got, element), value_text(md.type, expected, element));
        });
    }
    if (differing > 0) return runtime_error("{}; {} of {} elements differ", first, differing, total);
    for (size_t i = 0; i < bytes; ++i)
        if (rest[i] != expected[i])
            return runtime_error("byte {} of {} outside of the elements (padding, compensation or surroundings of the "
                                 "view) is {:#04x}, expected {:#04x}",
                                 i, bytes, rest[i], expected[i]);
    return {};
}

bool copies_bits(const Problem& problem) {
    if (!primitives::row(problem.kind).moves) return false;
    const DataType type = problem.tensors.front().md.type;
    for (const Tensor& tensor : problem.tensors)
        if (tensor.md.type != type) return false;
    const Attr& attr = problem.attr;
    return attr.scales.empty() && attr.zero_points.empty() && attr.post_ops.entries.empty() &&
           attr.output_scales.values.empty();
}

} // namespace tessera
