// SPDX-License-Identifier: Apache-2.0
#include "vcode_interpreter.hpp"

#include "tile_interpreter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tessera::cpu::jit {

namespace {

struct Value {
    std::array<uint8_t, 64> bytes{};

    // Constant sizes: a call of memcpy an element was half of the interpreter's time.
    template <typename T> uint64_t load(int element) const {
        T x;
        std::memcpy(&x, &bytes.at(size_t(element) * sizeof x), sizeof x);
        return x;
    }
    template <typename T> void store(int element, uint64_t value) {
        const auto x = T(value);
        std::memcpy(&bytes.at(size_t(element) * sizeof x), &x, sizeof x);
    }
    uint64_t u(int element, int es) const {
        switch (es) {
        case 1:
            return load<uint8_t>(element);
        case 2:
            return load<uint16_t>(element);
        case 4:
            return load<uint32_t>(element);
        default:
            return load<uint64_t>(element);
        }
    }
    void set(int element, int es, uint64_t x) {
        switch (es) {
        case 1:
            return store<uint8_t>(element, x);
        case 2:
            return store<uint16_t>(element, x);
        case 4:
            return store<uint32_t>(element, x);
        default:
            return store<uint64_t>(element, x);
        }
    }
    int64_t s(int element, int es) const {
        const int unused = 64 - 8 * es;
        return int64_t(u(element, es) << unused) >> unused;
    }
    double f(int element, int es) const {
        return es == 8 ? std::bit_cast<double>(u(element, 8)) : double(std::bit_cast<float>(uint32_t(u(element, 4))));
    }
};

double nearest_even(double x) {
    if (!(std::fabs(x) < 0x1p52)) return x; // integers already, infinities, NaN
    const double down = std::floor(x), rest = x - down;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) != 0);
    return std::copysign(up ? down + 1 : down, x);
}

uint32_t f16_of(uint32_t bits) {
    const uint32_t sign = bits >> 16 & 0x8000, top = bits >> 13 & 0x3ff;
    const double x = std::fabs(double(std::bit_cast<float>(bits)));
    if (std::isnan(x)) return sign | 0x7e00 | top;
    if (x == 0) return sign;
    if (std::isinf(x)) return sign | 0x7c00;
    const int e = std::max(std::ilogb(x), -14);
    const auto steps = uint32_t(nearest_even(std::ldexp(x, 10 - e))); // 1024..2048, less when subnormal
    return sign | std::min(uint32_t(e + 14) * 1024 + steps, 0x7c00u);
}

uint32_t bf16_of(uint32_t bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) return bits >> 16 | 0x40;
    if (!(bits & 0x7f800000)) return bits >> 31 << 15; // denormals
    const double exact = double(bits), step = 65536;   // magnitudes of floats are ordered as integers are
    return uint32_t(nearest_even(exact / step));
}

uint32_t f32_of(uint32_t half) {
    const uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, rest = half & 0x3ff;
    if (exponent == 31) return sign | 0x7f800000 | rest << 13 | (rest ? 0x400000 : 0);
    const float x = exponent ? std::ldexp(float(1024 + rest), int(exponent) - 25) : std::ldexp(float(rest), -24);
    return sign | std::bit_cast<uint32_t>(x);
}

uint32_t s32_of(float x) {
    const double r = std::nearbyint(double(x));
    return r >= -2147483648.0 && r < 2147483648.0 ? uint32_t(int32_t(r)) : 0x80000000u; // NaN compares false
}

bool holds(int64_t how, bool less, bool equal, bool unordered) {
    switch (how) {
    case 0:
        return equal;
    case 1:
        return less;
    case 2:
        return less || equal;
    case 3:
        return unordered;
    case 4:
        return !equal;
    case 5:
        return !less;
    case 6:
        return !(less || equal);
    default:
        return !unordered;
    }
}

uint64_t saturate(int64_t x, int es, bool to_unsigned) {
    const int64_t high = (int64_t(1) << (8 * es - (to_unsigned ? 0 : 1))) - 1, low = to_unsigned ? 0 : -high - 1;
    return uint64_t(std::clamp(x, low, high));
}

