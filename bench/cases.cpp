// Shapes, types and layouts of the cases.
#include "cases.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Type = memory::data_type;
using Tag = memory::format_tag;
template <typename T> using Named = std::pair<const char*, T>;

constexpr Named<Type> types[] = {{"f32", Type::f32}, {"bf16", Type::bf16}, {"f16", Type::f16},
                                 {"s8", Type::s8},   {"u8", Type::u8},     {"s32", Type::s32}};

const dnnl::engine& engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

const dnnl::stream& stream() {
    static const dnnl::stream work(engine());
    return work;
}

std::string shape(const Dims& dims) { return fmt::format("{}", fmt::join(dims, "x")); }

int64_t volume(const Dims& dims) {
    int64_t product = 1;
    for (auto d : dims) product *= d;
    return product;
}

// A tensor in a buffer that starts 320 bytes further into its page than the one made before, because copies whose two
// addresses agree in their low 12 bits stall on processors that compare only those.
memory tensor(const memory::desc& desc, std::vector<std::shared_ptr<char[]>>& owned) {
    static size_t made = 0;
    constexpr size_t page = 4096;
    const size_t bytes = desc.get_size(), shift = 320 * (made++ % 8);
    owned.emplace_back(new char[bytes + 2 * page]);
    const auto start = reinterpret_cast<uintptr_t>(owned.back().get());
    auto* buffer = reinterpret_cast<char*>((start + page - 1) / page * page + shift);
    std::memset(buffer, 0, bytes);
    return memory(desc, engine(), buffer);
}

// Small values that every type holds exactly; no zero, denormal or NaN, which some processors handle more slowly.
void fill(const memory& m) {
    const auto desc = m.get_desc();
    std::vector<float> values(size_t(volume(desc.get_dims())));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(1 + i * 37 % 251 % 13);
    Dims strides(desc.get_dims().size());
    memory::dim next = 1;
    for (size_t d = strides.size(); d-- > 0; next *= desc.get_dims()[d]) strides[d] = next;
    memory from(memory::desc(desc.get_dims(), Type::f32, strides), engine(), values.data());
    memory to = m;
    dnnl::reorder(from, to).execute(stream(), from, to);
    dnnl::stream(stream()).wait();
}

// src and dst are the two tensors of a mover, whatever its arguments are called.
Work moved(const dnnl::primitive& primitive, const memory::desc& from, const memory::desc& to, int from_arg,
           int to_arg) {
    std::vector<std::shared_ptr<char[]>> owned;
    const memory src = tensor(from, owned), dst = tensor(to, owned);
    fill(src);
    Work work;
    work.elements = volume(from.get_dims());
    work.bytes = work.elements * int64_t(memory::data_type_size(from.get_data_type())) + int64_t(to.get_size());
    work.run = [primitive, owned, args = std::unordered_map<int, memory>{{from_arg, src}, {to_arg, dst}}] {
        primitive.execute(stream(), args);
        dnnl::stream(stream()).wait();
    };
    return work;
}

Case reorder_case(std::string set, std::string name, std::function<std::pair<memory::desc, memory::desc>()> make) {
    return {std::move(set), std::move(name), [make = std::move(make)] {
                const auto [from, to] = make();
                const dnnl::reorder::primitive_desc desc(engine(), from, engine(), to);
                return moved(dnnl::reorder(desc), from, to, DNNL_ARG_FROM, DNNL_ARG_TO);
            }};
}

} // namespace

std::vector<Case> reorder_cases() {
    constexpr Named<Tag> tags[] = {{"abcd", Tag::abcd}, {"acdb", Tag::acdb}, {"aBcd16b", Tag::aBcd16b}};
    const Dims dims = {8, 64, 56, 56};
    std::vector<Case> cases;
    for (auto [from_type, s] : types)
        for (auto [to_type, d] : types)
            for (auto [from_tag, x] : tags)
                for (auto [to_tag, y] : tags)
                    cases.push_back(reorder_case(
                        "reorder", fmt::format("{}->{} {}->{} {}", from_type, to_type, from_tag, to_tag, shape(dims)),
                        [dims, s = s, d = d, x = x, y = y] {
                            return std::pair(memory::desc(dims, s, x), memory::desc(dims, d, y));
                        }));
    return cases;
}

