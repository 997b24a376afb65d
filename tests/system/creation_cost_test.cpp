// SPDX-License-Identifier: Apache-2.0
// Creation takes memory by the number of dims and blocks, or by the extent of an axis that has a table, never by the
// number of elements: the same problem with a thousand times as many asks for no more. Nor does it ask often: a fifth
// of a creation was the heap's. Bytes and calls are counted, not time.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "failing_allocations.hpp"
#include "line/line_objects.hpp"
#include "line/problem_line.hpp"
#include "lines_of_all.hpp"

namespace tessera::test {
namespace {

// What the creation of the line's primitive asks for, nothing of it being cached; -1 if it is refused.
struct Asked {
    int64_t bytes = -1, times = -1;
};
Asked asked_by_creation(const std::string& text) {
    const auto line = parse_problem_line(text);
    if (!line) return {};
    const auto tensors = make_tensors(*line, RuntimeDims::open);
    const auto attr = make_attr(*line, {});
    if (!tensors || !attr) return {};
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl_set_primitive_cache_capacity(0);
    Asked asked;
    try {
        asked.times = run({}, [&] { dnnl::primitive(make_primitive_desc(*line, *tensors, cpu, *attr).get()); });
        asked.bytes = bytes_asked_for();
    } catch (const dnnl::error& e) { ADD_FAILURE() << text << ": " << e.what(); }
    dnnl_set_primitive_cache_capacity(1024);
    return asked;
}

struct Sizes {
    std::string smaller, larger;
};

class CreationCost : public testing::TestWithParam<Sizes> {};

TEST_P(CreationCost, DoesNotFollowTheVolume) {
    const int64_t smaller = asked_by_creation(GetParam().smaller).bytes,
                  larger = asked_by_creation(GetParam().larger).bytes;
    EXPECT_GT(smaller, 0);
    // Half more, for choices that sizes decide: streaming, units, blocks of a product.
    EXPECT_LE(larger, smaller + smaller / 2 + 65536) << GetParam().larger;
}

INSTANTIATE_TEST_SUITE_P(Problems, CreationCost, testing::ValuesIn([] {
                             const auto lines = lines_of_all("creation_cost");
                             std::vector<Sizes> pairs;
                             for (size_t i = 0; i + 1 < lines.size(); i += 2) pairs.push_back({lines[i], lines[i + 1]});
                             return pairs;
                         }()));

// With lists of one or two elements, strides of five operands and sorts of a few loops on the heap these were 280,
// 1030, 2950 and 12000 calls; 233, 811, 2103 and 6493 are left.
TEST(CreationCalls, AreFew) {
    const std::pair<const char*, int64_t> most[] = {
        {"reorder --sdt=f32 --ddt=f32 --stag=abcd --dtag=aBcd16b 2x64x28x28", 255},
        {"layer_normalization --flags=CH 128x512", 920},
        {"batch_normalization --flags=CH 8x64x28x28", 2500},
        {"convolution --padding=1 2x64x28x28:64x64x3x3", 8000}};
    for (const auto& [line, calls] : most) {
        const int64_t found = asked_by_creation(line).times;
        EXPECT_GT(found, 0) << line;
        EXPECT_LE(found, calls) << line;
    }
}

} // namespace
} // namespace tessera::test
