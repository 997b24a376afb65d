// Matmul within the library: the parts that desc, lower, ref and the tests share (MAT rows).
//
// The last two dims of src are M, K, of weights K, N, of dst M, N; those before are the batch.
#pragma once

#include "ops/ops.hpp"

namespace tessera::ops {

Result<Plan> lower_matmul(const Problem& p, const Machine& machine);
void ref_matmul(const Problem& p, const Buffers& buffers);
Result<Problem> resolved_matmul(const Problem& p); // run-time dims filled in

// Products of integers, whose sums are exact; everything else is summed in f32.
bool multiplies_integers(const Problem& p);
// Whether scales or zero points of src or weights vary along k, so that they cannot stand behind the sum.
bool varies_along_k(const std::map<int, Quant>& quants, int id, const MemoryDesc& md);

// ---- ref.cpp: the sums of the oracle, and of the bounds around it
class Products {
public:
    Products(const Problem& p, const Buffers& buffers);
    struct Sum {
        double value = 0, magnitude = 0; // of the terms; of their absolute values
    };
    // Over k at coordinates of dst, of (src - z_s) * (W - z_w), each times its scales if they vary along k.
    Sum at(std::span<const int64_t> at) const;

private:
    struct Factors {
        std::vector<double> values; // row-major
        std::vector<int64_t> strides;
    };
    static Factors factors_of(int id, const Problem& p, const Buffers& buffers);
    Factors src_, weights_;
    int64_t terms_;
};

// ---- sparse.cpp: src or weights list their elements
bool is_sparse(const Problem& p);
Result<Problem> make_sparse_matmul(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& bias,
                                   const MemoryDesc& dst, const Attr& attr);
Result<Plan> lower_sparse_matmul(const Problem& p);

// ---- formats.cpp: the layout of weights that are left open (`any`), a function of their type and shape alone, so that
// one copy serves every M and every machine.
//
// Panels of 16 columns (n), so that a step of k is 64 bytes of f32: one row, of bf16 a pair of rows, of int8 four. The
// matrix units read 16 such steps, 1 KiB, as one tile.
//   f32 and the like  aCb16c of BxKxN: [B][N/16][K][16]
//   bf16              aCB16b16c2b:     [B][N/16][K/32][16][16][2]
//   s8, u8            aCB16b16c4b:     [B][N/16][K/64][16][16][4]
// Where a matrix is small (4096 elements) or narrow (fewer than 16 columns) it stays as it is.
struct WeightsDims {
    std::vector<int> batch, k; // outermost first; blocks are of the last k
    int n;
};
Result<MemoryDesc> weights_format(const MemoryDesc& open, const WeightsDims& dims);

} // namespace tessera::ops
