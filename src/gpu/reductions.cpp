// SPDX-License-Identifier: Apache-2.0
#include "gpu/reductions.hpp"

#include <fmt/format.h>

#include "gpu/steps.hpp"

namespace tessera::gpu {

namespace {

// What two partial results give; core/program/reduction.cpp says it for the CPU.
std::string combined(const ReductionParts& parts) {
    const bool floats = parts.type == ValueType::f32;
    switch (parts.combine) {
    case OpCode::reduce_add:
        return floats ? "a.value += b.value;" : "a.value = (int)((uint)a.value + (uint)b.value);";
    case OpCode::reduce_mul:
        return floats ? "a.value *= b.value;" : "a.value = (int)((uint)a.value * (uint)b.value);";
    case OpCode::reduce_max: // b.value != b.value: a NaN
        return "a.value = a.value < b.value || b.value != b.value ? b.value : a.value;";
    case OpCode::reduce_min:
        return "a.value = b.value < a.value || b.value != b.value ? b.value : a.value;";
    case OpCode::reduce_max_at:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const bool nan_a = a.value != a.value, nan_b = b.value != b.value;
    const bool above = b.value > a.value || (nan_b && !nan_a), below = b.value < a.value || (nan_a && !nan_b);
    if (above || (!below && b.second < a.second)) a.value = b.value, a.second = b.second;)cl";
    default:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const float n = (float)(a.count + b.count), na = (float)a.count, nb = (float)b.count;
    const float difference = b.value - a.value;
    a.second = a.second + b.second + difference * difference * (na * (nb / n));
    a.value = a.value + difference * (nb / n);)cl";
    }
}

} // namespace

std::string source_of_partial(const Reduction& r) {
    return fmt::format(R"cl(
typedef struct {{ {0} value; {1} second; long count; }} partial;
partial combined(partial a, partial b) {{
    {2}
    a.count += b.count;
    return a;
}}
partial nothing() {{
    partial none;
    none.value = {3}, none.second = 0, none.count = 0;
    return none;
}}
)cl",
                       c_name(r.parts.type), c_name(r.parts.second()), combined(r.parts), r.nothing());
}
std::string point_variables(const Reduction& r) {
    return fmt::format("    {} s0 = 0;\n    {} s1 = 0;\n", c_name(r.parts.type), c_name(r.parts.second()));
}
std::string point_as_partial(const Reduction& r) {
    const bool numbered = r.parts.combine == OpCode::reduce_max_at;
    return fmt::format("    partial one;\n    one.value = s0, one.second = {}, one.count = 1;\n",
                       numbered ? "s1" : "0");
}

std::string each_operand(const Reduction& r, std::string_view pattern) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o) text += fmt::format(fmt::runtime(pattern), o);
    return text;
}
std::string bases(const Reduction& r) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o) text += fmt::format("{}base{}", o ? ", " : "", o);
    return text;
}
std::string elements(const Reduction& r, std::string_view from, const Loop& loop, std::string_view name,
                     std::string_view number) {
    std::string text;
    for (size_t o = 0; o < r.operands; ++o)
        text += fmt::format("    const place e{0} = {1}{0}{2};\n", o, from, along(loop, name, number, o));
    return text;
}

std::string source_of_values(const Reduction& r) {
    return fmt::format("typedef {0} value;\ntypedef {0}16 values16;\n#define COMBINED(a, b) ({1})\n",
                       type_of_values(r.parts), combination(r.parts));
}

std::string source_of_sums(const Reduction& r) {
    if (!r.simple()) return source_of_partial(r) + "#define NOTHING nothing()\n#define VALUE_OF(sum) (sum).value\n";
    return source_of_values(r) + fmt::format("typedef value partial;\n#define combined(a, b) COMBINED(a, b)\n"
                                             "#define NOTHING ((value){})\n#define VALUE_OF(sum) (sum)\n",
                                             r.nothing());
}

std::string_view type_of_values(const ReductionParts& parts) {
    const bool wraps = parts.combine == OpCode::reduce_add || parts.combine == OpCode::reduce_mul;
    return parts.type == ValueType::f32 ? "float" : wraps ? "uint" : "int";
}
bool results_are_beside(const ReductionParts& parts, std::span<const Loop> results, std::span<const Loop> sums,
                        size_t operands) {
    int along_results = 0;
    for (const Op& op : parts.point.ops) {
        if (op.code != OpCode::load || size_t(op.operand) >= operands) continue;
        if (!results.empty() && results.back().stride[size_t(op.operand)] == 1) ++along_results;
        if (!sums.empty() && sums.back().stride[size_t(op.operand)] == 1) --along_results;
    }
    return along_results > 0;
}
std::string_view combination(const ReductionParts& parts) {
    return parts.combine == OpCode::reduce_add   ? "(a) + (b)"
           : parts.combine == OpCode::reduce_mul ? "(a) * (b)"
           : parts.combine == OpCode::reduce_max ? "(a) < (b) || (b) != (b) ? (b) : (a)"
                                                 : "(b) < (a) || (b) != (b) ? (b) : (a)";
}

} // namespace tessera::gpu
