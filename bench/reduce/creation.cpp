// SPDX-License-Identifier: Apache-2.0
#include "creation.hpp"

#include <dlfcn.h>

#include "../call_times.hpp"
#include "cases.hpp"

namespace tessera::bench::reduce {
namespace {

using Flags = dnnl::normalization_flags;

// oneDNN 3.2 lacks some calls, and one that is missing ends the process.
void needs(const char* call) {
    if (!dlsym(RTLD_DEFAULT, call)) throw dnnl::error(dnnl_unimplemented, "the library has no such call");
}

struct Creation {
    std::string name;
    // The first call makes the hint, if there is one; the second one the primitive. A hint holds the code of its own
    // primitive, so one that lived on would make other cases cheaper.
    std::function<std::function<dnnl::primitive()>()> prepare;
};

// With the cache off, code goes with the last primitive that runs it, so that each round starts from nothing.
Call timed_alone(const Creation& c) {
    const std::string name = "create " + c.name;
    constexpr int rounds = 200;
    try {
        const auto make = c.prepare();
        std::vector<double> times;
        for (int i = 0; i < rounds; ++i) {
            const auto start = std::chrono::steady_clock::now();
            const dnnl::primitive made = make();
            times.push_back(seconds_since(start));
        }
        return summary(name, times);
    } catch (const dnnl::error& e) { return {name, "us", 0, 0, 0, e.what()}; }
}

struct Builder {
    std::vector<Creation> all;
    template <typename Make> void add(const std::string& what, const Data& data, Make make) {
        all.push_back({fmt::format("{} {}", what, data.name()),
                       [=] { return std::function<dnnl::primitive()>([=] { return make(); }); }});
    }
    template <typename Hint, typename Make> void add(const std::string& what, const Data& data, Hint hint, Make make) {
        all.push_back({fmt::format("{} {}", what, data.name()),
                       [=] { return std::function<dnnl::primitive()>([=, made = hint()] { return make(made); }); }});
    }

