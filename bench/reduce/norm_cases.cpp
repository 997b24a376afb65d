// SPDX-License-Identifier: Apache-2.0
// Normalisations: forward with statistics of the data (train), with given ones (apply), and backward.
#include <dlfcn.h>

#include "cases.hpp"

namespace tessera::bench::reduce {
namespace {

using Flags = dnnl::normalization_flags;
constexpr float epsilon = 1e-5f;
const Flags affine = Flags::use_scale | Flags::use_shift;

// oneDNN 3.2 has an older one of its calls alone, and a call that is missing ends the process.
void needs_layer_normalization() {
    if (!dlsym(RTLD_DEFAULT, "dnnl_layer_normalization_forward_primitive_desc_create_v2"))
        throw dnnl::error(dnnl_unimplemented, "the library has no call of layer normalization with types of scales");
}

Desc of_channels(int64_t channels) { return Desc({channels}, Type::f32, Tag::a); }

// Statistics are results of training, and given otherwise.
template <typename Primitive, typename Pd>
Work forward(const Pd& pd, const Desc& data, int64_t channels, bool trains, bool has_mean = true) {
    std::vector<Operand> operands{{DNNL_ARG_SRC, data},
                                  {DNNL_ARG_DST, data, true},
                                  {DNNL_ARG_VARIANCE, pd.variance_desc(), trains},
                                  {DNNL_ARG_SCALE, of_channels(channels)}};
    if (has_mean) {
        operands.push_back({DNNL_ARG_MEAN, pd.mean_desc(), trains});
        operands.push_back({DNNL_ARG_SHIFT, of_channels(channels)});
    }
    return run_on(Primitive(pd), operands);
}

template <typename Primitive, typename Pd> Work backward(const Pd& pd, const Desc& data, int64_t channels) {
    const Desc c = of_channels(channels);
    return run_on(Primitive(pd), {{DNNL_ARG_SRC, data},
                                  {DNNL_ARG_DIFF_DST, data},
                                  {DNNL_ARG_MEAN, pd.mean_desc()},
                                  {DNNL_ARG_VARIANCE, pd.variance_desc()},
                                  {DNNL_ARG_SCALE, c},
                                  {DNNL_ARG_DIFF_SRC, data, true},
                                  {DNNL_ARG_DIFF_SCALE, c, true},
                                  {DNNL_ARG_DIFF_SHIFT, c, true}});
}

struct Builder {
    std::vector<Case>& cases;
    void add(const char* what, const Data& data, std::function<Work()> make) const {
        cases.push_back({"norm", fmt::format("{} {}", what, data.name()), std::move(make)});
    }

    void batch(const Data& data) const {
        using namespace dnnl;
        const int64_t c = data.dims[1];
        const auto make = [data](prop_kind prop, Flags flags) {
            return batch_normalization_forward::primitive_desc(engine(), prop, data.desc(), data.desc(), epsilon,
                                                               flags);
        };
        add("batch_norm_train", data, [=] {
            return forward<batch_normalization_forward>(make(prop_kind::forward_training, affine), data.desc(), c,
                                                        true);
        });
        add("batch_norm_apply", data, [=] {
            const auto pd = make(prop_kind::forward_inference, affine | Flags::use_global_stats);
            return forward<batch_normalization_forward>(pd, data.desc(), c, false);
        });
        add("batch_norm_bwd", data, [=] {
            const batch_normalization_backward::primitive_desc pd(engine(), prop_kind::backward, data.desc(),
                                                                  data.desc(), data.desc(), epsilon, affine,
                                                                  make(prop_kind::forward_training, affine));
            return backward<batch_normalization_backward>(pd, data.desc(), c);
        });
    }
    void layer(const Data& data) const {
        using namespace dnnl;
        const int64_t c = data.dims.back();
        const auto make = [data] {
            needs_layer_normalization();
            return layer_normalization_forward::primitive_desc(engine(), prop_kind::forward_training, data.desc(),
                                                               data.desc(), epsilon, affine);
        };
        add("layer_norm_train", data,
            [=] { return forward<layer_normalization_forward>(make(), data.desc(), c, true); });
        add("layer_norm_bwd", data, [=] {
            const layer_normalization_backward::primitive_desc pd(engine(), prop_kind::backward, data.desc(),
                                                                  data.desc(), data.desc(), epsilon, affine, make());
            return backward<layer_normalization_backward>(pd, data.desc(), c);
        });
    }
    void rms(const Data& data) const {
        using namespace dnnl;
        add("rms_norm", data, [=] {
            needs_layer_normalization();
            const layer_normalization_forward::primitive_desc pd(engine(), prop_kind::forward_training, data.desc(),
                                                                 data.desc(), epsilon,
                                                                 Flags::use_scale | Flags::rms_norm);
            return forward<layer_normalization_forward>(pd, data.desc(), data.dims.back(), true, false);
        });
    }
    void group(const Data& data, int64_t groups) const {
        using namespace dnnl;
        const int64_t c = data.dims[1];
        const auto make = [=] {
            return group_normalization_forward::primitive_desc(engine(), prop_kind::forward_training, data.desc(),
                                                               data.desc(), groups, epsilon, affine);
        };
        add("group_norm_train", data,
            [=] { return forward<group_normalization_forward>(make(), data.desc(), c, true); });
        add("group_norm_bwd", data, [=] {
            const group_normalization_backward::primitive_desc pd(
                engine(), prop_kind::backward, data.desc(), data.desc(), data.desc(), groups, epsilon, affine, make());
            return backward<group_normalization_backward>(pd, data.desc(), c);
        });
    }
};

} // namespace

std::vector<Case> norm_cases() {
    std::vector<Case> cases;
    const Builder build{cases};
    for (const auto& tag : image_tags) // channels and sides of ResNet-50
        for (const auto& [channels, side] : {std::pair<int64_t, int64_t>{64, 112},
                                             {64, 56},
                                             {256, 56},
                                             {128, 28},
                                             {512, 28},
                                             {256, 14},
                                             {1024, 14},
                                             {512, 7},
                                             {2048, 7}})
            build.batch({{16, channels, side, side}, f32, tag});
    for (const auto& tag : image_tags)
        for (const auto& [channels, side] : {std::pair<int64_t, int64_t>{64, 112}, {256, 56}, {1024, 14}})
            build.batch({{16, channels, side, side}, bf16, tag});
    for (const auto& type : {f32, bf16}) {
        for (const Dims& dims : {Dims{1, 1024}, Dims{384, 1024}, Dims{3072, 1024}, Dims{1000, 67}})
            build.layer({dims, type, ab});
        for (const Dims& dims : {Dims{1, 4096}, Dims{512, 4096}}) build.rms({dims, type, ab});
        for (const auto& tag : {ncdhw, ndhwc}) {
            build.group({{1, 32, 64, 64, 64}, type, tag}, 8);
            build.group({{1, 64, 32, 32, 32}, type, tag}, 8);
            build.group({{1, 256, 16, 16, 16}, type, tag}, 8);
        }
    }
    return cases;
}

} // namespace tessera::bench::reduce
