// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive: something compiled for one problem, ready to run on tensors. The code was generated when the
// primitive descriptor was created; a primitive shares it, so that its own creation is cheap.
//
// Contract: immutable after creation. Arguments are found by their DNNL_ARG_* number; the memory given
// for a number must match what the primitive descriptor says about it. Submission is asynchronous:
// buffers must live until stream.wait().
//
//     prim.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});

#ifndef ONEAPI_DNNL_CPP_PRIMITIVE_HPP
#define ONEAPI_DNNL_CPP_PRIMITIVE_HPP

#include <unordered_map>

#include "oneapi/dnnl/cpp/memory.hpp"

namespace dnnl {

template <> struct handle_traits<dnnl_primitive_desc_t> {
    static dnnl_status_t destructor(dnnl_primitive_desc_t p) { return dnnl_primitive_desc_destroy(p); }
};
template <> struct handle_traits<dnnl_primitive_t> {
    static dnnl_status_t destructor(dnnl_primitive_t p) { return dnnl_primitive_destroy(p); }
};

struct primitive_desc;

/// A computation ready to run. Each kind of computation has a derived class.
struct primitive : public handle<dnnl_primitive_t> {
    /// Kinds of computations.
    enum class kind : int {
        // enumerators: primitive::kind
        undef = dnnl_undefined_primitive,
        reorder = dnnl_reorder,
        shuffle = dnnl_shuffle,
        concat = dnnl_concat,
        sum = dnnl_sum,
        convolution = dnnl_convolution,
        deconvolution = dnnl_deconvolution,
        eltwise = dnnl_eltwise,
        lrn = dnnl_lrn,
        batch_normalization = dnnl_batch_normalization,
        inner_product = dnnl_inner_product,
        rnn = dnnl_rnn,
        binary = dnnl_binary,
        matmul = dnnl_matmul,
        resampling = dnnl_resampling,
        pooling = dnnl_pooling,
        reduction = dnnl_reduction,
        prelu = dnnl_prelu,
        softmax = dnnl_softmax,
        layer_normalization = dnnl_layer_normalization,
        group_normalization = dnnl_group_normalization,
        // end of enumerators
        logsoftmax = dnnl_softmax, ///< v2 name; softmax with algorithm::softmax_log.
        softmax_v2 = dnnl_softmax, ///< v2 name of softmax.
        pooling_v2 = dnnl_pooling, ///< v2 name of pooling.
    };

    using handle::handle;

    /// An empty primitive.
    primitive() = default;

    /// The primitive of a descriptor. This is cheap: the code was generated when the descriptor was created.
    /// @param c_pd C primitive descriptor; it stays the caller's.
    /// @throws dnnl::error with the status of dnnl_primitive_create() if that refuses.
    primitive(const_dnnl_primitive_desc_t c_pd) {
        dnnl_primitive_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_create(&result, c_pd), "could not create a primitive");
        reset(result);
    }

    /// As above, from a cache blob.
    /// @param c_pd C primitive descriptor; it stays the caller's.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t>& cache_blob) {
        dnnl_primitive_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_create_from_cache_blob(&result, c_pd, cache_blob.size(), cache_blob.data()),
                          "could not create a primitive from a cache blob");
        reset(result);
    }

    /// The primitive of a descriptor. This is cheap: the code was generated when the descriptor was created.
    /// @param pd Primitive descriptor.
    /// @throws dnnl::error with the status of dnnl_primitive_create() if that refuses.
    primitive(const primitive_desc& pd);

    /// As above, from a cache blob.
    /// @param pd Primitive descriptor.
    /// @param cache_blob Bytes from get_cache_blob() of an equal primitive.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    primitive(const primitive_desc& pd, const std::vector<uint8_t>& cache_blob);

    /// @returns The descriptor the primitive was built from; it belongs to the primitive.
    /// @throws dnnl::error with the status of dnnl_primitive_get_primitive_desc() if that refuses.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        const_dnnl_primitive_desc_t pd = nullptr;
        error::wrap_c_api(dnnl_primitive_get_primitive_desc(get(), &pd), "could not get the descriptor of a primitive");
        return pd;
    }

    /// @returns The kind of computation.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_query() if that refuses.
    kind get_kind() const {
        dnnl_primitive_kind_t c_kind = dnnl_undefined_primitive;
        error::wrap_c_api(dnnl_primitive_desc_query(get_primitive_desc(), dnnl_query_primitive_kind, 0, &c_kind),
                          "could not get the kind of a primitive");
        return static_cast<primitive::kind>(c_kind);
    }

    /// @returns The compiled code as bytes; CPU engines have none.
    /// @throws dnnl::error with dnnl_unimplemented: CPU engines have no cache blobs.
    std::vector<uint8_t> get_cache_blob() const {
        size_t size = 0;
        error::wrap_c_api(dnnl_primitive_get_cache_blob(get(), &size, nullptr),
                          "could not get the size of a cache blob");
        std::vector<uint8_t> blob(size);
        error::wrap_c_api(dnnl_primitive_get_cache_blob(get(), &size, blob.data()), "could not get a cache blob");
        return blob;
    }

    /// Submits one execution. A missing mandatory argument fails with invalid_arguments; numbers the
    /// primitive does not know are ignored. An empty memory passes as absent.
    /// @param astream Stream on the engine of the primitive.
    /// @param args Memory objects by their DNNL_ARG_* numbers.
    /// @throws dnnl::error with the status of dnnl_primitive_execute() if that refuses.
    void execute(const stream& astream, const std::unordered_map<int, memory>& args) const {
        // 16 covers all but wide concats and LSTM backward; a heap allocation costs as much as a small primitive.
        dnnl_exec_arg_t few[16];
        std::vector<dnnl_exec_arg_t> many;
        dnnl_exec_arg_t* c_args = few;
        if (args.size() > sizeof(few) / sizeof(few[0])) {
            many.resize(args.size());
            c_args = many.data();
        }
        int count = 0;
        for (const auto& arg : args) {
            c_args[count].arg = arg.first;
            c_args[count].memory = arg.second.get(true);
            ++count;
        }
        error::wrap_c_api(dnnl_primitive_execute(get(), astream.get(), count, c_args), "could not execute a primitive");
    }
};

/// @param akind Kind.
/// @returns The C number of a primitive kind.
inline dnnl_primitive_kind_t convert_to_c(primitive::kind akind) { return static_cast<dnnl_primitive_kind_t>(akind); }

} // namespace dnnl

#endif
