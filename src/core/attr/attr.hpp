// SPDX-License-Identifier: Apache-2.0
// Attr: everything that modifies a primitive besides its tensors (ATR, SCL, ZPT, OSC, PO, FPM, ACC, RND, DRP, SCR
// rows).
//
// A value: copied into the problem when a primitive descriptor is made; compared and printed for the cache key.
// Setters check what can be checked without knowing the primitive (ATR-05) and live in attr.cpp, post_ops.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attr/fpmath.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/status.hpp"

namespace tessera {

enum class QuantizationMode : int { undef = 0, static_sazp = 1, dynamic_mx = 2, dynamic_fp = 3 };
enum class ScratchpadMode : int { library = 0, user = 1 };
enum class AccumulationMode : int { strict = 0, relaxed = 1, any = 2, s32 = 3, f32 = 4, f16 = 5 };
enum class RoundingMode : int { environment = 0, stochastic = 1 };

// Scales, zero points and precomputed reductions of one argument. The values are execution-time memories.
struct Quant {
    int mask = 0;                // bit d: varies along logical dimension d of that argument
    std::vector<int64_t> groups; // grouped quantization: extents of a group along the last two dimensions; or empty
    DataType type = DataType::f32;
    bool on_host = false; // a host scalar
    QuantizationMode mode = QuantizationMode::static_sazp;
    bool operator==(const Quant&) const = default;
};

enum class PostOpKind : int {
    undef = 0,
    sum = 4,
    convolution = 5,
    eltwise = 7,
    binary = 13,
    prelu = 18
}; // dnnl_primitive_kind_t

struct PostOp {
    PostOpKind kind = PostOpKind::undef;
    int alg = 0;                                // eltwise, binary: dnnl_alg_kind_t
    float scale = 1.f, alpha = 0.f, beta = 0.f; // sum: scale; eltwise: scale (v2), alpha, beta
    int32_t zero_point = 0;                     // sum
    DataType type = DataType::undef;            // sum: dst read as this type
    MemoryDesc src1, src2;                      // binary; src2 for select
    int mask = 0;                               // prelu
    DataType weights_type = DataType::undef, bias_type = DataType::undef, dst_type = DataType::undef; // depthwise
    int64_t kernel = 0, stride = 0, padding = 0;                                                      // depthwise
    bool operator==(const PostOp&) const; // floats bit by bit: a NaN parameter equals itself (ATR-04)
};

inline constexpr int max_post_ops = 32; // PO-01: the 33rd append returns out_of_memory

struct PostOps {
    std::vector<PostOp> entries;
    Result<void> append(PostOp entry); // checks parameters (PO-02, PO-03) and the length
    bool operator==(const PostOps&) const = default;
};

// Most values that a setter copies, 1 GiB of them: a larger count is garbage, and reading it would overrun the array.
inline constexpr int64_t max_factors = int64_t(1) << 28;

// v2 output scales: factors known at creation; the single value runtime_f32 (a NaN, compared by bits) stands for
// values given at execution as DNNL_ARG_ATTR_OUTPUT_SCALES (OSC rows).
struct OutputScales {
    int mask = 0;
    std::vector<float> values;
    bool at_execution() const;
    bool operator==(const OutputScales&) const;
};

// A seldom used member, kept on the heap: Dropout inline would be two thirds of an Attr. Copies share it, which is safe
// because it is never modified.
template <typename T> class Rare {
public:
    Rare() = default;
    Rare(T value) : value_(std::make_shared<const T>(std::move(value))) {}
    explicit operator bool() const { return value_ != nullptr; }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }
    void reset() { value_.reset(); }
    bool operator==(const Rare& other) const {
        return value_ == other.value_ || (value_ && other.value_ && *value_ == *other.value_);
    }

private:
    std::shared_ptr<const T> value_;
};

struct Dropout {
    MemoryDesc mask;
    DataType seed_type = DataType::s32;
    bool use_offset = false, use_host_scalars = false;
    bool operator==(const Dropout&) const = default;
};

struct RnnQparams {
    float scale = 1.f, shift = 0.f;
    int weights_mask = 0, projection_mask = 0;
    std::vector<float> weights_scales{1.f}, projection_scales{1.f};
    bool operator==(const RnnQparams&) const = default;
};

struct Attr {
    std::map<int, Quant> scales, zero_points, precomputed_reductions; // key: argument id (DNNL_ARG_...)
    PostOps post_ops;
    OutputScales output_scales;
    FpmathMode fpmath = FpmathMode::strict;
    bool fpmath_apply_to_int = false;
    // Whether f32 factors may be rounded to bf16 before the multiplication.
    AccumulationMode accumulation = AccumulationMode::strict;
    ScratchpadMode scratchpad = ScratchpadMode::library;
    bool deterministic = false;
    std::map<int, RoundingMode> rounding;
    Rare<Dropout> dropout;
    std::optional<RnnQparams> rnn;

    Result<void> set_scales(int arg, Quant q);
    Result<void> set_zero_points(int arg, Quant q);
    Result<void> set_precomputed_reductions(int arg, Quant q);
    Result<void> set_output_scales(int mask, std::span<const float> values);
    Result<void> set_rounding(int arg, RoundingMode mode);
    bool operator==(const Attr&) const = default;
    bool has_default_values() const; // ignores the scratchpad mode
};

std::string alg_name(int alg); // "eltwise_relu"; "5" for numbers outside of dnnl_alg_kind_t

// As verbose lines print it, "attr-scales:src0:2:f32 attr-post-ops:sum:0.5" (VRB-05); "" for a default Attr.
std::string to_string(const Attr& attr);

} // namespace tessera
