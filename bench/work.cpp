// SPDX-License-Identifier: Apache-2.0
// Buffers, their contents, and the primitives on them.
#include "work.hpp"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tessera::bench {
namespace {

using dnnl::memory;
using Owned = std::vector<std::shared_ptr<char[]>>;

const dnnl::stream& stream() {
    static const dnnl::stream work(engine());
    return work;
}

// A tensor in a buffer that starts 320 bytes further into its page than the one made before, because copies whose two
// addresses agree in their low 12 bits stall on processors that compare only those.
memory tensor(const memory::desc& desc, Owned& owned) {
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
float small_positive(size_t i) { return float(1 + i * 37 % 251 % 13); }
// Of both signs, -1.75 to 1.75: activations take all their branches, and exp stays finite in f16.
float small_signed(size_t i) {
    const int quarters = int(i * 37 % 251 % 15) - 7;
    return quarters == 0 ? 0.125f : 0.25f * float(quarters);
}

void fill(const memory& m, float (*value)(size_t)) {
    const auto desc = m.get_desc();
    std::vector<float> values(size_t(volume(desc.get_dims())));
    for (size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    memory::dims strides(desc.get_dims().size());
    memory::dim next = 1;
    for (size_t d = strides.size(); d-- > 0; next *= desc.get_dims()[d]) strides[d] = next;
    memory from(memory::desc(desc.get_dims(), memory::data_type::f32, strides), engine(), values.data());
    memory to = m;
    dnnl::reorder(from, to).execute(stream(), from, to);
    dnnl::stream(stream()).wait();
}

std::function<void()> running(const dnnl::primitive& primitive, Owned owned,
                              std::unordered_map<int, memory> arguments) {
    return [primitive, owned = std::move(owned), arguments = std::move(arguments)] {
        primitive.execute(stream(), arguments);
        dnnl::stream(stream()).wait();
    };
}

int64_t element_bytes(const memory::desc& desc) { return int64_t(memory::data_type_size(desc.get_data_type())); }
int64_t bytes_of_elements(const memory::desc& desc) {
    const auto type = desc.get_data_type();
    const int64_t elements = volume(desc.get_dims());
    const bool two_a_byte = type == memory::data_type::s4 || type == memory::data_type::u4;
    return two_a_byte ? elements / 2 : elements * element_bytes(desc);
}

// Sizes of the work, and its run on src and dst, whatever these are called.
Work moved(const dnnl::primitive& primitive, const memory::desc& from, const memory::desc& to, int from_arg,
           int to_arg) {
    Owned owned;
    const memory src = tensor(from, owned), dst = tensor(to, owned);
    fill(src, small_positive);
    Work work;
    work.elements = volume(from.get_dims());
    work.bytes = work.elements * element_bytes(from) + int64_t(to.get_size());
    work.run = running(primitive, std::move(owned), {{from_arg, src}, {to_arg, dst}});
    return work;
}

dnnl::reorder reorder_of(const memory::desc& from, const memory::desc& to) {
    return dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
}

} // namespace

const dnnl::engine& engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

int64_t volume(const memory::dims& dims) {
    int64_t product = 1;
    for (auto d : dims) product *= d;
    return product;
}

Work move_between(const memory::desc& from, const memory::desc& to) {
    Work work = moved(reorder_of(from, to), from, to, DNNL_ARG_FROM, DNNL_ARG_TO);
    const int64_t read = element_bytes(from), written = element_bytes(to);
    if (read == written) return work;
    const memory::dims flat = {work.elements};
    const memory::desc flat_from(flat, from.get_data_type(), memory::format_tag::a);
    const memory::desc flat_to(flat, to.get_data_type(), memory::format_tag::a);
    work.flat = moved(reorder_of(flat_from, flat_to), flat_from, flat_to, DNNL_ARG_FROM, DNNL_ARG_TO).run;
    work.flat_scale = double(work.bytes) / double(work.elements * (read + written));
    return work;
}

Work shuffle_channels(const memory::desc& data, int groups) {
    const dnnl::shuffle_forward::primitive_desc desc(engine(), dnnl::prop_kind::forward_training, data, data, 1,
                                                     groups);
    return moved(dnnl::shuffle_forward(desc), data, data, DNNL_ARG_SRC, DNNL_ARG_DST);
}

Work run_on(const dnnl::primitive& primitive, const std::vector<Operand>& operands) {
    Owned owned;
    Work work;
    for (const Operand& operand : operands) {
        const memory m = operand.given ? operand.given : tensor(operand.desc, owned);
        if (!operand.written && !operand.given) fill(m, small_signed);
        work.arguments.emplace(operand.argument, m);
        work.bytes += bytes_of_elements(operand.desc);
        if (operand.written) work.elements += volume(operand.desc.get_dims());
    }
    work.run = running(primitive, std::move(owned), work.arguments);
    return work;
}

} // namespace tessera::bench
