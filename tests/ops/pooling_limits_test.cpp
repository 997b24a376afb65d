// SPDX-License-Identifier: Apache-2.0
// Pooling at its limits: sums beyond 2^24, numbers of taps around 255, no elements, windows larger than src, extents
// and paddings up to those of 64 bits.
#include <algorithm>
#include <limits>

#include "objects.hpp"
#include "ops/pooling/pooling.hpp"
#include "trial.hpp"

namespace tessera::ops {
namespace {

constexpr DataType f32 = DataType::f32;
constexpr int algs[] = {alg::pooling_max, alg::pooling_avg_include_padding, alg::pooling_avg_exclude_padding};

// Dense windows of `kernel`, with as much padding behind as `dst` needs.
PoolingWindows windows(const std::vector<int64_t>& kernel, int64_t stride, int64_t before, int64_t behind) {
    PoolingWindows w;
    std::ranges::copy(kernel, w.kernel.begin());
    w.strides.fill(stride), w.padding_l.fill(before), w.padding_r.fill(behind);
    return w;
}
MemoryDesc pooled(const MemoryDesc& src, const PoolingWindows& w, DataType type, std::string_view tag) {
    std::vector<int64_t> dims(src.dims.begin(), src.dims.begin() + src.ndims);
    for (size_t d = 2; d < dims.size(); ++d)
        dims[d] = (dims[d] - w.kernel[d - 2] + w.padding_l[d - 2] + w.padding_r[d - 2]) / w.strides[d - 2] + 1;
    return md(dims, type, tag);
}
Problem forward(int alg, const MemoryDesc& src, const MemoryDesc& dst, const PoolingWindows& w) {
    return valid(make_pooling_forward(PropKind::forward_training, alg, src, dst, w, {}));
}

} // namespace

// covers: POO-03 POO-10
TEST(PoolingLimits, sums_of_bytes_beyond_2_24_are_exact) {
    struct Shape {
        std::vector<int64_t> dims, kernel;
        const char* tag;
    };
    const Shape shapes[] = {{{1, 2, 300000}, {300000}, "abc"},
                            {{1, 17, 330, 320}, {330, 320}, "acdb"},
                            {{1, 16, 330, 320}, {330, 320}, "aBcd16b"},
                            {{1, 2, 400, 401}, {399, 400}, "abcd"}}; // overlap: along one dim after the other
    for (const Shape& shape : shapes)
        for (const DataType type : {DataType::u8, DataType::s8}) {
            const MemoryDesc src = md(shape.dims, type, shape.tag);
            const PoolingWindows w = windows(shape.kernel, 1, 0, 0);
            Trial run(forward(alg::pooling_avg_include_padding, src, pooled(src, w, f32, shape.tag), w));
            std::mt19937 random(3);
            std::vector<float> values; // sums of some of them are odd beyond 2^24
            for (int64_t i = 0; i < src.nelems(false); ++i)
                values.push_back(type == DataType::u8 ? 240 + float(random() % 16) : float(random() % 4) - 128);
            run.set(arg::src, values);
            run.check();
        }
    const auto type = [](int64_t kernel) {
        const MemoryDesc one = md({1, 1, 1}, DataType::u8, "abc");
        return Pooling(forward(alg::pooling_avg_include_padding, one, one, windows({kernel}, 1, kernel - 1, 0)))
            .value_type();
    };
    EXPECT_EQ(type(1 << 23), ValueType::s32) << "255 times as much is below 2^31";
    EXPECT_EQ(type((1 << 23) + 1), ValueType::f32);
}

// covers: POO-05 POO-07
TEST(PoolingLimits, taps_from_number_250_on) {
    unsigned seed = 1;
    for (const std::vector<int64_t>& kernel :
         {std::vector<int64_t>{15, 17}, {16, 16}, {17, 17}, {6, 6, 7}, {7, 7, 7}, {255}, {300}})
        for (const std::string_view form : {"ab*", "a*b", "aB*16b"})
            for (const int64_t more : {0, 2}) { // one output, or three in each dim
                std::string tag(form);
                tag.replace(tag.find('*'), 1, std::string("cde").substr(0, kernel.size()));
                std::vector<int64_t> dims{1, 3};
                int64_t volume = 1;
                for (const int64_t k : kernel) dims.push_back(k + more), volume *= k;
                const MemoryDesc src = md(dims, f32, tag);
                const PoolingWindows w = windows(kernel, 1, 0, 0);
                const MemoryDesc dst = pooled(src, w, f32, tag);
                const Problem p = forward(alg::pooling_max, src, dst, w);
                EXPECT_EQ(p.md(arg::workspace).type, volume <= 255 ? DataType::u8 : DataType::s32);
                Trial run(p, ++seed);
                std::vector<float> values; // the largest of a window is one of its last taps
                for (int64_t i = 0; i < src.nelems(false); ++i) values.push_back(float(i ^ 1));
                run.set(arg::src, values);
                run.check();
                const std::vector<float> taps = run.get(arg::workspace);
                for (const float tap : taps) ASSERT_TRUE(tap >= 250 && tap < float(volume)) << tag << " " << volume;
                Trial back(valid(make_pooling_backward(alg::pooling_max, src, dst, w, &p, {})), ++seed);
                back.set(arg::workspace, taps);
                back.set(arg::diff_dst, std::vector<float>(taps.size(), 1));
                back.check();
                double sum = 0;
                for (const float x : back.get(arg::diff_src)) sum += double(x);
                EXPECT_EQ(sum, double(taps.size())) << tag << " " << volume;
            }
}

// covers: POO-14
TEST(PoolingLimits, gradients_without_elements) {
    for (const int alg : algs)
        for (const char* tag : {"abcd", "acdb", "aBcd16b"}) {
            for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0, 3, 6, 5}, {2, 0, 6, 5}}) {
                const MemoryDesc src = md(dims, f32, tag);
                const PoolingWindows w = windows({3, 3}, 2, 1, 1);
                const MemoryDesc dst = pooled(src, w, f32, tag);
                const Problem hint = forward(alg, src, dst, w);
                Trial(valid(make_pooling_backward(alg, src, dst, w, &hint, {}))).check();
            }
            const PoolingWindows w = windows({6, 3}, 1, 0, 0); // an output less than none: zeros everywhere
            const MemoryDesc src = md({2, 17, 5, 3}, f32, tag), dst = md({2, 17, 0, 1}, f32, tag);
            const Problem hint = forward(alg, src, dst, w);
            Trial zeros(valid(make_pooling_backward(alg, src, dst, w, &hint, {})));
            zeros.check();
            EXPECT_EQ(zeros.get(arg::diff_src), std::vector<float>(2 * 17 * 5 * 3, 0));
        }
}