class Interpreter {
public:
    Interpreter(const Code& code, void* args)
        : code_(code), vectors_(code.classes().size()), numbers_(code.classes().size()) {
        numbers_[0] = reinterpret_cast<int64_t>(args);
    }
    void run();

private:
    Value& vec(Reg r) { return vectors_.at(size_t(r)); }
    const Value& vec_or_zero(Reg r) { return r >= 0 ? vec(r) : zero_; }
    int64_t& num(Reg r) { return numbers_.at(size_t(r)); } // general registers and masks
    bool bit(Reg r, int e) { return num(r) >> e & 1; }
    uint8_t* address(const Inst& i) {
        auto a = uint64_t(i.disp); // random registers may wrap round
        if (i.base >= 0) a += uint64_t(num(i.base));
        if (i.index >= 0) a += uint64_t(num(i.index)) * uint64_t(i.scale);
        return reinterpret_cast<uint8_t*>(a);
    }
    bool structure(const Inst& i);
    bool general(const Inst& i);
    bool memory(const Inst& i);
    bool moves(const Inst& i, Value& d);
    bool integer(const Inst& i, Value& d);
    bool floating(const Inst& i, Value& d);
    bool comparisons(const Inst& i);
    template <typename F>
    static bool each(const Inst& i, Value& d, const Value& a, const Value& b, const Value& c, F f);
    bool products(const Inst& i, Value& d);
    bool vector(const Inst& i, Value& d);
    bool tiles(const Inst& i);

    const Code& code_;
    const Value zero_;
    std::vector<Value> vectors_;
    std::vector<int64_t> numbers_;
    std::vector<size_t> loops_;
    size_t at_ = 0;
};

bool Interpreter::structure(const Inst& i) {
    switch (i.op) {
    case VOp::loop:
        loops_.push_back(at_);
        return true;
    case VOp::end_loop:
        num(i.d) -= i.imm;
        if (num(i.d) > 0)
            at_ = loops_.back();
        else
            loops_.pop_back();
        return true;
    case VOp::if_positive:
    case VOp::if_less:
        if (i.op == VOp::if_less ? num(i.a) < i.imm : num(i.a) > 0) return true;
        for (int depth = 1; depth;) {
            const VOp op = code_.insts()[++at_].op;
            depth += (op == VOp::if_less || op == VOp::if_positive) - (op == VOp::end_if);
        }
        return true;
    case VOp::end_if:
        return true;
    default:
        return false;
    }
}

bool Interpreter::general(const Inst& i) {
    auto second = [&] { return i.b >= 0 ? num(i.b) : i.imm; };
    auto loaded = [&] {
        int64_t x;
        std::memcpy(&x, address(i), 8);
        return x;
    };
    switch (i.op) {
    case VOp::mask_first: {
        const int64_t n = num(i.a);
        num(i.d) = n >= 64 ? -1 : n <= 0 ? 0 : int64_t((uint64_t(1) << n) - 1);
        return true;
    }
    case VOp::mask_and:
        num(i.d) = num(i.a) & num(i.b);
        return true;
    case VOp::mask_or:
        num(i.d) = num(i.a) | num(i.b);
        return true;
    case VOp::mask_xor:
        num(i.d) = num(i.a) ^ num(i.b);
        return true;
    case VOp::gmask:
        num(i.d) = num(i.k);
        return true;
    case VOp::mask_constant:
    case VOp::gset:
        num(i.d) = i.imm;
        return true;
    case VOp::gload:
        num(i.d) = loaded();
        return true;
    case VOp::gload_s32: {
        int32_t element;
        std::memcpy(&element, address(i), 4);
        num(i.d) = element;
        return true;
    }
    case VOp::gstore:
        std::memcpy(address(i), &num(i.a), 8);
        return true;
    case VOp::gcopy:
        num(i.d) = num(i.a);
        return true;
    case VOp::gadd:
        num(i.d) = int64_t(uint64_t(num(i.a)) + uint64_t(second()));
        return true;
    case VOp::gadd_mem:
        num(i.d) = int64_t(uint64_t(num(i.a)) + uint64_t(loaded()));
        return true;
    case VOp::gsub:
        num(i.d) = int64_t(uint64_t(num(i.a)) - uint64_t(second()));
        return true;
    case VOp::gmul:
        num(i.d) = int64_t(uint64_t(num(i.a)) * uint64_t(second()));
        return true;
    case VOp::gshl:
        num(i.d) = int64_t(uint64_t(num(i.a)) << i.imm);
        return true;
    case VOp::gaddress:
        num(i.d) = reinterpret_cast<int64_t>(address(i));
        return true;
    case VOp::gmin:
        num(i.d) = std::min(num(i.a), num(i.b));
        return true;
    case VOp::prefetch:
    case VOp::fence:
        return true;
    default:
        return false;
    }
}