    void pooling(const char* what, algorithm kind, const Data& data, const Dims& kernel, const Dims& stride,
                 const Dims& pad, const Dims& outputs, bool backward = false) {
        using namespace dnnl;
        const Desc src = data.desc(), dst = Data{outputs, data.type, data.tag}.desc();
        const Dims none(2, 0);
        const auto forward = [=] {
            return pooling_forward::primitive_desc(engine(), prop_kind::forward_training, kind, src, dst, stride,
                                                   kernel, none, pad, pad);
        };
        if (!backward) return add(what, data, [=] { return pooling_forward(forward()); });
        add(what, data, forward, [=](const auto& hint) {
            return pooling_backward({engine(), kind, src, dst, stride, kernel, none, pad, pad, hint});
        });
    }
    void batch(const Data& data) {
        using namespace dnnl;
        const Desc d = data.desc();
        const Flags flags = Flags::use_scale | Flags::use_shift;
        const auto forward = [=] {
            return batch_normalization_forward::primitive_desc(engine(), prop_kind::forward_training, d, d, 1e-5f,
                                                               flags);
        };
        add("batch_norm_train", data, [=] { return batch_normalization_forward(forward()); });
        add("batch_norm_bwd", data, forward, [=](const auto& hint) {
            return batch_normalization_backward({engine(), prop_kind::backward, d, d, d, 1e-5f, flags, hint});
        });
    }
    void layer(const Data& data) {
        using namespace dnnl;
        const Desc d = data.desc();
        const Flags flags = Flags::use_scale | Flags::use_shift;
        const auto forward = [=] {
            needs("dnnl_layer_normalization_forward_primitive_desc_create_v2");
            return layer_normalization_forward::primitive_desc(engine(), prop_kind::forward_training, d, d, 1e-5f,
                                                               flags);
        };
        add("layer_norm_train", data, [=] { return layer_normalization_forward(forward()); });
        add("layer_norm_bwd", data, forward, [=](const auto& hint) {
            return layer_normalization_backward({engine(), prop_kind::backward, d, d, d, 1e-5f, flags, hint});
        });
    }
    void group(const Data& data) {
        using namespace dnnl;
        const Desc d = data.desc();
        const Flags flags = Flags::use_scale | Flags::use_shift;
        const auto forward = [=] {
            needs("dnnl_group_normalization_forward_primitive_desc_create");
            return group_normalization_forward::primitive_desc(engine(), prop_kind::forward_training, d, d, 8, 1e-5f,
                                                               flags);
        };
        add("group_norm_train", data, [=] { return group_normalization_forward(forward()); });
        add("group_norm_bwd", data, forward, [=](const auto& hint) {
            return group_normalization_backward({engine(), prop_kind::backward, d, d, d, 8, 1e-5f, flags, hint});
        });
    }
    void softmax(const Data& data, int axis) {
        using namespace dnnl;
        const Desc d = data.desc();
        const auto forward = [=] {
            return softmax_forward::primitive_desc(engine(), prop_kind::forward_training, algorithm::softmax_accurate,
                                                   d, d, axis);
        };
        add("softmax", data, [=] { return softmax_forward(forward()); });
        add("softmax_bwd", data, forward, [=](const auto& hint) {
            return softmax_backward({engine(), algorithm::softmax_accurate, d, d, d, axis, hint});
        });
    }
    void lrn(const char* what, algorithm kind, const Data& data) {
        using namespace dnnl;
        const Desc d = data.desc();
        const auto forward = [=] {
            return lrn_forward::primitive_desc(engine(), prop_kind::forward_training, kind, d, d, 5, 1e-4f, 0.75f, 2.f);
        };
        add(what, data, [=] { return lrn_forward(forward()); });
        add(fmt::format("{}_bwd", what), data, forward, [=](const auto& hint) {
            return lrn_backward({engine(), kind, d, d, d, 5, 1e-4f, 0.75f, 2.f, hint});
        });
    }
};

std::vector<Creation> creations() {
    constexpr auto max = algorithm::pooling_max, avg = algorithm::pooling_avg_include_padding,
                   avg_exclude = algorithm::pooling_avg_exclude_padding;
    const Dims image{16, 64, 56, 56}, one{1, 1}, two{2, 2}, three{3, 3}, none{0, 0}, half{16, 64, 28, 28},
        small{16, 512, 7, 7};
    Builder b;
    for (const auto& data : {Data{image, f32, nchw}, Data{image, bf16, nChw16c}}) {
        b.pooling("max_3x3", max, data, three, two, one, half);
        b.pooling("max_3x3_bwd", max, data, three, two, one, half, true);
        b.pooling("avg_exclude_3x3", avg_exclude, data, three, one, one, image);
        b.pooling("avg_exclude_3x3_bwd", avg_exclude, data, three, one, one, image, true);
    }
    b.pooling("avg_global", avg, {small, f32, nchw}, {7, 7}, one, none, {16, 512, 1, 1});
    for (const auto& tag : {nchw, nhwc, nChw16c}) b.batch({image, f32, tag});
    b.batch({small, bf16, nhwc});
    for (const auto& type : {f32, bf16}) b.layer({{384, 1024}, type, ab});
    b.group({{1, 32, 64, 64}, f32, nchw});
    b.group({{1, 32, 64, 64}, bf16, nhwc});
    b.softmax({{256, 1000}, f32, ab}, 1);
    b.softmax({image, bf16, nchw}, 1);
    b.lrn("lrn_across", algorithm::lrn_across_channels, {image, f32, nchw});
    b.lrn("lrn_across", algorithm::lrn_across_channels, {image, bf16, nChw16c});
    b.lrn("lrn_within", algorithm::lrn_within_channel, {image, f32, nchw});
    for (const auto& data : {Data{image, f32, nchw}, Data{image, bf16, nChw16c}})
        b.add("sum_over_hw", data, [=, src = data.desc()] {
            const Desc dst({16, 64, 1, 1}, Type::f32, data.tag.second);
            return dnnl::reduction({engine(), algorithm::reduction_sum, src, dst, 0.f, 0.f});
        });
    return b.all;
}

} // namespace

std::vector<Call> time_creations(const std::string& filter) {
    dnnl::set_primitive_cache_capacity(0);
    std::vector<Call> calls;
    for (const Creation& c : creations())
        if (c.name.find(filter) != std::string::npos) calls.push_back(timed_alone(c));
    dnnl::set_primitive_cache_capacity(1024);
    return calls;
}

} // namespace tessera::bench::reduce