std::vector<Case> shuffle_cases() {
    constexpr Named<Tag> tags[] = {{"nchw", Tag::nchw}, {"nhwc", Tag::nhwc}, {"nChw16c", Tag::nChw16c}};
    // Channels, height = width and groups of shufflenet stages.
    constexpr int layers[][3] = {{240, 28, 3}, {480, 14, 3}, {960, 7, 3},  {272, 28, 4}, {480, 14, 4},
                                 {384, 28, 8}, {480, 14, 8}, {116, 28, 2}, {232, 14, 2}, {464, 7, 2}};
    std::vector<Case> cases;
    for (auto [type_name, type] : types)
        for (auto [tag_name, tag] : tags)
            for (const auto& [channels, side, groups] : layers) {
                const Dims dims = {8, channels, side, side};
                cases.push_back({"shuffle", fmt::format("{} {} {} g{}", type_name, tag_name, shape(dims), groups),
                                 [dims, type = type, tag = tag, groups = groups] {
                                     const memory::desc md(dims, type, tag);
                                     const dnnl::shuffle_forward::primitive_desc desc(
                                         engine(), dnnl::prop_kind::forward_training, md, md, 1, groups);
                                     return moved(dnnl::shuffle_forward(desc), md, md, DNNL_ARG_SRC, DNNL_ARG_DST);
                                 }});
            }
    return cases;
}

std::vector<Case> transpose_cases() {
    std::vector<Case> cases;
    auto add = [&](const Dims& dims, Named<Type> type, Named<Tag> from, Named<Tag> to) {
        cases.push_back(reorder_case("transpose",
                                     fmt::format("{} {}->{} {}", type.first, from.first, to.first, shape(dims)),
                                     [dims, type, from, to] {
                                         return std::pair(memory::desc(dims, type.second, from.second),
                                                          memory::desc(dims, type.second, to.second));
                                     }));
    };
    constexpr Named<Type> f32 = types[0], bf16 = types[1], s8 = types[3];
    constexpr Named<Tag> oihw = {"oihw", Tag::oihw}, nchw = {"nchw", Tag::nchw}, blocked = {"nChw16c", Tag::nChw16c};
    for (auto type : {f32, bf16, s8})
        for (const Dims& dims : {Dims{1024, 1024}, Dims{4096, 4096}, Dims{1000, 1003}, Dims{17, 100000}})
            add(dims, type, {"ab", Tag::ab}, {"ba", Tag::ba});
    for (auto type : {f32, s8}) { // no tag spells dcba
        const Dims dims = {32, 48, 40, 56};
        cases.push_back(
            reorder_case("transpose", fmt::format("{} abcd->dcba {}", type.first, shape(dims)), [dims, type] {
                const Dims reversed = {1, 32, 32 * 48, 32 * 48 * 40};
                return std::pair(memory::desc(dims, type.second, Tag::abcd), memory::desc(dims, type.second, reversed));
            }));
    }
    for (const Dims& dims : {Dims{64, 64, 3, 3}, Dims{512, 512, 3, 3}}) {
        add(dims, f32, oihw, {"OIhw16i16o", Tag::OIhw16i16o});
        add(dims, bf16, oihw, {"OIhw16i16o", Tag::OIhw16i16o});
        add(dims, s8, oihw, {"OIhw4i16o4i", Tag::OIhw4i16o4i});
    }
    for (const Dims& dims : {Dims{1024, 1024}, Dims{4096, 4096}})
        add(dims, s8, {"ab", Tag::ab}, {"BA16a64b4a", Tag::BA16a64b4a});
    for (auto type : {f32, bf16, s8}) { // 60 channels: the last block of 16 is padded
        add({8, 60, 56, 56}, type, nchw, blocked);
        add({8, 60, 56, 56}, type, blocked, nchw);
    }
    return cases;
}

} // namespace tessera::bench