// Ops that write memory; those that read it are moves.
bool Interpreter::memory(const Inst& i) {
    switch (i.op) {
    case VOp::store:
    case VOp::stream:
        std::memcpy(address(i), vec(i.a).bytes.data(), i.bytes);
        return true;
    case VOp::store_masked:
        for (int e = 0; e < i.bytes / i.es; ++e)
            if (bit(i.k, e)) std::memcpy(address(i) + e * i.es, &vec(i.a).bytes[size_t(e * i.es)], i.es);
        return true;
    default:
        return false;
    }
}

bool Interpreter::moves(const Inst& i, Value& d) {
    const int es = i.es, n = i.bytes, count = es ? n / es : 0;
    const int of = int(i.imm);
    const Value &a = vec_or_zero(i.a), &b = vec_or_zero(i.b);
    auto keep = [&](const Value& from) { std::memcpy(d.bytes.data(), from.bytes.data(), size_t(n)); };
    switch (i.op) {
    case VOp::load:
        std::memcpy(d.bytes.data(), address(i), size_t(n));
        return true;
    case VOp::load_masked:
        for (int e = 0; e < count; ++e)
            if (bit(i.k, e)) std::memcpy(&d.bytes[size_t(e * es)], address(i) + e * es, size_t(es));
        return true;
    case VOp::broadcast:
        std::memcpy(d.bytes.data(), address(i), size_t(es));
        for (int filled = es; filled < n; filled *= 2) // in powers of two, as es and n are
            std::memcpy(&d.bytes.at(size_t(filled)), d.bytes.data(), size_t(std::min(filled, n - filled)));
        return true;
    case VOp::insert:
        keep(a), std::memcpy(&d.bytes[size_t(of * es)], address(i), size_t(es));
        return true;
    case VOp::insert_reg:
        keep(a), std::memcpy(&d.bytes[size_t(of * es)], b.bytes.data(), size_t(es));
        return true;
    case VOp::extract:
        std::memcpy(d.bytes.data(), &a.bytes[size_t(of * es)], size_t(es));
        return true;
    case VOp::load_widen_s:
    case VOp::load_widen_z:
    case VOp::widen_s:
    case VOp::widen_z: {
        Value from = a;
        for (int e = 0; e < n / of && i.a < 0; ++e)
            if (i.k < 0 || bit(i.k, e)) std::memcpy(&from.bytes[size_t(e * es)], address(i) + e * es, size_t(es));
        const bool sign = i.op == VOp::load_widen_s || i.op == VOp::widen_s;
        for (int e = 0; e < n / of; ++e) d.set(e, of, sign ? uint64_t(from.s(e, es)) : from.u(e, es));
        return true;
    }
    case VOp::narrow:
        for (int e = 0; e < count; ++e) d.set(e, of, a.u(e, es));
        return true;
    case VOp::constant:
        std::copy_n(code_.constants()[size_t(of)].begin(), n, d.bytes.begin());
        return true;
    case VOp::zero:
        return true;
    case VOp::copy:
        keep(a);
        return true;
    case VOp::unpack_lo:
    case VOp::unpack_hi:
        for (int e = 0; e < count; ++e) {
            const int lane = 16 / es, from = e / lane * lane + e % lane / 2 + (i.op == VOp::unpack_hi ? lane / 2 : 0);
            d.set(e, es, (e % 2 ? b : a).u(from, es));
        }
        return true;
    case VOp::lanes:
        for (int e = 0; e < n / 16; ++e) {
            const int from = n == 64 ? of >> 2 * e & 3 : of >> e & 1;
            std::memcpy(&d.bytes[size_t(16 * e)], &(e < n / 32 ? a : b).bytes[size_t(16 * from)], 16);
        }
        return true;
    case VOp::shuffle:
        for (int e = 0; e < n; ++e) d.set(e, 1, b.u(e, 1) & 0x80 ? 0 : a.u(e / 16 * 16 + int(b.u(e, 1) & 15), 1));
        return true;
    case VOp::permute:
        for (int e = 0; e < count; ++e) d.set(e, es, a.u(int(b.u(e, es) % uint64_t(count)), es));
        return true;
    case VOp::permute_merge:
        for (int e = 0; e < count; ++e)
            d.set(e, es, bit(i.k, e) ? vec(i.c).u(int(b.u(e, es) % uint64_t(count)), es) : a.u(e, es));
        return true;
    case VOp::permute2:
        for (int e = 0; e < count; ++e) {
            const int from = int(b.u(e, es) % uint64_t(2 * count));
            d.set(e, es, (from < count ? a : vec(i.c)).u(from % count, es));
        }
        return true;
    case VOp::f32_to_bf16:
        for (int e = 0; e < n / 2; ++e) d.set(e, 2, bf16_of(uint32_t((e < n / 4 ? a : b).u(e % (n / 4), 4))));
        return true;
    case VOp::pack_ss:
    case VOp::pack_us:
        for (int e = 0; e < 2 * count; ++e) {
            const int lane = 16 / es, place = e % (2 * lane); // of the 2 * lane results of a lane: a's, then b's
            const int64_t x = (place < lane ? a : b).s(e / (2 * lane) * lane + place % lane, es);
            d.set(e, es / 2, saturate(x, es / 2, i.op == VOp::pack_us));
        }
        return true;
    case VOp::f32_to_f16:
        for (int e = 0; e < n / 4; ++e) d.set(e, 2, f16_of(uint32_t(a.u(e, 4))));
        return true;
    case VOp::f16_to_f32:
        for (int e = 0; e < n / 4; ++e) d.set(e, 4, f32_of(uint32_t(a.u(e, 2))));
        return true;
    default:
        return false;
    }
}

