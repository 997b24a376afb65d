// SPDX-License-Identifier: Apache-2.0
// What the command line and the tests know of a primitive: its problem lines, how far its elements may be from the
// oracle's, and its lines in the words of others. One file a primitive; core/problem/primitives.def lists them.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "api/objects/handles.hpp"
#include "bounds/computation.hpp"
#include "line/problem_line.hpp"
#include "spellings/spellings.hpp"
#include "trial/experiment_data.hpp"

namespace tessera::primitives {

// The descriptors of a line, to make a problem or a primitive descriptor of.
struct Asked {
    const ProblemLine& line;
    const std::vector<MemoryDesc>& srcs;
    const MemoryDesc& dst;

    const MemoryDesc& src() const { return srcs[0]; }
    const MemoryDesc* dst_or_null() const { return line.dst.tag == "omit" ? nullptr : &dst; }
    MemoryDesc bias() const { return srcs.size() == 3 ? srcs[2] : MemoryDesc(); }
    // The same for calls of the C interface.
    const_dnnl_memory_desc_t handle(size_t src) const { return as_handle(srcs[src]); }
    const_dnnl_memory_desc_t dst_handle() const { return dst_or_null() ? as_handle(dst) : nullptr; }
    const_dnnl_memory_desc_t bias_handle() const { return srcs.size() == 3 ? as_handle(srcs[2]) : nullptr; }
    dnnl_prop_kind_t prop() const { return dnnl_prop_kind_t(int(line.prop)); }
    dnnl_alg_kind_t alg() const { return dnnl_alg_kind_t(line.alg); }
};

// How many sources a line has.
enum class Sources {
    one,
    two,
    with_bias,  // src, weights, and a bias where its dims are given
    by_shapes,  // as many as there are shapes
    by_factors, // as many as there are factors, all of one shape
    of_cell,    // types and layouts of layer, states, cell states, weights and bias
};
enum class Open { never, forward, always }; // whether a layout that is not given is the primitive's choice

struct Row {
    PrimitiveKind kind;
    std::string_view help; // its lines in the grammar

    // ---- problem lines
    std::string_view options = ""; // beyond those of all: "--axis --group"; with --dir it has directions
    int usual_alg = 0;             // where --alg is not given; 0: it has to be
    Sources sources = Sources::one;
    std::string_view three_shapes = ""; // of with_bias: what its shapes are
    bool second_shape_is_dst = false;
    bool matrices = false;  // the last two dims are those of matrices; bit n of --rt is k
    size_t rank_of_dst = 0; // 0: that of src
    Open dst_layout = Open::forward;
    bool opens_diff_src = false;
    bool tells_dst_type = false;                                       // printed even if it is that of src
    std::vector<int64_t> (*dims_of_dst)(const ProblemLine&) = nullptr; // null: those of src
    // Extents that are no shape of a tensor; null: shapes.
    Result<std::vector<std::vector<int64_t>>> (*read_dims)(std::string_view) = nullptr;
    std::string (*print_dims)(const std::vector<int64_t>&) = nullptr;
    // All descriptors, the `srcs` of Asked; null: of sources and dst, as the line has them.
    Result<std::vector<MemoryDesc>> (*describe)(const ProblemLine&) = nullptr;
    void (*add_attr)(dnnl::primitive_attr&, const ProblemLine&) = nullptr; // that are its own; null: none

    // The same problem twice: by the call of the C interface, and as a value.
    dnnl_status_t (*create)(dnnl_primitive_desc_t* made, const Asked&, dnnl_engine_t, const_dnnl_primitive_attr_t);
    Result<Problem> (*make)(const Asked&, const Attr&);

    // ---- trials
    bool moves = false;                                   // elements, and computes nothing
    bool adds = false;                                    // many elements, in any order
    bool multiplies = false;                              // and they are products: padding of inputs is zero
    bool view_of_gradients = false;                       // backward: --ssub is of diff_src (BWD_D), --dsub of diff_dst
    Values (*values)(const Problem&, DataType) = nullptr; // null: hostile ones
    int positive = 0;                                     // an argument whose values are, a variance
    // Where an element of an output may lie, in f32; none: exactly where the oracle has it. Null: what attributes make
    // of the oracle's. `inexact`: of which problems; null: of all that have `bounds`.
    std::vector<Interval> (*bounds)(const Computation&, int output, std::span<const int64_t> at) = nullptr;
    bool (*inexact)(const Problem&) = nullptr;

    // ---- lines of benchdnn and verbose lines
    std::string_view driver;                     // "--matmul"
    std::string_view tag = "abx", dtag = "any";  // layouts that a command does not give
    std::string_view keys = "";                  // options of a command that no problem line has
    std::string_view letters = "", example = ""; // of a shape like mb2ic16
    bool third_shape_follows = false;            // from the others
    std::string_view bias_tag = "abx";
    bool (*bias_of)(std::string_view dir) = nullptr; // whether a direction has a bias; null: where its type is given
    std::vector<int64_t> (*bias_dims)(const spellings::Foreign&) = nullptr; // null: the first of the last shape
    Result<void> (*complete)(spellings::Foreign&) = nullptr;                // what depends on several options

    bool has(std::string_view option) const; // among `options` or `keys`
    bool directed() const { return has("--dir"); }
    std::vector<int64_t> dst_dims(const ProblemLine& line) const { return dims_of_dst ? dims_of_dst(line) : line.dims; }
    size_t dst_rank(size_t rank_of_src) const { return rank_of_dst ? rank_of_dst : rank_of_src; }
};
#define PRIMITIVE(name, number)                                                                                        \
    namespace name {                                                                                                   \
    extern const Row row;                                                                                              \
    }
#include "core/problem/primitives.def"
#undef PRIMITIVE

std::span<const Row* const> rows();
const Row& row(PrimitiveKind kind);

// Of products: values whose partial sums stay finite; of integers, which into a wide type may be any.
Values summands(const Problem& p, DataType type);

// Of RNN quantization, as many as a mask asks for: sums of the products of bytes are a few.
std::vector<float> rnn_scales(int mask, int64_t count);

// The primitives with an option: "shuffle concat", or by their drivers: "--shuffle --concat".
std::string owners(std::string_view option, bool drivers = false);

} // namespace tessera::primitives
