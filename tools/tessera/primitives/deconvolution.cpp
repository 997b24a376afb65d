// SPDX-License-Identifier: Apache-2.0
#include "core/program/lib/eltwise.hpp"
#include "primitives/convolutions.hpp"

namespace tessera::primitives::deconvolution {
namespace {

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const const_dnnl_memory_desc_t src = a.handle(0), weights = a.handle(1), bias = a.bias_handle(),
                                   dst = a.dst_handle();
    const dnnl_alg_kind_t alg = a.alg();
    const ops::ConvolutionWindows w = convolutions::windows_of(a.line);
    const int64_t *strides = w.strides.data(), *dilation = w.dilation.data(), *left = w.padding_l.data(),
                  *right = w.padding_r.data();
    if (a.line.prop == PropKind::backward_data)
        return dnnl_deconvolution_backward_data_primitive_desc_create(made, engine, alg, src, weights, dst, strides,
                                                                      dilation, left, right, nullptr, attr);
    if (a.line.prop == PropKind::backward_weights)
        return dnnl_deconvolution_backward_weights_primitive_desc_create(made, engine, alg, src, weights, bias, dst,
                                                                         strides, dilation, left, right, nullptr, attr);
    return dnnl_deconvolution_forward_primitive_desc_create(made, engine, a.prop(), alg, src, weights, bias, dst,
                                                            strides, dilation, left, right, attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::deconvolution,
    .help = "  deconvolution [--alg=direct] [--dir=FWD_D|FWD_I|BWD_D|BWD_W] [--stride=SxS] [--dilation=DxD]\n"
            "         [--padding=PxP] [--padding-r=PxP] [--sdt=TS:TW[:TB]] [--ddt=TYPE] [--stag=TAGS:TAGW[:TAGB]]\n"
            "         [--dtag=TAG|any] [--attr-scales=src:0+wei:MASK+dst:0] [--attr-zero-points=src:MASK+dst:MASK]\n"
            "         SRC:WEIGHTS[:BIAS]\n",
    .options = "--alg --dir --stride --dilation --padding --padding-r",
    .usual_alg = alg::deconvolution_direct,
    .sources = Sources::with_bias,
    .three_shapes = "a deconvolution has two or three shapes, SRC:WEIGHTS[:BIAS], like 2x3x5x5:4x3x3x3:4",
    .dims_of_dst = convolutions::dims_of_dst,
    .create = create,
    .make = convolutions::make,
    .adds = true,
    .multiplies = true,
    .view_of_gradients = true,
    .values = summands,
    .bounds = convolutions::bounds,
    .driver = "--deconv",
    .tag = "any",
    .keys = "--bia-dt --wtag",
    .letters = " mb g ic oc id ih iw od oh ow kd kh kw sd sh sw dd dh dw pd ph pw ",
    .example = "g2mb2_ic16oc32_ih5oh5kh3ph1",
    .bias_tag = "a",
    .bias_of = [](std::string_view dir) { return dir.empty() || dir == "FWD_B" || dir == "BWD_WB"; },
    .bias_dims = convolutions::bias_dims,
    .complete = [](spellings::Foreign& f) -> Result<void> {
        if (f.alg.empty()) f.alg = "direct";
        return {};
    },
};

} // namespace tessera::primitives::deconvolution
