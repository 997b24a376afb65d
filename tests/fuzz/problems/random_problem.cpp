#include "random_problem.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "ops/ops.hpp"

namespace tessera::fuzz {

namespace {

std::string random_tag(Random& r, int ndims) {
    std::vector<int> order(static_cast<size_t>(ndims));
    std::iota(order.begin(), order.end(), 0);
    if (chance(r, 80)) std::shuffle(order.begin(), order.end(), r);
    std::string inner;
    std::vector<bool> blocked(size_t(ndims), false);
    const int blocks = chance(r, 45) ? 0 : 1 + int(below(r, 3));
    constexpr int sizes[] = {2, 4, 8, 16, 3, 12, 5, 24};
    for (int b = 0; b < blocks; ++b) {
        const int d = int(below(r, ndims));
        blocked[size_t(d)] = true;
        inner += fmt::format("{}{}", sizes[below(r, chance(r, 70) ? 4 : 8)], char('a' + d));
    }
    std::string tag;
    for (int d : order) tag += char((blocked[size_t(d)] ? 'A' : 'a') + d);
    return tag + inner;
}

DataType random_type(Random& r) {
    constexpr DataType common[] = {DataType::f32, DataType::bf16, DataType::f16,
                                   DataType::s8,  DataType::u8,   DataType::s32};
    return chance(r, 60) ? common[below(r, 6)] : all_types[size_t(below(r, std::size(all_types)))];
}

} // namespace

std::vector<int64_t> random_dims(Random& r) {
    const int ndims = chance(r, 5) ? 7 + int(below(r, 6)) : 1 + int(below(r, 6));
    std::vector<int64_t> dims;
    int64_t volume = 1;
    for (int d = 0; d < ndims; ++d) {
        int64_t extent = chance(r, 20) ? 1 : 1 + below(r, chance(r, 30) ? 70 : 9);
        if (chance(r, 1)) extent = 0;
        while (volume * extent > 20000) extent = (extent + 1) / 2;
        if (extent > 0) volume *= extent;
        dims.push_back(extent);
    }
    return dims;
}

namespace {

// Blocks of several dims multiply: 24 x 24 x 24 for a 3 x 3 x 3 tensor. Such descriptors test nothing but patience.
constexpr size_t largest = 2 << 20;

std::optional<MemoryDesc> try_desc(Random& r, const std::vector<int64_t>& dims, DataType type) {
    if (chance(r, 20)) { // a view into something larger
        std::vector<int64_t> parent = dims, offsets(dims.size(), 0);
        for (size_t d = 0; d < dims.size(); ++d) {
            if (!chance(r, 50)) continue;
            offsets[d] = chance(r, 50) ? 0 : 8 * below(r, 3);
            parent[d] += offsets[d] + 8 * below(r, 2);
        }
        auto whole = make_desc_with_tag(parent, type, random_tag(r, int(dims.size())));
        if (!whole || size_of(*whole) > largest) return std::nullopt;
        auto view = submemory(*whole, dims, offsets);
        return view ? std::optional(*view) : std::nullopt;
    }
    if (chance(r, 15)) { // plain with gaps
        std::vector<int64_t> strides(dims.size()), order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), r);
        int64_t stride = 1 + below(r, 2);
        for (int64_t d : order) {
            strides[size_t(d)] = stride;
            stride = stride * std::max<int64_t>(dims[size_t(d)], 1) + below(r, 3);
        }
        auto md = make_desc_with_strides(dims, type, strides);
        return md ? std::optional(*md) : std::nullopt;
    }
    auto md = make_desc_with_tag(dims, type, random_tag(r, int(dims.size())));
    return md ? std::optional(*md) : std::nullopt;
}

} // namespace

MemoryDesc random_desc(Random& r, std::vector<int64_t> dims, DataType type) {
    for (int attempt = 0; attempt < 20; ++attempt)
        if (auto md = try_desc(r, dims, type); md && size_of(*md) <= largest) return *md;
    std::string plain;
    for (size_t d = 0; d < dims.size(); ++d) plain += char('a' + d);
    if (auto md = make_desc_with_tag(dims, type, plain)) return *md;
    return *make_desc_with_tag(dims, DataType::f32, plain);
}

