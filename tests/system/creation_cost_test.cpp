// Creation takes memory by the number of dims and blocks, or by the extent of an axis that has a table, never by the
// number of elements: the same problem with a thousand times as many asks for no more. Bytes are counted, not time.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "failing_allocations.hpp"
#include "line/line_objects.hpp"
#include "line/problem_line.hpp"
#include "lines_of_all.hpp"

namespace tessera::test {
namespace {

// Bytes that the creation of the line's primitive asks for, nothing of it being cached; -1 if it is refused.
int64_t bytes_of_creation(const std::string& text) {
    const auto line = parse_problem_line(text);
    if (!line) return -1;
    const auto tensors = make_tensors(*line, RuntimeDims::open);
    const auto attr = make_attr(*line, {});
    if (!tensors || !attr) return -1;
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl_set_primitive_cache_capacity(0);
    int64_t bytes = -1;
    try {
        run({}, [&] { dnnl::primitive(make_primitive_desc(*line, *tensors, cpu, *attr).get()); });
        bytes = bytes_asked_for();
    } catch (const dnnl::error& e) { ADD_FAILURE() << text << ": " << e.what(); }
    dnnl_set_primitive_cache_capacity(1024);
    return bytes;
}

struct Sizes {
    std::string smaller, larger;
};

class CreationCost : public testing::TestWithParam<Sizes> {};

TEST_P(CreationCost, DoesNotFollowTheVolume) {
    const int64_t smaller = bytes_of_creation(GetParam().smaller), larger = bytes_of_creation(GetParam().larger);
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

} // namespace
} // namespace tessera::test
