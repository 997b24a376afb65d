// SPDX-License-Identifier: Apache-2.0
// Micro-kernels: the block matrix product a user's own primitive is built from. Experimental; offered only
// with DNNL_EXPERIMENTAL_UKERNEL defined. This version contains none of the kernels: every call but the creation
// of empty objects fails with unimplemented.
// Contract: order of calls is constructor, setters, finalize, generate, then set_hw_context and execute as
// often as needed. Leading dimensions are in elements, offsets in bytes.
//
//     ukernel::brgemm k(M, N, K, batch, lda, ldb, ldc, a_dt, b_dt, c_dt);
//     k.finalize();
//     k.generate();

#ifndef ONEAPI_DNNL_DNNL_UKERNEL_HPP
#define ONEAPI_DNNL_DNNL_UKERNEL_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ukernel.h"

#ifdef DNNL_EXPERIMENTAL_UKERNEL

namespace dnnl {

template <> struct handle_traits<dnnl_brgemm_t> {
    static dnnl_status_t destructor(dnnl_brgemm_t p) { return dnnl_brgemm_destroy(p); }
};
template <> struct handle_traits<dnnl_transform_t> {
    static dnnl_status_t destructor(dnnl_transform_t p) { return dnnl_transform_destroy(p); }
};
template <> struct handle_traits<dnnl_ukernel_attr_params_t> {
    static dnnl_status_t destructor(dnnl_ukernel_attr_params_t p) { return dnnl_ukernel_attr_params_destroy(p); }
};

/// Micro-kernels.
namespace ukernel {

/// How B is stored.
enum class pack_type : int {
    // enumerators: ukernel::pack_type
    undef = dnnl_pack_type_undef,       ///< Not set.
    no_trans = dnnl_pack_type_no_trans, ///< K rows of N.
    trans = dnnl_pack_type_trans,       ///< N rows of K.
    pack32 = dnnl_pack_type_pack32,     ///< Groups of 4 bytes along K, interleaved over N.
    // end of enumerators
};

/// Run-time pointers an execution with post-ops needs.
struct attr_params : public handle<dnnl_ukernel_attr_params_t> {
    /// No pointers.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    attr_params() {
        dnnl_ukernel_attr_params_t c_params = nullptr;
        error::wrap_c_api(dnnl_ukernel_attr_params_create(&c_params), "could not create attribute parameters");
        reset(c_params);
    }
    /// One pointer per binary post-op, in their order.
    /// @param post_ops_args One pointer per binary post-op; the array is not copied.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_post_ops_args(const void** post_ops_args) {
        error::wrap_c_api(dnnl_ukernel_attr_params_set_post_ops_args(get(), post_ops_args),
                          "could not set the arguments of post-ops");
    }
    /// Scales of A.
    /// @param a_scales The f32 scales of A.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_A_scales(const void* a_scales) {
        error::wrap_c_api(dnnl_ukernel_attr_params_set_A_scales(get(), a_scales), "could not set the scales of A");
    }
    /// Scales of B.
    /// @param b_scales The f32 scales of B.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_B_scales(const void* b_scales) {
        error::wrap_c_api(dnnl_ukernel_attr_params_set_B_scales(get(), b_scales), "could not set the scales of B");
    }
    /// Scales of D.
    /// @param d_scales The f32 scales of D.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_D_scales(const void* d_scales) {
        error::wrap_c_api(dnnl_ukernel_attr_params_set_D_scales(get(), d_scales), "could not set the scales of D");
    }
};

/// C = [C +] sum over a batch of A_i B_i, then D = post-ops of C.
struct brgemm : public handle<dnnl_brgemm_t> {
    /// An empty kernel.
    brgemm() = default;

