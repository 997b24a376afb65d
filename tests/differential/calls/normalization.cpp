// SPDX-License-Identifier: Apache-2.0
#include "normalization.hpp"

#include <algorithm>

#include "../primitives/normalization.hpp"

namespace differential {

void normalization_operands(const Problem& p, const Dims& sets, int64_t channels, std::vector<Operand>& inputs,
                            std::vector<Operand>& outputs) {
    const bool backward = is_backward(p), statistics = p.want == "mean" || p.want == "variance";
    const auto side = [](const std::string& type, const Dims& dims, const char* tag) {
        Side s;
        s.type = type, s.dims = dims, s.tag = tag;
        return s;
    };
    const Side of_sets = side("f32", sets, "any"),
               of_channels = side(statistics ? "f32" : p.other.type, {channels}, "a");
    inputs.push_back({DNNL_ARG_SRC, p.src, {}});
    if (statistics_are_given(p)) {
        if (!has_flag(p, 'M')) inputs.push_back({DNNL_ARG_MEAN, of_sets, {}});
        inputs.push_back({DNNL_ARG_VARIANCE, of_sets, {}});
    }
    if (has_flag(p, 'C')) inputs.push_back({DNNL_ARG_SCALE, of_channels, {}});
    if (has_flag(p, 'H') && !backward) inputs.push_back({DNNL_ARG_SHIFT, of_channels, {}});
    if (backward) inputs.push_back({DNNL_ARG_DIFF_DST, p.dst, {}});
    outputs.push_back({backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, p.dst, {}});
    if (shows_statistics(p)) {
        if (!has_flag(p, 'M')) outputs.push_back({DNNL_ARG_MEAN, of_sets, {}});
        outputs.push_back({DNNL_ARG_VARIANCE, of_sets, {}});
    }
    // backward_data has none, but oneDNN asks for their memories.
    if (backward && has_flag(p, 'C')) outputs.push_back({DNNL_ARG_DIFF_SCALE, of_channels, {}});
    if (backward && has_flag(p, 'H')) outputs.push_back({DNNL_ARG_DIFF_SHIFT, of_channels, {}});
    const int wanted = p.want == "mean"         ? DNNL_ARG_MEAN
                       : p.want == "variance"   ? DNNL_ARG_VARIANCE
                       : p.want == "diff_scale" ? DNNL_ARG_DIFF_SCALE
                       : p.want == "diff_shift" ? DNNL_ARG_DIFF_SHIFT
                                                : outputs[0].argument;
    for (Operand& output : outputs) // the judged one comes first
        if (output.argument == wanted) std::swap(output, outputs[0]);
}

const_dnnl_memory_desc_t result_of(const Problem& p, const Operands& o) {
    for (const Operand& output : o.outputs)
        if (output.argument == (is_backward(p) ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST)) return output.md();
    return nullptr;
}

const_dnnl_memory_desc_t any_layout_of(const_dnnl_memory_desc_t src, Descriptor& made) {
    int ndims = 0;
    dnnl_dims_t* dims = nullptr;
    dnnl_data_type_t type = dnnl_data_type_undef;
    dnnl_memory_desc_query(src, dnnl_query_ndims_s32, &ndims);
    dnnl_memory_desc_query(src, dnnl_query_dims, &dims);
    dnnl_memory_desc_query(src, dnnl_query_data_type, &type);
    dnnl_memory_desc_create_with_tag(&made.value, ndims, *dims, type, dnnl_format_tag_any);
    return made.value;
}

unsigned flags_of(const Problem& p) {
    unsigned flags = 0;
    for (size_t bit = 0; bit < 6; ++bit) flags |= unsigned(has_flag(p, "GCHRAM"[bit])) << bit;
    return flags;
}

} // namespace differential