Result<Problem> random_reorder(Random& r) {
    const auto dims = random_dims(r);
    const MemoryDesc src = random_desc(r, dims, random_type(r));
    MemoryDesc dst = random_desc(r, dims, random_type(r));
    Attr attr;
    auto quant = [&](bool scale, int arg) {
        Quant q;
        q.mask = chance(r, 40) ? 0 : int(below(r, 1 << std::min<size_t>(dims.size(), 4)));
        q.type = scale ? DataType::f32 : DataType::s32;
        if (q.mask && dims.size() >= 2 && chance(r, 30)) {
            q.mask |= 3 << (dims.size() - 2);
            const int64_t last = dims[dims.size() - 1], before = dims[dims.size() - 2];
            q.groups = {before > 0 && before % 2 == 0 && chance(r, 50) ? 2 : 1, last > 0 && last % 3 == 0 ? 3 : 1};
        }
        (void)(scale ? attr.set_scales(arg, q) : attr.set_zero_points(arg, q));
    };
    if (chance(r, 40)) {
        if (chance(r, 50)) quant(true, arg::src);
        if (chance(r, 30)) quant(true, arg::dst);
        if (chance(r, 40) && is_integer(src.type)) quant(false, arg::src);
        if (chance(r, 40) && is_integer(dst.type)) quant(false, arg::dst);
        if (chance(r, 30)) {
            PostOp sum;
            sum.kind = PostOpKind::sum;
            sum.scale = chance(r, 50) ? 1.f : 0.5f;
            (void)attr.post_ops.append(sum);
        }
        if (chance(r, 15)) {
            const int mask = int(below(r, 1 << std::min<size_t>(dims.size(), 3)));
            int64_t count = 1;
            for (size_t d = 0; d < dims.size(); ++d)
                if (mask >> d & 1) count *= dims[d];
            std::vector<float> values(size_t(std::max<int64_t>(count, 1)));
            for (size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * float(1 + i % 7);
            (void)attr.set_output_scales(mask, values);
        }
    }
    if (dst.type == DataType::s8 && dst.offset0 == 0 && chance(r, 25) && dims.size() >= 2) {
        Extra extra;
        if (chance(r, 70)) extra.flags |= Extra::s8s8, extra.compensation_mask = chance(r, 50) ? 1 : 3;
        if (chance(r, 50))
            extra.flags |= Extra::asymmetric_src, extra.asymmetric_compensation_mask = chance(r, 50) ? 1 : 3;
        if (chance(r, 20)) extra.flags |= Extra::scale_adjust, extra.scale_adjust_factor = 0.5f;
        if (auto with = with_extra(dst, extra)) dst = *with;
    }
    return ops::make_reorder(src, dst, attr);
}

Result<Problem> random_shuffle(Random& r) {
    auto dims = random_dims(r);
    const int axis = int(below(r, int64_t(dims.size())));
    const int64_t group = 1 + below(r, 5);
    if (chance(r, 80)) dims[size_t(axis)] = group * (1 + below(r, 9));
    const DataType type = random_type(r);
    const MemoryDesc src = random_desc(r, dims, type);
    const MemoryDesc dst = chance(r, 50) ? src : random_desc(r, dims, type);
    constexpr PropKind kinds[] = {PropKind::forward_training, PropKind::forward_inference, PropKind::backward_data};
    return ops::make_shuffle(kinds[below(r, 3)], src, dst, axis, group, {});
}

std::string describe(const Problem& p) {
    std::string text = fmt::format("{} {}", name(p.kind), p.shape());
    for (const Tensor& t : p.tensors) {
        text += fmt::format("\n  {}:{} dims {} padded {} strides {} offset {}", arg_name(t.arg), to_token(t.md),
                            to_string(t.md.dims_span()), to_string({t.md.padded_dims.data(), size_t(t.md.ndims)}),
                            to_string({t.md.strides.data(), size_t(t.md.ndims)}), t.md.offset0);
        for (int j = 0; j < t.md.inner_nblks; ++j)
            text += fmt::format(" {}{}", t.md.inner_blks[size_t(j)], char('a' + t.md.inner_idxs[size_t(j)]));
    }
    return text + fmt::format("\n  {} {}", to_string(p.attr), p.auxiliary());
}

} // namespace tessera::fuzz