    /// Shapes: A_i M x K, B_i K x N, C M x N; leading dimensions in elements.
    /// @param M Rows of A_i and C.
    /// @param N Columns of B_i and C.
    /// @param K Columns of A_i, rows of B_i.
    /// @param batch_size Number of pairs A_i, B_i.
    /// @param lda Elements from row to row of A_i.
    /// @param ldb Elements from row to row of B_i.
    /// @param ldc Elements from row to row of C.
    /// @param a_dt Type of A.
    /// @param b_dt Type of B.
    /// @param c_dt Type of C.
    /// @param allow_empty true: a refusal leaves this object empty instead of throwing.
    /// @throws dnnl::error with dnnl_unimplemented, unless allow_empty: this version has no micro-kernels.
    brgemm(memory::dim M, memory::dim N, memory::dim K, memory::dim batch_size, memory::dim lda, memory::dim ldb,
           memory::dim ldc, memory::data_type a_dt, memory::data_type b_dt, memory::data_type c_dt,
           bool allow_empty = false) {
        dnnl_brgemm_t c_brgemm = nullptr;
        const dnnl_status_t status =
            dnnl_brgemm_create(&c_brgemm, M, N, K, batch_size, lda, ldb, ldc, memory::convert_to_c(a_dt),
                               memory::convert_to_c(b_dt), memory::convert_to_c(c_dt));
        if (!allow_empty) error::wrap_c_api(status, "could not create a brgemm");
        reset(status == dnnl_success ? c_brgemm : nullptr);
    }

    /// Whether C is added to (true) or written.
    /// @param add_C Whether C is added to instead of written.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_add_C(bool add_C) {
        error::wrap_c_api(dnnl_brgemm_set_add_C(get(), add_C), "could not set whether C is added to");
    }
    /// D, with its leading dimension and type, gets the results of post-ops.
    /// @param ldd Elements from row to row of D.
    /// @param d_dt Type of D.
    /// @param po The post-ops, copied.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_post_ops(memory::dim ldd, memory::data_type d_dt, const post_ops& po = default_post_ops()) {
        error::wrap_c_api(dnnl_brgemm_set_post_ops(get(), ldd, memory::convert_to_c(d_dt), po.get()),
                          "could not set the post-ops of a brgemm");
    }
    /// A gets scales; mask 0.
    /// @param a_scale_mask 0: one scale.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_A_scales(int a_scale_mask) {
        error::wrap_c_api(dnnl_brgemm_set_A_scales(get(), a_scale_mask), "could not set the scales of A");
    }
    /// B gets scales; mask 0, or 2 for one per column.
    /// @param b_scale_mask 0: one scale; 2: one per column.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_B_scales(int b_scale_mask) {
        error::wrap_c_api(dnnl_brgemm_set_B_scales(get(), b_scale_mask), "could not set the scales of B");
    }
    /// D gets scales; mask 0.
    /// @param d_scale_mask 0: one scale.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_D_scales(int d_scale_mask) {
        error::wrap_c_api(dnnl_brgemm_set_D_scales(get(), d_scale_mask), "could not set the scales of D");
    }
    /// Ends the setters; false if the machine cannot run the kernel.
    /// @returns Whether the machine can run the kernel.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    bool finalize() {
        const dnnl_status_t status = dnnl_brgemm_finalize(get());
        if (status == dnnl_unimplemented) return false;
        error::wrap_c_api(status, "could not finalize a brgemm");
        return true;
    }
    /// @param a_dt Type of A.
    /// @param b_dt Type of B.
    /// @returns How B must be stored for these types.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    static pack_type get_B_pack_type(memory::data_type a_dt, memory::data_type b_dt) {
        dnnl_pack_type_t c_type = dnnl_pack_type_undef;
        error::wrap_c_api(dnnl_brgemm_get_B_pack_type(&c_type, memory::convert_to_c(a_dt), memory::convert_to_c(b_dt)),
                          "could not get the packing of B");
        return static_cast<pack_type>(c_type);
    }
    /// @returns Bytes of scratch memory an execution needs.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    size_t get_scratchpad_size() const {
        size_t size = 0;
        error::wrap_c_api(dnnl_brgemm_get_scratchpad_size(get(), &size),
                          "could not get the scratchpad size of a brgemm");
        return size;
    }
    /// @returns Whether the call with D may be used.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    bool is_execute_postops_valid() const {
        int valid = 0;
        error::wrap_c_api(dnnl_brgemm_is_execute_postops_valid(get(), &valid),
                          "could not get whether a brgemm has post-ops");
        return valid != 0;
    }
    /// Prepares the calling thread's hardware state.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void set_hw_context() const {
        error::wrap_c_api(dnnl_brgemm_set_hw_context(get()), "could not set the hardware context");
    }
    /// Ends what set_hw_context() began.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    static void release_hw_context() {
        error::wrap_c_api(dnnl_brgemm_release_hw_context(), "could not release the hardware context");
    }
    /// Generates the code.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void generate() { error::wrap_c_api(dnnl_brgemm_generate(get()), "could not generate a brgemm"); }

    /// Runs without post-ops; one pair of byte offsets into A and B per batch element.
    /// @param A Elements of A.
    /// @param B Elements of B, packed as get_B_pack_type() says.
    /// @param A_B_offsets A pair of byte offsets, into A and B, per element of the batch.
    /// @param C Elements of C.
    /// @param scratchpad get_scratchpad_size() bytes of temporary memory.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void execute(const void* A, const void* B, const std::vector<std::pair<memory::dim, memory::dim>>& A_B_offsets,
                 void* C, void* scratchpad) const {
        const std::vector<dnnl_dim_t> offsets = flat(A_B_offsets);
        error::wrap_c_api(dnnl_brgemm_execute(get(), A, B, offsets.data(), C, scratchpad),
                          "could not execute a brgemm");
    }
    /// Runs with post-ops, into D.
    /// @param A Elements of A.
    /// @param B Elements of B, packed as get_B_pack_type() says.
    /// @param A_B_offsets A pair of byte offsets, into A and B, per element of the batch.
    /// @param C Elements of C.
    /// @param D Elements of D.
    /// @param scratchpad get_scratchpad_size() bytes of temporary memory.
    /// @param params Pointers for scales and post-ops.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void execute(const void* A, const void* B, const std::vector<std::pair<memory::dim, memory::dim>>& A_B_offsets,
                 const void* C, void* D, void* scratchpad, const attr_params& params = default_attr_params()) const {
        const std::vector<dnnl_dim_t> offsets = flat(A_B_offsets);
        error::wrap_c_api(dnnl_brgemm_execute_postops(get(), A, B, offsets.data(), C, D, scratchpad, params.get()),
                          "could not execute a brgemm with post-ops");
    }

    /// @returns No post-ops.
    static const post_ops& default_post_ops() {
        static const post_ops none;
        return none;
    }
    /// @returns No pointers.
    static const attr_params& default_attr_params() {
        static const attr_params none;
        return none;
    }