// No window lies inside as a whole, and all of src lies in each.
TEST(PoolingLimits, windows_larger_than_src) {
    unsigned seed = 1;
    for (const int alg : algs)
        for (const char* tag : {"abcd", "acdb", "aBcd16b"})
            for (const int64_t stride : {1, 2}) {
                const MemoryDesc src = md({2, 17, 3, 2}, f32, tag);
                // Quotients are exact; of means without padding no window may lie in it as a whole.
                const PoolingWindows w = windows({8, 16}, stride, 7, alg == alg::pooling_avg_exclude_padding ? 7 : 8);
                const MemoryDesc dst = pooled(src, w, f32, tag);
                const Problem p = forward(alg, src, dst, w);
                if (alg != alg::pooling_avg_exclude_padding) {
                    Trial(p, ++seed, alg == alg::pooling_max).check();
                    Trial(valid(make_pooling_backward(alg, src, dst, w, &p, {})), ++seed).check();
                    continue;
                }
                // One, two and three inside: multiples of 6.
                const auto sixes = [](size_t n) {
                    std::vector<float> values;
                    for (size_t i = 0; i < n; ++i) values.push_back(float(int(i * 7 % 19) - 9) * 6);
                    return values;
                };
                Trial mean(p, ++seed), gradient(valid(make_pooling_backward(alg, src, dst, w, nullptr, {})), ++seed);
                mean.set(arg::src, sixes(size_t(src.nelems(false))));
                mean.check_bits();
                gradient.set(arg::diff_dst, sixes(size_t(dst.nelems(false))));
                gradient.check_bits();
            }
}

// covers: POO-01 POO-13
TEST(PoolingLimits, entries_beyond_any_tensor_are_refused) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
    const MemoryDesc src = md({1, 1, 9}, f32, "abc"), dst = md({1, 1, 9}, f32, "abc");
    struct Entry {
        Dims PoolingWindows::*list;
        int64_t value;
        Status status;
        const char* words;
    };
    const Entry entries[] = {{&PoolingWindows::kernel, most, Status::unimplemented, "are possible"},
                             {&PoolingWindows::kernel, least, Status::invalid_arguments, "at least 1"},
                             {&PoolingWindows::strides, most, Status::unimplemented, "are possible"},
                             {&PoolingWindows::strides, least, Status::invalid_arguments, "at least 1"},
                             {&PoolingWindows::dilation, most, Status::unimplemented, "are possible"},
                             {&PoolingWindows::dilation, least, Status::invalid_arguments, "negative"},
                             {&PoolingWindows::padding_l, most, Status::unimplemented, "are possible"},
                             {&PoolingWindows::padding_l, least, Status::invalid_arguments, "at least 0"},
                             {&PoolingWindows::padding_r, most, Status::unimplemented, "are possible"},
                             {&PoolingWindows::padding_r, least, Status::unimplemented, "are possible"},
                             // Within what is possible, but no such output.
                             {&PoolingWindows::padding_r, -(int64_t(1) << 58), Status::invalid_arguments, "it must be"},
                             {&PoolingWindows::padding_l, int64_t(1) << 58, Status::invalid_arguments, "it must be"}};
    for (const Entry& e : entries)
        for (const int alg : algs) {
            PoolingWindows w = windows({1}, 1, 0, 0);
            (w.*e.list)[0] = e.value;
            const std::string value = fmt::format("{}", e.value);
            for (const std::string_view word : {std::string_view(e.words), std::string_view(value)}) {
                expect_refusal(make_pooling_forward(PropKind::forward_training, alg, src, dst, w, {}), e.status, word);
                expect_refusal(make_pooling_backward(alg, src, dst, w, nullptr, {}), e.status, word);
            }
        }
}

} // namespace tessera::ops
