#include <fmt/format.h>

#include "core/program/reduction.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

std::string bits_as(ValueType type, uint32_t bits) {
    return type == ValueType::f32 ? fmt::format("as_float(0x{:08x}u)", bits) : fmt::format("(int)0x{:08x}u", bits);
}

std::string arguments(const Plan& plan) {
    std::string text = "ulong points, global const long* nest, global const long* tables";
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (!plan.operands[o].counted) text += fmt::format(", buffer b{}", o);
    return text;
}

// The buffers, and where the numbers of the nest are.
std::string start(const Plan& plan) {
    std::string starts;
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (!plan.operands[o].counted) starts += fmt::format("    const buffer o{0} = b{0} + nest[3 + {0}];\n", o);
    return starts + fmt::format(R"cl(    const size_t id = get_global_id(0);
    if (id >= points) return;
    const int outer = (int)nest[0];
    global const long* base = nest + 3 + {0};
    global const long* loops = base + {0};
    const int width = 1 + 2 * {0};
)cl",
                                plan.operands.size());
}

// A program at every point of a work-item: a run of nest[2] passes of the last loop.
std::string each_point(const Plan& plan, std::string_view body) {
    return fmt::format(R"cl(    const int others = outer > 0 ? outer - 1 : 0;
    global const long* last = loops + others * width;
    const long extent = outer > 0 ? last[0] : 1, runs = (extent + nest[2] - 1) / nest[2];
    const long first = (long)id % runs * nest[2], end = min(first + nest[2], extent);
    long row[{0}];
    for (int o = 0; o < {0}; ++o) row[o] = base[o];
    PLACE(row, {0}, loops, tables, 0, others, (long)id / runs);
    for (long i = first; i < end; ++i) {{
    long at[{0}];
    for (int o = 0; o < {0}; ++o)
        at[o] = row[o] + (outer == 0              ? 0
                          : last[2 + 2 * o] < 0 ? i * last[1 + 2 * o]
                                                : tables[last[2 + 2 * o] + i]);
{1}    }}
)cl",
                       plan.operands.size(), body);
}

// What two partial results give; core/program/reduction.cpp says it for the CPU.
std::string combined(const ReductionParts& parts) {
    const bool floats = parts.type == ValueType::f32;
    switch (parts.combine) {
    case OpCode::reduce_add:
        return floats ? "a.value += b.value;" : "a.value = (int)((uint)a.value + (uint)b.value);";
    case OpCode::reduce_mul:
        return floats ? "a.value *= b.value;" : "a.value = (int)((uint)a.value * (uint)b.value);";
    case OpCode::reduce_max:
        return "a.value = a.value < b.value ? b.value : a.value;";
    case OpCode::reduce_min:
        return "a.value = b.value < a.value ? b.value : a.value;";
    case OpCode::reduce_max_at:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const bool takes_b = b.value > a.value || (!(b.value < a.value) && b.second < a.second);
    if (takes_b) a.value = b.value, a.second = b.second;)cl";
    default:
        return R"cl(if (a.count == 0) return b;
    if (b.count == 0) return a;
    const float n = (float)(a.count + b.count), na = (float)a.count, nb = (float)b.count;
    const float difference = b.value - a.value;
    a.second = a.second + b.second + difference * difference * (na * (nb / n));
    a.value = a.value + difference * (nb / n);)cl";
    }
}

std::string source_of_reduction(const Plan& plan, const Program& program) {
    const ReductionParts parts = split_reduction(program, int(plan.operands.size()));
    const uint32_t nothing = of_nothing(parts.combine, parts.type).value;
    const bool numbered = parts.combine == OpCode::reduce_max_at;
    std::string text = fmt::format(R"cl(
typedef struct {{ {0} value; {1} second; long count; }} partial;
partial combined(partial a, partial b) {{
    {2}
    a.count += b.count;
    return a;
}}
)cl",
                                   c_name(parts.type), c_name(parts.second()), combined(parts));
    // The order of core/program/reduction.hpp: point i goes to partial result i mod 16 of its block of 4096.
    text += fmt::format(R"cl(
kernel void tessera_step({0}) {{
{1}
    const int count_of_loops = (int)nest[1];
    const long count = nest[2];
    long from[{2}];
    for (int o = 0; o < {2}; ++o) from[o] = base[o];
    PLACE(from, {2}, loops, tables, 0, outer, (long)id);
    global const long* last = loops + (count_of_loops - 1) * width;
    const long inner = count_of_loops > outer ? last[0] : 1;
    partial parts[16], total;
    {3} s0 = {4};
    {5} s1 = 0;
    for (long p = 0; p < count;) {{
        long row[{2}];
        for (int o = 0; o < {2}; ++o) row[o] = from[o];
        PLACE(row, {2}, loops, tables, outer, count_of_loops - 1, p / inner);
        for (long i = 0; i < inner; ++i, ++p) {{
            long at[{2}];
            for (int o = 0; o < {2}; ++o)
                at[o] = row[o] + (count_of_loops == outer ? 0
                                  : last[2 + 2 * o] < 0   ? i * last[1 + 2 * o]
                                                          : tables[last[2 + 2 * o] + i]);
            if (p % 4096 == 0)
                for (int k = 0; k < 16; ++k) parts[k].value = {4}, parts[k].second = 0, parts[k].count = 0;
{6}
            partial one;
            one.value = {7}, one.second = {8}, one.count = 1;
            parts[p % 16] = combined(parts[p % 16], one);
            if (p % 4096 != 4095 && p + 1 != count) continue;
            for (int apart = 8; apart; apart /= 2)
                for (int k = 0; k < apart; ++k) parts[k] = combined(parts[k], parts[k + apart]);
            total = p < 4096 ? parts[0] : combined(total, parts[0]);
        }}
    }}
    long at[{2}];
    for (int o = 0; o < {2}; ++o) at[o] = from[o];
    s0 = total.value, s1 = total.second;
{9}}}
)cl",
                        arguments(plan), start(plan), plan.operands.size(), c_name(parts.type),
                        bits_as(parts.type, nothing), c_name(parts.second()), source_of_program(parts.point, plan, "v"),
                        numbered && parts.type == ValueType::f32
                            ? fmt::format("s0 == s0 ? s0 : {}", bits_as(parts.type, nothing))
                            : "s0",
                        numbered ? "s1" : "0", source_of_program(parts.outer, plan, "w"));
    return text;
}

} // namespace

std::string source_of_step(const Plan& plan, const Step& step) {
    std::string text(source_of_types());
    if (step.kind == StepKind::reduce) return text + source_of_reduction(plan, plan.programs[size_t(step.program)]);
    std::string body;
    if (step.kind == StepKind::fill) {
        const auto o = size_t(step.fill_operand);
        body = fmt::format("    put_bits_{}(o{}, at[{}], 0);\n", bits(plan.operands[o].type), o, o);
    } else {
        body = source_of_program(plan.programs[size_t(step.program)], plan, "v");
    }
    return text + fmt::format("\nkernel void tessera_step({}) {{\n{}{}}}\n", arguments(plan), start(plan),
                              each_point(plan, body));
}

} // namespace tessera::gpu