bool Interpreter::integer(const Inst& i, Value& d) {
    const int es = i.es, bits = 8 * es;
    const Value &a = vec_or_zero(i.a), &b = vec_or_zero(i.b);
    const auto each = [&](auto f) {
        for (int e = 0; e < i.bytes / es; ++e) d.set(e, es, f(a.u(e, es), b.u(e, es)));
        return true;
    };
    const auto each_signed = [&](auto f) {
        for (int e = 0; e < i.bytes / es; ++e) d.set(e, es, uint64_t(f(a.s(e, es), b.s(e, es))));
        return true;
    };
    switch (i.op) {
    case VOp::iadd:
        return each([](uint64_t x, uint64_t y) { return x + y; });
    case VOp::isub:
        return each([](uint64_t x, uint64_t y) { return x - y; });
    case VOp::imul:
        return each([](uint64_t x, uint64_t y) { return x * y; });
    case VOp::imul_wide:
        return each([](uint64_t x, uint64_t y) { return uint64_t(uint32_t(x)) * uint32_t(y); });
    case VOp::imin:
        return each_signed([](int64_t x, int64_t y) { return std::min(x, y); });
    case VOp::imax:
        return each_signed([](int64_t x, int64_t y) { return std::max(x, y); });
    case VOp::umin:
        return each([](uint64_t x, uint64_t y) { return std::min(x, y); });
    case VOp::iand:
        return each([](uint64_t x, uint64_t y) { return x & y; });
    case VOp::ior:
        return each([](uint64_t x, uint64_t y) { return x | y; });
    case VOp::ixor:
        return each([](uint64_t x, uint64_t y) { return x ^ y; });
    case VOp::iandn:
        return each([](uint64_t x, uint64_t y) { return ~x & y; });
    case VOp::shl:
        return each([&](uint64_t x, uint64_t) { return i.imm < bits ? x << i.imm : 0; });
    case VOp::shr:
        return each([&](uint64_t x, uint64_t) { return i.imm < bits ? x >> i.imm : 0; });
    case VOp::sar:
        return each_signed([&](int64_t x, int64_t) { return x >> std::min<int64_t>(i.imm, bits - 1); });
    case VOp::shlv:
        return each([&](uint64_t x, uint64_t y) { return y < uint64_t(bits) ? x << y : 0; });
    case VOp::shrv:
        return each([&](uint64_t x, uint64_t y) { return y < uint64_t(bits) ? x >> y : 0; });
    case VOp::mask_vector:
        for (int e = 0; e < i.bytes / es; ++e) d.set(e, es, bit(i.k, e) ? ~uint64_t(0) : 0);
        return true;
    case VOp::select:
        for (int e = 0; e < i.bytes / es; ++e) d.set(e, es, (bit(i.k, e) ? a : b).u(e, es));
        return true;
    default:
        return false;
    }
}

