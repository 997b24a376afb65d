// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/kernel/stages.hpp"

#include <algorithm>

namespace tessera::cpu {

using namespace jit;

namespace {

using Order = std::array<int8_t, 6>;

int8_t place_of(int8_t bit, const Order& order) {
    return int8_t(std::find(order.begin(), order.end(), bit) - order.begin());
}

// Three permutations whose composition is `from`: inside of lanes, of dwords across lanes, inside of lanes.
std::array<Order, 3> in_three(const Order& from, int positions) {
    const Order same{0, 1, 2, 3, 4, 5};
    Order first = same, second = same, third = same;
    int top = 3;
    std::vector<int8_t> rise, stay; // bits of positions 0..3
    for (int q = 4; q < positions; ++q)
        if (from[size_t(q)] < 4) rise.push_back(from[size_t(q)]);
    for (int8_t q = 0; q < 4; ++q)
        if (std::find(rise.begin(), rise.end(), q) == rise.end()) stay.push_back(q);
    for (int8_t q : rise) first[size_t(top--)] = q;
    std::copy(stay.begin(), stay.end(), first.begin());

    for (int q = 4; q < positions; ++q) second[size_t(q)] = place_of(from[size_t(q)], first);
    int place = 3;
    for (int8_t q = 4; q < positions; ++q)
        if (std::find(from.begin() + 4, from.begin() + positions, q) == from.begin() + positions)
            second[size_t(place--)] = q; // falls

    Order after{}; // after[q]: original position of the bit that is at q after two steps
    for (size_t q = 0; q < after.size(); ++q) after[q] = first[size_t(second[q])];
    for (size_t q = 0; q < 4; ++q) third[q] = place_of(from[q], after);
    return {first, second, third};
}

} // namespace

Stages::Stages(Code& code, const Network& network, int element)
    : code_(code), network_(network), element_(element), bytes_(1 << network.positions) {
    for (const Stage& s : network.stages)
        steps_.push_back(s.kind == StageKind::permute ? steps_of(s.from) : std::vector<Step>());
}

std::vector<Stages::Step> Stages::steps_of(const Order& from) {
    const int n = network_.positions;
    auto fixed = [&](int begin, int end) {
        for (int q = begin; q < end; ++q)
            if (from[size_t(q)] != q) return false;
        return true;
    };
    if (n == 4 || fixed(4, n)) return {step(from, 0)};
    if (fixed(0, 2)) return {step(from, 4)};
    if (fixed(0, 1) && code_.target().masks) return {step(from, 2)};
    if (code_.target().byte_permute) return {step(from, 1)};
    const auto [first, second, third] = in_three(from, n);
    return {step(first, 0), step(second, 4), step(third, 0)};
}

Stages::Step Stages::step(const Order& from, int element) {
    auto source = [&](int byte) { // of the byte that goes to `byte`
        int result = 0;
        for (int q = 0; q < network_.positions; ++q)
            if (byte >> q & 1) result |= 1 << from[size_t(q)];
        return result;
    };
    std::vector<uint8_t> table(size_t(bytes_), 0);
    for (int b = 0; b < bytes_; ++b) {
        if (element == 0)
            table[size_t(b)] = uint8_t(source(b) & 15);
        else if (b % element == 0)
            table[size_t(b)] = uint8_t(source(b) / element);
    }
    return {element, code_.constant(table)};
}

void Stages::apply(std::vector<Vec>& registers, Range range, Part part) {
    for (size_t i = range.begin; i < range.end; ++i) {
        if (network_.stages[i].kind == StageKind::permute)
            permute(steps_[i], registers, part);
        else
            exchange(network_.stages[i], registers, part);
    }
}

void Stages::exchange(const Stage& s, std::vector<Vec>& registers, Part part) {
    const auto bit = 1u << s.reg_bit;
    for (unsigned r = 0; r < registers.size(); ++r) {
        if (r & bit || !part.has(r)) continue;
        Vec a = registers[r], b = registers[r | bit];
        if (a.id < 0 && b.id < 0) continue;
        if (a.id < 0) a = b; // points that do not exist: whatever is there
        if (b.id < 0) b = a;
        if (s.kind == StageKind::unpack) {
            registers[r] = code_.unpack(false, a, b, element_, bytes_);
            registers[r | bit] = code_.unpack(true, a, b, element_, bytes_);
        } else {
            const bool four = bytes_ == 64;
            registers[r] = code_.lanes(a, b, four ? 0x88 : 0, bytes_);
            registers[r | bit] = code_.lanes(a, b, four ? 0xdd : 3, bytes_);
        }
    }
}

void Stages::permute(const std::vector<Step>& steps, std::vector<Vec>& registers, Part part) {
    for (const Step& s : steps)
        for (unsigned n = 0; n < registers.size(); ++n)
            if (Vec& r = registers[n]; r.id >= 0 && part.has(n))
                r = s.element ? code_.permute(r, s.table, s.element, bytes_) : code_.shuffle(r, s.table, bytes_);
}

} // namespace tessera::cpu
