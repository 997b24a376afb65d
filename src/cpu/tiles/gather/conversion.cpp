// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/gather/conversion.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::cpu {

using namespace jit;

GatherConversion::GatherConversion(Code& code, const GatherSpec& spec) : code_(code), spec_(spec), codec_(code) {
    if (spec.program.ops.empty()) return;
    if (is_byte_clamp(spec.program, spec.types)) {
        prepare_clamp(codec_, spec.types[1]);
        return;
    }
    program_.emplace(code, codec_, spec.program, spec.types);
    for (const Op& op : spec.program.ops) {
        if (op.code != OpCode::load || op.operand == 0) continue;
        const auto at = int64_t(offsetof(GatherArgs, broadcast)) + 8 * op.operand;
        broadcast_[{op.operand, op.type}] =
            codec_.same(spec.types[size_t(op.operand)], op.type, {code.gload({code.args(), at})});
    }
}

// Vector number `part` of the values; `loaded` gives those of operand 0.
template <typename F> void GatherConversion::compute(Values& values, int part, const F& loaded) {
    program_->emit(
        [&](int operand, ValueType type) {
            return operand == 0 ? loaded(type) : broadcast_.at({operand, type});
        },
        [&](int, ValueType type, Vec value) {
            values.type = type;
            values.vec[part] = value;
        });
}

Vec GatherConversion::joined(DataType to, const Values& v) {
    switch (joins()) {
    case 4:
        return codec_.quad(to, v.type, v.vec);
    case 2:
        return codec_.pair(to, v.type, v.vec[0], v.vec[1]);
    default:
        return codec_.dense(to, v.type, v.vec[0]);
    }
}

Vec GatherConversion::load(Gpr from, std::span<const Part> parts) {
    const DataType source = spec_.types[0], to = spec_.types[1];
    Values values;
    int some = -1; // a part that is used; the others repeat it
    for (size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p].elements) continue;
        some = int(p);
        compute(values, some, [&](ValueType type) {
            return codec_.load(source, type, {from, parts[p].src}, parts[p].elements);
        });
    }
    for (size_t p = 0; p < parts.size(); ++p)
        if (!parts[p].elements) values.vec[p] = values.vec[some];
    Vec x{};
    codec_.store_normal(to, values.type, {values.vec, parts.size()}, [&] {
        const Vec all = joined(to, values);
        if (x.id < 0)
            x = all;
        else
            code_.copy(x, all);
    });
    return x;
}

std::string GatherConversion::kept(const GatherGroup& group, int first) const {
    const int size = bits(spec_.types[1]) / 8, count = code_.width() / size;
    const uint64_t zeros = group.zeros();
    std::string bytes(size_t(code_.width()), char(0xff));
    bool all = true;
    for (int i = 0; i < count; ++i) {
        const int at = (first + i) * spec_.element; // of the line
        if (at >= code_.width() || !(zeros >> at & 1)) continue;
        std::fill_n(bytes.begin() + long(i) * size, size, char(0));
        all = false;
    }
    return all ? std::string() : bytes;
}

void GatherConversion::prepare(const GatherGroup& group) {
    const int per = codec_.lanes() * joins();
    for (int first = 0; first * spec_.element < group.bytes; first += per)
        if (const std::string bytes = kept(group, first); !bytes.empty() && !masks_.count(bytes))
            masks_[bytes] = code_.constant(std::vector<uint8_t>(bytes.begin(), bytes.end()));
}

void GatherConversion::store(Mem m, Vec line, const GatherGroup& group) {
    const DataType from = spec_.types[0], to = spec_.types[1];
    const int source = bits(from) / 8, size = bits(to) / 8;
    if (!program_) line = clamp_bytes(codec_, code_, to, line);
    const int elements = group.bytes / source, lanes = codec_.lanes(), per = lanes * joins();
    const auto part = [&](int first) { return first ? code_.extract(line, lanes * source, first / lanes) : line; };
    for (int first = 0; first < elements; first += per) {
        const int here = std::min(per, elements - first);
        const std::string bytes = kept(group, first);
        const Mem at{m.base, m.disp + int64_t(first) * size};
        const auto put = [&](Vec x) {
            code_.store(at, bytes.empty() ? x : code_.op2(VOp::iand, x, masks_.at(bytes)), here * size);
        };
        if (!program_) {
            put(line);
            continue;
        }
        if (std::ranges::all_of(bytes, [](char b) { return b == 0; }) && !bytes.empty()) {
            code_.store(at, code_.zero(), here * size);
            continue;
        }
        Values values;
        for (int k = 0; k < joins(); ++k) {
            if (k && k * lanes >= here) {
                values.vec[k] = values.vec[0];
                continue;
            }
            compute(values, k, [&](ValueType type) { return codec_.decode(from, type, part(first + k * lanes)); });
        }
        codec_.store_normal(to, values.type, {values.vec, size_t(joins())}, [&] { put(joined(to, values)); });
    }
}

} // namespace tessera::cpu
