// SPDX-License-Identifier: Apache-2.0
#include "api/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "api/log/log.hpp"
#include "api/settings.hpp"
#include "core/cache/problem_key.hpp"
#include "core/layout/coalesce.hpp"
#include "core/layout/layout.hpp"
#include "core/verbose/verbose.hpp"
#include "ops/ops.hpp"

namespace tessera {

// The name people write in C: "DNNL_ARG_TO" of a reorder, "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC".
std::string c_name(PrimitiveKind kind, int id) {
    if (id >= arg::post_op(0))
        return fmt::format("DNNL_ARG_ATTR_MULTIPLE_POST_OP({}) | {}", id / arg::post_op(0) - 1,
                           c_name(kind, id % arg::post_op(0)));
    if (id & arg::zero_points) return "DNNL_ARG_ATTR_ZERO_POINTS | " + c_name(kind, id & ~arg::zero_points);
    if (id & arg::scales) return "DNNL_ARG_ATTR_SCALES | " + c_name(kind, id & ~arg::scales);
    if (id == arg::dropout_offset) return "DNNL_ARG_ATTR_DROPOUT_OFFSET";
    if (id == arg::dropout_mask) return "DNNL_ARG_ATTR_DROPOUT_MASK";
    if (id == arg::dropout_probability) return "DNNL_ARG_ATTR_DROPOUT_PROBABILITY";
    if (id == arg::dropout_seed) return "DNNL_ARG_ATTR_DROPOUT_SEED";
    if (id == arg::rounding_seed) return "DNNL_ARG_ATTR_ROUNDING_SEED";
    if (ops::row(kind).reads_reductions && id == (arg::precomputed_reductions | arg::src))
        return "DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC";
    if (id == arg::output_scales) return "DNNL_ARG_ATTR_OUTPUT_SCALES";
    if (id >= arg::multiple_src) return fmt::format("DNNL_ARG_MULTIPLE_SRC + {}", id - arg::multiple_src);
    if (ops::row(kind).two_engines && id == arg::src) return "DNNL_ARG_FROM";
    if (ops::row(kind).two_engines && id == arg::dst) return "DNNL_ARG_TO";
    const std::string word = arg_name(id);
    if (word.starts_with("argument ")) return word.substr(word.find(' ') + 1); // it has no name
    std::string text = "DNNL_ARG_" + word;
    for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string subject(const Implementation& impl, int id) {
    const PrimitiveKind kind = impl.problem.kind;
    return fmt::format("{}: argument {} ({})", name(kind), c_name(kind, id), id);
}

std::string described(const MemoryDesc& md) { return fmt::format("{} {}", to_token(md), to_string(md.dims_span())); }

namespace {

// Bytes of a buffer, as the descriptor of its memory object promises them.
size_t bytes_behind(const MemoryDesc& md, int buffer) {
    return md.is_blocked() && md.offset0 != 0 ? reach_of(md) : size_of(md, buffer);
}

template <typename Use> void log_taken(const Implementation& impl, int id, const MemoryDesc& given, const Use& use) {
    log_argument(name(impl.problem.kind), [&] {
        return fmt::format("{} is a memory of {}; its buffer is used as {}", subject(impl, id), described(given),
                           use());
    });
}

// Where elements lie, dims of extent 1 aside.
struct Order {
    std::vector<int64_t> extents;
    Modes modes; // of one dim after the other, fused where they are dense

    // From the first element on without gaps, in whatever order.
    bool fills_its_buffer() const {
        int64_t stride = 1;
        for (size_t found = 0; found < modes.size(); ++found) {
            const auto next = std::ranges::find(modes, stride, &Mode::stride);
            if (next == modes.end()) return false;
            stride *= next->extent;
        }
        return true;
    }
};

Order order_of(const MemoryDesc& md) {
    Order order;
    const Layout layout = layout_of(md);
    for (size_t d = 0; d < layout.dims.size(); ++d) {
        if (md.dims[d] == 1) continue;
        order.extents.push_back(md.dims[d]);
        for (const Mode& m : coalesce(layout.dims[d]))
            if (m.extent != 1) order.modes.push_back(m);
    }
    return order;
}

Order row_major(std::span<const int64_t> dims) {
    Order order;
    int64_t stride = 1;
    for (const int64_t extent : dims) stride *= extent; // positive: there are values
    for (const int64_t extent : dims) {
        stride /= extent;
        if (extent == 1) continue;
        order.extents.push_back(extent);
        order.modes.push_back({extent, stride});
    }
    return order;
}

bool is_row_major(const MemoryDesc& md) {
    if (!md.is_plain() || md.offset0 != 0) return false;
    int64_t stride = 1;
    for (size_t d = size_t(md.ndims); d-- > 0;) {
        if (md.dims[d] != 1 && md.strides[d] != stride) return false;
        stride *= md.dims[d];
    }
    return true;
}

// Values whose order the primitive fixes. A descriptor that says that they lie elsewhere is refused: by an offset, gaps
// or blocks, or by other strides over the dims of the values. Over other dims it says nothing about their order: a
// memory of 1000x2 in ba has the buffer of row-major values of 2x1000.
Result<void> check_order(const Implementation& impl, int id, const Order& read, const std::string& as,
                         const MemoryDesc& md) {
    if (md.offset0 == 0 && !md.is_padded()) {
        const Order given = order_of(md);
        if (given.extents == read.extents ? given.modes == read.modes : given.fills_its_buffer()) return {};
    }
    return invalid(
        "{} is a memory of {}; its values are read {} from the start of the buffer, where its descriptor does "
        "not have them: reorder them, or describe the buffer by one dimension if they lie so",
        subject(impl, id), described(md), as);
}

// The weights of a prelu post-op, of which the primitive knows the mask alone.
bool has_fixed_order(const Tensor& t) { return t.attribute && t.arg % arg::post_op(0) == arg::weights; }

// A memory whose descriptor is not that of the tensor.
[[gnu::noinline]] Result<void> check_other(const Implementation& impl, const Tensor& t, const MemoryDesc& md) {
    if (strict_execution())
        return invalid("{} is a memory of {}; the primitive was made for {}, and execution is strict",
                       subject(impl, t.arg), described(md), described(t.md));
    const int buffers = handle_count(t.md);
    if (!impl.nothing_to_do && handle_count(md) < buffers)
        return invalid("{} is a memory of {} with {:buffer}; the primitive was made for {}, which has {}",
                       subject(impl, t.arg), described(md), counted(handle_count(md)), described(t.md), buffers);
    for (int i = 0; !impl.nothing_to_do && i < buffers; ++i)
        if (const size_t bytes = bytes_behind(md, i), needed = reach_of(t.md, i); bytes < needed)
            return invalid("{} is a memory of {}, {:byte}; the primitive was made for {} and reaches {:byte}",
                           subject(impl, t.arg), described(md), counted(bytes), described(t.md), counted(needed));
    const bool at_start = t.md.nelems() == 1 && md.offset0 == 0;
    if (!impl.nothing_to_do && has_fixed_order(t) && md.is_blocked() && !at_start)
        if (auto ok = check_order(impl, t.arg, order_of(t.md), "as " + described(t.md), md); !ok) return ok;
    log_taken(impl, t.arg, md, [&] { return described(t.md); });
    return {};
}

// Strict mode: the descriptor must be exactly the one that follows from the attributes.
Result<void> check_declared(const Implementation& impl, const QuantArg& q, const MemoryDesc& md) {
    if (md.type != q.quant.type)
        return invalid("{} has values of type {}; the attributes say {}", subject(impl, q.id), name(md.type),
                       name(q.quant.type));
    if (q.quant.on_host != (md.kind == FormatKind::host_scalar))
        return invalid("{} must be {}, as the attributes say", subject(impl, q.id),
                       q.quant.on_host ? "a host scalar" : "a memory of the engine, not a host scalar");
    if (!q.quant.on_host && (!is_row_major(md) || md.nelems() < q.count))
        return invalid("{} is a memory of {}; it takes {:value}, dense and in order", subject(impl, q.id),
                       described(md), counted(q.count));
    return {};
}

} // namespace

Result<void> check_tensor(const Implementation& impl, const Tensor& t, const dnnl_memory& memory) {
    const MemoryDesc& md = memory.desc.md;
    if (!same_fields(md, t.md) && !(md == t.md)) [[unlikely]]
        if (auto ok = check_other(impl, t, md); !ok) return ok;
    // A host scalar has no handles: its value is in the memory object.
    for (size_t i = 0; !impl.nothing_to_do && i < memory.handles.size(); ++i)
        if (memory.handles[i] == nullptr && size_of(t.md, int(i)) != 0) [[unlikely]]
            return invalid("{} has no buffer (null handle) for its {:byte}", subject(impl, t.arg),
                           counted(size_of(t.md, int(i))));
    return {};
}

Result<void> check_quant(const Implementation& impl, const QuantArg& q, const dnnl_memory& memory) {
    const MemoryDesc& md = memory.desc.md;
    if (strict_execution()) {
        if (auto ok = check_declared(impl, q, md); !ok) return ok;
    } else {
        const size_t bytes = bytes_behind(md, 0), needed = size_t(bytes_of(q.quant.type, q.count));
        if (bytes < needed) [[unlikely]]
            return invalid("{} is a memory of {}, {:byte}; it takes {:value} of {}, {:byte}", subject(impl, q.id),
                           described(md), counted(bytes), counted(q.count), name(q.quant.type), counted(needed));
        const bool at_start = q.count == 1 && md.offset0 == 0;
        if (md.is_blocked() && q.count > 0 && !at_start && !is_row_major(md)) [[unlikely]]
            if (auto ok = check_order(impl, q.id, row_major(q.dims), "row-major over " + to_string(q.dims), md); !ok)
                return ok;
        if (verbose::on(verbose::check)) [[unlikely]]
            if (!check_declared(impl, q, md))
                log_taken(impl, q.id, md,
                          [&] { return fmt::format("{:value} of {} in a row", counted(q.count), name(q.quant.type)); });
    }
    if (!memory.handles.empty() && memory.handles[0] == nullptr && q.count > 0) [[unlikely]]
        return invalid("{} has no buffer (null handle) for its {:value}", subject(impl, q.id), counted(q.count));
    return {};
}

void log_unused(const Implementation& impl, std::span<const dnnl_exec_arg_t> args) {
    for (size_t i = 0; i < args.size(); ++i) {
        const dnnl_exec_arg_t& a = args[i];
        if (std::ranges::count(args.subspan(i + 1), a.arg, &dnnl_exec_arg_t::arg))
            log_argument(name(impl.problem.kind),
                         [&] { return fmt::format("{} is given again; the last counts", subject(impl, a.arg)); });
        // A scratchpad of 0 bytes is expected: no primitive asks for more.
        if (a.arg == arg::scratchpad || std::ranges::count(impl.slots, a.arg, &Implementation::Slot::arg)) continue;
        log_argument(name(impl.problem.kind),
                     [&] { return fmt::format("{} is not read by this primitive", subject(impl, a.arg)); });
    }
}

} // namespace tessera
