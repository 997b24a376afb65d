// Creation takes memory by the number of dims and blocks, or by the extent of an axis that has a table, never by the
// number of elements: the same problem with a thousand times as many asks for no more. Bytes are counted, not time.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "failing_allocations.hpp"
#include "line/line_objects.hpp"
#include "line/problem_line.hpp"

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
    const char *smaller, *larger;
};

class CreationCost : public testing::TestWithParam<Sizes> {};

TEST_P(CreationCost, DoesNotFollowTheVolume) {
    const int64_t smaller = bytes_of_creation(GetParam().smaller), larger = bytes_of_creation(GetParam().larger);
    EXPECT_GT(smaller, 0);
    // Half more, for choices that sizes decide: streaming, units, blocks of a product.
    EXPECT_LE(larger, smaller + smaller / 2 + 65536) << GetParam().larger;
}

INSTANTIATE_TEST_SUITE_P(
    Problems, CreationCost,
    testing::Values(Sizes{"shuffle --stag=A16a --group=3 --axis=0 786432",
                          "shuffle --stag=A16a --group=3 --axis=0 402653184"},
                    Sizes{"shuffle --stag=aBcd16b --dtag=abcd --group=5 2x100000x5x5",
                          "shuffle --stag=aBcd16b --dtag=abcd --group=5 2x100000000x5x5"},
                    Sizes{"shuffle --stag=aBcd16b --dtag=aBcd8b --group=107 2x32421x2x2",
                          "shuffle --stag=aBcd16b --dtag=aBcd8b --group=107 2x64842107x2x2"},
                    Sizes{"shuffle --stag=aBcd4b --dtag=aBcd16b --group=6 2x66666x1x1",
                          "shuffle --stag=aBcd4b --dtag=aBcd16b --group=6 2x66666666x1x1"},
                    Sizes{"reorder --stag=A64a --dtag=A48a 60000", "reorder --stag=A64a --dtag=A48a 60000000"},
                    Sizes{"reorder --stag=ABcd16b16a --dtag=BAcd8a32b 1003x1003x1x1",
                          "reorder --stag=ABcd16b16a --dtag=BAcd8a32b 100003x100003x1x1"},
                    Sizes{"reorder --ddt=s8 --stag=ab --dtag=BA16a64b4a --flags=s8s8:2 1003x1003",
                          "reorder --ddt=s8 --stag=ab --dtag=BA16a64b4a --flags=s8s8:2 100003x100003"},
                    Sizes{"eltwise --alg=relu --stag=A16a --attr-dropout=0.5:7 100001",
                          "eltwise --alg=relu --stag=A16a --attr-dropout=0.5:7 100000001"},
                    Sizes{"binary --alg=add --stag=aBcd16b:aBcd8b 16x1001x64x64:1x1001x1x1",
                          "binary --alg=add --stag=aBcd16b:aBcd8b 16x100001x64x64:1x100001x1x1"},
                    Sizes{"prelu --dir=BWD_DW --stag=aBcd16b:abcd 16x1001x64x64:1x1001x1x1",
                          "prelu --dir=BWD_DW --stag=aBcd16b:abcd 16x100001x64x64:1x100001x1x1"},
                    Sizes{"sum --scales=1:2 --stag=aBcd16b:aBcd8b --dtag=abcd 16x1001x64x64:16x1001x64x64",
                          "sum --scales=1:2 --stag=aBcd16b:aBcd8b --dtag=abcd 16x100001x64x64:16x100001x64x64"},
                    Sizes{"concat --stag=aBcd16b:aBcd8b --dtag=aBcd16b --axis=1 16x10001x64x64:16x10003x64x64",
                          "concat --stag=aBcd16b:aBcd8b --dtag=aBcd16b --axis=1 16x1000001x64x64:16x1000003x64x64"},
                    Sizes{"concat --stag=A16a:A16a --dtag=A48a --axis=0 100001:100003",
                          "concat --stag=A16a:A16a --dtag=A48a --axis=0 100000001:100000003"},
                    // Tables by the extents of the axes, which stay.
                    Sizes{"resampling --alg=linear --stag=aBcd16b 16x17x64x64:16x17x128x128",
                          "resampling --alg=linear --stag=aBcd16b 16x100001x64x64:16x100001x128x128"},
                    Sizes{"resampling --alg=linear --dir=BWD_D --stag=abcde 1x3x30x30x30:1x3x70x70x70",
                          "resampling --alg=linear --dir=BWD_D --stag=abcde 1000x3000x30x30x30:1000x3000x70x70x70"},
                    Sizes{"matmul --stag=ab:ab --dtag=ab 1003x1003:1003x1003",
                          "matmul --stag=ab:ab --dtag=ab 100003x100003:100003x100003"},
                    Sizes{"matmul --stag=Ab16a:BA16a48b --dtag=Ab8a 1003x1003:1003x1003",
                          "matmul --stag=Ab16a:BA16a48b --dtag=Ab8a 100003x100003:100003x100003"},
                    Sizes{"inner_product --stag=acdb:any:any 1000x101x50x50:1001x101x50x50:1001",
                          "inner_product --stag=acdb:any:any 1000x1001x50x50:100001x1001x50x50:100001"}));

} // namespace
} // namespace tessera::test
