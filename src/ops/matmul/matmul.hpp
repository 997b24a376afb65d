// SPDX-License-Identifier: Apache-2.0
// Matmul: what validation, lowering, reference and tests share (MAT rows).
//
// The last two dims of src are M, K, of weights K, N, of dst M, N; those before are the batch.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

inline constexpr const char* matmul_name = "matmul"; // in refusals

// ---- desc.cpp: checks everything, answers a complete problem. An empty bias stands for none; every layout may be
// `any`.
Result<Problem> make_matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                            const MemoryDesc& dst, const Attr& attr);

Result<Plan> lower_matmul(const Problem& p);
void ref_matmul(const Problem& p, const Buffers& buffers);
Result<Problem> resolved_matmul(const Problem& p); // run-time dims filled in

// Whether products are summed exactly in s32; everything else is summed in f32.
bool multiplies_integers(const Problem& p);
// Whether scales or zero points of src or weights vary along k, so that they must be applied inside the sum.
bool varies_along_k(const std::map<int, Quant>& quants, int id, const MemoryDesc& md);

// Dynamic quantization: scales of dst that the primitive computes (MAT-44), each from the largest magnitude of a group.
inline constexpr int64_t most_in_group = 64;
const Quant* dynamic_scales(const Attr& attr); // null: there are none
// dynamic_quantization.cpp: the operand in scratch memory that the sums are stored to, and the steps after them.
int add_sums(const MemoryDesc& dst, Plan& plan);
void add_dynamic_quantization(const Problem& p, int sums, int dst_operand, Plan& plan);

// ---- ref.cpp: the sums of the reference, and of its error bounds
class Products {
public:
    Products(const Problem& p, const Buffers& buffers);
    struct Sum {
        double value = 0, magnitude = 0; // sum of the terms; sum of their absolute values
    };
    // Over k at coordinates of dst, of (src - z_s) * (W - z_w), each times its scales if they vary along k.
    Sum at(std::span<const int64_t> at) const;
    double value_at(std::span<const int64_t> at) const; // of the sum alone

private:
    struct Factors {
        std::vector<double> values; // k varies fastest
        std::vector<int64_t> strides;
        const double* from(std::span<const int64_t> at, size_t k) const; // the first of those along k
    };
    static Factors factors_of(int id, const Problem& p, const Buffers& buffers, size_t k);
    template <typename F> void each_term(std::span<const int64_t> at, F&& f) const;

    Factors src_, weights_;
    int64_t terms_;
};

// ---- sparse.cpp: src or weights are sparse
bool is_sparse(const Problem& p);
Result<Problem> make_sparse_matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                                   const MemoryDesc& dst, const Attr& attr);
Result<Plan> lower_sparse_matmul(const Problem& p);

// ---- formats.cpp: the layout of weights that are left open (`any`), a function of their type and shape alone, so that
// one copy serves every M and every machine.
//
// Panels (ops/products/panels.hpp), of types that are interleaved in blocks of an AMX tile.
//   f32 and the like  aCb16c of BxKxN: [B][N/16][K][16]
//   bf16              aCB16b16c2b:     [B][N/16][K/32][16][16][2]
//   s8, u8            aCB16b16c4b:     [B][N/16][K/64][16][16][4]
// A matrix that is small (4096 elements) or narrow (fewer than 16 columns) stays plain.
//
// Weights that are decompressed: bytes that are multiplied as f32 lie in panels, too, a step of k in 16 bytes (aCb16c),
// and kernels widen them in registers. Where products may be those of bf16, or bytes hold two elements, they stay
// plain: rows are converted while they are packed, vector by vector.
Result<MemoryDesc> weights_format(const MemoryDesc& open);
Result<MemoryDesc> decompressed_weights_format(const MemoryDesc& src, const MemoryDesc& open, bool allows_bf16);

} // namespace tessera::ops