// Of masks, which they write whole.
bool Interpreter::comparisons(const Inst& i) {
    if (i.op != VOp::icmp && i.op != VOp::fcmp && i.op != VOp::fcmp_and && i.op != VOp::fdenormal) return false;
    const int es = i.es;
    const Value &a = vec_or_zero(i.a), &b = vec_or_zero(i.b);
    int64_t mask = 0;
    for (int e = 0; e < i.bytes / es; ++e) {
        bool is = false;
        if (i.op == VOp::icmp) {
            is = holds(i.imm, a.s(e, es) < b.s(e, es), a.u(e, es) == b.u(e, es), false);
        } else if (i.op == VOp::fcmp || i.op == VOp::fcmp_and) {
            const double x = a.f(e, es), y = b.f(e, es);
            is = holds(i.imm, x < y, x == y, std::isunordered(x, y));
        } else {
            const auto bits = uint32_t(a.u(e, 4));
            is = !(bits & 0x7f800000) && bits & 0x7fffff;
        }
        mask |= int64_t(is) << e;
    }
    num(i.d) = i.op == VOp::fcmp_and ? mask & num(i.k) : mask;
    return true;
}

// Tiles as operands of the tile interpreter: by number, which is their order.
bool Interpreter::tiles(const Inst& i) {
    const auto number = [&](Reg r) {
        return r < 0 ? 0 : int(std::count(code_.classes().begin(), code_.classes().begin() + r, RegClass::tile));
    };
    const int64_t row = i.index < 0 ? 0 : num(i.index);
    uint8_t* const first = i.base < 0 ? nullptr : address(i) - row;
    return interpret_tiles({i.op, number(i.d), number(i.a), number(i.b), i.imm, first, row});
}

// As the processor does: the odd elements, which are the upper halves, then the even ones.
uint32_t dot_bf16(uint32_t sum, uint32_t a, uint32_t b) {
    return flushed_fma(a << 16, b << 16, flushed_fma(a & 0xffff0000, b & 0xffff0000, sum));
}

bool Interpreter::products(const Inst& i, Value& d) {
    if (i.op != VOp::dot_bf16 && i.op != VOp::dot_u8s8 && i.op != VOp::dot_s16) return false;
    const Value &a = vec(i.a), &b = vec(i.b);
    for (int e = 0; e < i.bytes / 4; ++e) {
        uint32_t sum = i.op == VOp::dot_s16 ? 0 : uint32_t(vec(i.c).u(e, 4));
        switch (i.op) {
        case VOp::dot_bf16:
            sum = dot_bf16(sum, uint32_t(a.u(e, 4)), uint32_t(b.u(e, 4)));
            break;
        case VOp::dot_u8s8:
            for (int p = 4 * e; p < 4 * e + 4; ++p) sum += uint32_t(int32_t(a.u(p, 1)) * int32_t(b.s(p, 1)));
            break;
        default:
            for (int p = 2 * e; p < 2 * e + 2; ++p) sum += uint32_t(int32_t(a.s(p, 2)) * int32_t(b.s(p, 2)));
        }
        d.set(e, 4, sum);
    }
    return true;
}

