// SPDX-License-Identifier: Apache-2.0
// Cases of the set `pointwise` whose operands do not lie alike:
//
//   binary_add_broadcast f32 nchw 8x64x56x56+1x1x56x56      src1 broadcast; in "1x64x1x1+8x64x56x56" src0 is
//   binary_add_channel_odd bf16 nhwc 8x3x224x224            the channel's operand beside rows of C = 3, 5, 17, 67
//   binary_add_mixed f32 nchw+nhwc->nchw 8x64x56x56         layouts of src0, src1 and dst
//   relu_mixed f32 nchw->nhwc 8x64x56x56
//   sum2_mixed, sum20
#include "cases.hpp"

#include <utility>

#include <fmt/format.h>

namespace tessera::bench {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

constexpr double cheap = 0.85, transposed = 0.45;

constexpr Named<Type> types[] = {{"f32", Type::f32}, {"bf16", Type::bf16}, {"s8", Type::s8}};
constexpr Named<Tag> nchw{"nchw", Tag::nchw}, nhwc{"nhwc", Tag::nhwc}, blocked{"nChw16c", Tag::nChw16c};

const Dims image = {8, 64, 56, 56};

Work add(const Desc& src0, const Desc& src1, const Desc& dst) {
    const dnnl::binary::primitive_desc desc(engine(), algorithm::binary_add, src0, src1, dst);
    return run_on(dnnl::binary(desc), {{DNNL_ARG_SRC_0, src0}, {DNNL_ARG_SRC_1, src1}, {DNNL_ARG_DST, dst, true}});
}

Work add_up(const std::vector<Desc>& sources, const Desc& dst) {
    const dnnl::sum::primitive_desc desc(engine(), dst, std::vector<float>(sources.size(), 0.5f), sources);
    std::vector<Operand> operands = {{DNNL_ARG_DST, dst, true}};
    for (size_t i = 0; i < sources.size(); ++i) operands.push_back({DNNL_ARG_MULTIPLE_SRC + int(i), sources[i]});
    return run_on(dnnl::sum(desc), operands);
}

Work relu(const Desc& src, const Desc& dst) {
    const dnnl::eltwise_forward::primitive_desc desc(engine(), prop_kind::forward_inference, algorithm::eltwise_relu,
                                                     src, dst);
    return run_on(dnnl::eltwise_forward(desc), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst, true}});
}

struct Builder {
    std::vector<Case>& cases;
    Named<Type> type;

    void put(const std::string& group, const std::string& layout, const std::string& dims, double target,
             std::function<Work()> make) const {
        cases.push_back(
            {"pointwise", fmt::format("{} {} {} {}", group, type.first, layout, dims), target, std::move(make)});
    }
    Desc of(const Dims& dims, Named<Tag> layout) const { return Desc(dims, type.second, layout.second); }

    void broadcast(Named<Tag> layout) const {
        const Dims parts[] = {{1, 1, 56, 56}, {8, 64, 1, 1}, {8, 64, 56, 1},
                              {1, 1, 1, 56},  {1, 1, 1, 1},  {8, 1, 56, 56}};
        for (const Dims& part : parts)
            put("binary_add_broadcast", layout.first, shape(image) + "+" + shape(part), cheap,
                [=, *this] { return add(of(image, layout), of(part, layout), of(image, layout)); });
        const Dims channel{1, 64, 1, 1};
        put("binary_add_broadcast", layout.first, shape(channel) + "+" + shape(image), cheap,
            [=, *this] { return add(of(channel, layout), of(image, layout), of(image, layout)); });
    }
    void channels() const {
        for (const Dims& dims :
             {Dims{8, 3, 224, 224}, Dims{8, 5, 112, 112}, Dims{8, 17, 112, 112}, Dims{8, 67, 56, 56}})
            put("binary_add_channel_odd", nhwc.first, shape(dims), cheap, [=, *this] {
                return add(of(dims, nhwc), of({1, dims[1], 1, 1}, nhwc), of(dims, nhwc));
            });
    }
    void mixed() const {
        const Named<Tag> threes[][3] = {{nchw, nhwc, nchw},    {nhwc, nchw, nchw},      {nchw, nchw, nhwc},
                                        {nchw, nhwc, nhwc},    {nchw, nhwc, blocked},   {nhwc, blocked, nchw},
                                        {blocked, nchw, nhwc}, {nchw, blocked, blocked}};
        for (const auto& [a, b, to] : threes) {
            const std::string layouts = fmt::format("{}+{}->{}", a.first, b.first, to.first);
            put("binary_add_mixed", layouts, shape(image), transposed,
                [=, *this] { return add(of(image, a), of(image, b), of(image, to)); });
            put("sum2_mixed", layouts, shape(image), transposed, [=, *this] {
                return add_up({of(image, a), of(image, b)}, of(image, to));
            });
        }
        for (const auto& [from, to] : {std::pair{nchw, nhwc}, {nhwc, nchw}, {nchw, blocked}, {blocked, nhwc}})
            put("relu_mixed", fmt::format("{}->{}", from.first, to.first), shape(image), transposed,
                [=, *this] { return relu(of(image, from), of(image, to)); });
    }
    void many() const {
        for (int count : {15, 20, 40})
            put(fmt::format("sum{}", count), nchw.first, "4x64x28x28", cheap, [=, *this] {
                const Desc data = of({4, 64, 28, 28}, nchw);
                return add_up(std::vector<Desc>(size_t(count), data), data);
            });
    }
};

} // namespace

std::vector<Case> layout_cases() {
    std::vector<Case> cases;
    for (auto type : types) {
        const Builder build{cases, type};
        for (auto layout : {nchw, nhwc, blocked}) build.broadcast(layout);
        build.channels();
        build.mixed();
        build.many();
    }
    return cases;
}

} // namespace tessera::bench