private:
    static std::vector<dnnl_dim_t> flat(const std::vector<std::pair<memory::dim, memory::dim>>& pairs) {
        std::vector<dnnl_dim_t> values;
        values.reserve(2 * pairs.size());
        for (const auto& pair : pairs) {
            values.push_back(pair.first);
            values.push_back(pair.second);
        }
        return values;
    }
};

/// Stores a K x N matrix as pack_type::pack32.
struct transform : public handle<dnnl_transform_t> {
    /// An empty kernel.
    transform() = default;

    /// From `in_pack_type` with leading dimension in_ld, to pack32 with leading dimension out_ld (elements).
    /// @param K Rows.
    /// @param N Columns.
    /// @param in_pack_type How the input is stored.
    /// @param in_ld Elements from row to row of the input.
    /// @param out_ld Elements from row to row of the output: 16, 32, 48 or 64.
    /// @param in_dt Type of the input.
    /// @param out_dt Type of the output.
    /// @param allow_empty true: a refusal leaves this object empty instead of throwing.
    /// @throws dnnl::error with dnnl_unimplemented, unless allow_empty: this version has no micro-kernels.
    transform(memory::dim K, memory::dim N, pack_type in_pack_type, memory::dim in_ld, memory::dim out_ld,
              memory::data_type in_dt, memory::data_type out_dt, bool allow_empty = false) {
        dnnl_transform_t c_transform = nullptr;
        const dnnl_status_t status =
            dnnl_transform_create(&c_transform, K, N, static_cast<dnnl_pack_type_t>(in_pack_type), in_ld, out_ld,
                                  memory::convert_to_c(in_dt), memory::convert_to_c(out_dt));
        if (!allow_empty) error::wrap_c_api(status, "could not create a transform");
        reset(status == dnnl_success ? c_transform : nullptr);
    }
    /// Generates the code.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void generate() { error::wrap_c_api(dnnl_transform_generate(get()), "could not generate a transform"); }
    /// Runs.
    /// @param in Elements of the input.
    /// @param out Elements of the output.
    /// @throws dnnl::error with dnnl_unimplemented: this version has no micro-kernels.
    void execute(const void* in, void* out) const {
        error::wrap_c_api(dnnl_transform_execute(get(), in, out), "could not execute a transform");
    }
};

} // namespace ukernel

} // namespace dnnl

#endif

#endif