template <typename F>
bool Interpreter::each(const Inst& i, Value& d, const Value& a, const Value& b, const Value& c, F f) {
    if (i.es == 8)
        for (int e = 0; e < i.bytes / 8; ++e) {
            const auto of = [&](const Value& v) { return std::bit_cast<double>(v.load<uint64_t>(e)); };
            d.store<uint64_t>(e, std::bit_cast<uint64_t>(f(of(a), of(b), of(c))));
        }
    else
        for (int e = 0; e < i.bytes / 4; ++e) {
            const auto of = [&](const Value& v) { return std::bit_cast<float>(uint32_t(v.load<uint32_t>(e))); };
            d.store<uint32_t>(e, std::bit_cast<uint32_t>(f(of(a), of(b), of(c))));
        }
    return true;
}

bool Interpreter::floating(const Inst& i, Value& d) {
    const Value &a = vec_or_zero(i.a), &b = vec_or_zero(i.b), &c = vec_or_zero(i.c);
    const auto all = [&](auto f) { return each(i, d, a, b, c, f); };
    switch (i.op) {
    case VOp::fadd:
        return all([](auto x, auto y, auto) { return x + y; });
    case VOp::fsub:
        return all([](auto x, auto y, auto) { return x - y; });
    case VOp::fmul:
        return all([](auto x, auto y, auto) { return x * y; });
    case VOp::fdiv:
        return all([](auto x, auto y, auto) { return x / y; });
    case VOp::fmin:
        return all([](auto x, auto y, auto) { return x < y ? x : y; });
    case VOp::fmax:
        return all([](auto x, auto y, auto) { return x > y ? x : y; });
    case VOp::fmin_nan:
        return all([](auto x, auto y, auto) { return std::isnan(y) ? y : std::isnan(x) || x < y ? x : y; });
    case VOp::fmax_nan:
        return all([](auto x, auto y, auto) { return std::isnan(y) ? y : std::isnan(x) || x > y ? x : y; });
    case VOp::fma:
        return all([](auto x, auto y, auto z) { return std::fma(x, y, z); });
    case VOp::fsqrt:
        return all([](auto x, auto, auto) { return std::sqrt(x); });
    case VOp::fround:
        return all([](auto x, auto, auto) { return decltype(x)(nearest_even(x)); });
    case VOp::f32_to_s32:
        for (int e = 0; e < i.bytes / 4; ++e) d.set(e, 4, s32_of(std::bit_cast<float>(uint32_t(a.u(e, 4)))));
        return true;
    case VOp::s32_to_f32:
        for (int e = 0; e < i.bytes / 4; ++e) d.set(e, 4, std::bit_cast<uint32_t>(float(int32_t(a.u(e, 4)))));
        return true;
    default:
        return false;
    }
}

// Of what makes a vector.
bool Interpreter::vector(const Inst& i, Value& d) {
    return floating(i, d) || moves(i, d) || products(i, d) || integer(i, d);
}

void Interpreter::run() {
    for (at_ = 0; at_ < code_.insts().size(); ++at_) {
        const Inst& i = code_.insts()[at_];
        Value d;
        // First what is most frequent; masks are vectors where processors have no others, and numbers here everywhere.
        if (i.d >= 0 && code_.classes()[size_t(i.d)] == RegClass::vec && vector(i, d))
            vec(i.d) = d;
        else if (!(general(i) || structure(i) || memory(i) || comparisons(i) || tiles(i)))
            throw std::logic_error("vcode_interpreter: an op without meaning");
    }
}

} // namespace

void interpret(const Code& code, void* args) { Interpreter(code, args).run(); }

} // namespace tessera::cpu::jit
