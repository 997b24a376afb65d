// SPDX-License-Identifier: Apache-2.0
// The C++ interface of the library: one include for everything but device interop.
//
// Contract: C++11 and later, header only, over the C ABI in dnnl.h. Each class is a shared handle of one C
// object; failures throw dnnl::error, whose text says what was wrong. Members marked "v2" are the spelling
// of the previous major version of the interface; they work beside the present one.
//
//     using namespace dnnl;
//     engine eng(engine::kind::cpu, 0);
//     stream strm(eng);
//     memory::desc md({2, 16, 7, 7}, memory::data_type::f32, memory::format_tag::nchw);
//     memory src(md, eng), dst(md, eng);
//     eltwise_forward relu({eng, prop_kind::forward_inference, algorithm::eltwise_relu, md, md});
//     relu.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
//     strm.wait();

#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

// Objects.
#include "oneapi/dnnl/cpp/attributes.hpp"
#include "oneapi/dnnl/cpp/enums.hpp"
#include "oneapi/dnnl/cpp/memory.hpp"
#include "oneapi/dnnl/cpp/post_ops.hpp"
#include "oneapi/dnnl/cpp/primitive.hpp"
#include "oneapi/dnnl/cpp/primitive_desc.hpp"
#include "oneapi/dnnl/dnnl_common.hpp"

// Primitives; independent of each other.
#include "oneapi/dnnl/cpp/primitives/convolution.hpp"
#include "oneapi/dnnl/cpp/primitives/data_movement.hpp"
#include "oneapi/dnnl/cpp/primitives/deconvolution.hpp"
#include "oneapi/dnnl/cpp/primitives/elementwise.hpp"
#include "oneapi/dnnl/cpp/primitives/layer_normalization.hpp"
#include "oneapi/dnnl/cpp/primitives/matmul.hpp"
#include "oneapi/dnnl/cpp/primitives/normalization.hpp"
#include "oneapi/dnnl/cpp/primitives/pooling.hpp"
#include "oneapi/dnnl/cpp/primitives/resampling.hpp"
#include "oneapi/dnnl/cpp/primitives/shuffle.hpp"
#include "oneapi/dnnl/cpp/primitives/softmax.hpp"
#include "oneapi/dnnl/cpp/rnn/augru.hpp"
#include "oneapi/dnnl/cpp/rnn/gru.hpp"
#include "oneapi/dnnl/cpp/rnn/lstm.hpp"
#include "oneapi/dnnl/cpp/rnn/vanilla_rnn.hpp"

// The library as a whole.
#include "oneapi/dnnl/cpp/service.hpp"

#endif
