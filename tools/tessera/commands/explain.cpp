// SPDX-License-Identifier: Apache-2.0
// tessera explain "<problem line>": the problem, the plan that solves it, and the code that runs the plan.
#include "api/objects/handles.hpp"
#include "commands/commands.hpp"
#include "commands/problem_source.hpp"
#include "cpu/engine.hpp"
#include "disassembly.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera::commands {
namespace {

std::string indented(const std::string& text) {
    std::string out = "  ";
    for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    return out + "\n";
}

enum class Code { none, instructions, bytes };

Result<int> run(const std::string& text, const EngineOption& on, bool color, Code code) {
    auto line = parse_problem_line(text);
    if (!line) return wrong_usage("malformed line: " + line.error().reason);
    if (const auto engine = on.engine(); !engine) return wrong_usage(engine.error().reason);
    if (!line->engine && on.engine().value() != LineEngine()) line->engine = on.engine().value();
    const auto engine = make_engine(line->engine.value_or(LineEngine()));
    if (!engine) return Refusal(engine.error());
    const auto heading = [&](const char* title) { fmt::print("{}\n", styled(title, Style::strong, color)); };
    heading("problem");
    fmt::print("  {}\n", to_string(*line));
    const auto problem = problem_of(*line);
    if (!problem) {
        fmt::print("  refused with {}: {}\n", status_name(problem.error().status), problem.error().reason);
        return line->expect == problem.error().status ? 0 : 1;
    }
    for (const Tensor& tensor : problem->tensors)
        fmt::print("  {:<8} {} {}{}\n", arg_name(tensor.arg), to_token(tensor.md, tensor.was_any),
                   to_string(tensor.md.dims_span()), tensor.output ? "   (written)" : "");
    for (const QuantArg& q : quant_args(*problem))
        fmt::print("  {}: {} of {}, given at execution\n", arg_name(q.id),
                   q.count == runtime_dim ? "as many values as the dims ask for"
                                          : fmt::format("{:value}", counted(q.count)),
                   name(q.quant.type));
    if (const std::string attr = to_string(problem->attr); !attr.empty()) fmt::print("  {}\n", attr);
    // With wildcards the plan is made at execution; this is the one for these dims.
    heading(line->runtime_mask != 0 ? "\nplan, made at execution; for the dims of the line" : "\nplan");
    ProblemLine given = *line;
    given.runtime_mask = 0;
    const auto concrete = problem_of(given);
    if (!concrete) return Refusal(concrete.error());
    const auto plan = ops::row(concrete->kind).lower(*concrete);
    if (!plan) return Refusal(plan.error());
    fmt::print("{}", indented(to_string(*plan)));
    cpu::keep_vcode(code != Code::none);
    const auto executable = engine->get()->impl->compile(std::make_shared<const Plan>(*plan));
    if (!executable) return Refusal(executable.error());
    if (const std::string runs = to_string(*(*executable)->runs()); runs != to_string(*plan)) {
        heading("\nplan that runs");
        fmt::print("{}", indented(runs));
    }
    if (const auto tiles = (*executable)->selection(); !tiles.empty()) {
        heading("\ntiles");
        fmt::print("{}", indented(std::string(tiles)));
    }
    heading("\nschedule");
    fmt::print("  {}\n{}", (*executable)->name(), indented((*executable)->text()));
    if (const auto why = (*executable)->fallback(); !why.empty()) fmt::print("  portable code: {}\n", why);
    if (code == Code::none) return 0;
    const auto kernels = (*executable)->code();
    if (kernels.empty()) fmt::print("\nno code was generated\n");
    for (const GeneratedCode& kernel : kernels) {
        if (!kernel.bytes.empty()) continue;
        heading("\nsource");
        fmt::print("{}", indented(kernel.vcode));
    }
    for (const GeneratedCode& kernel : kernels) {
        if (kernel.bytes.empty()) continue;
        heading("\nvcode");
        fmt::print("{}", indented(kernel.vcode));
        heading("\nmachine code");
#ifdef TESSERA_DISASSEMBLER
        fmt::print("  {}, {} bytes\n{}", kernel.name, kernel.bytes.size(),
                   indented(to_string(disassemble(kernel.bytes), kernel.bytes, code == Code::bytes)));
#else
        fmt::print("  {}, {} bytes; this program was built without a disassembler (Zydis 4 or later)\n", kernel.name,
                   kernel.bytes.size());
#endif
    }
    return 0;
}

} // namespace

void add_explain(CommandLine& program, Action& action) {
    auto line = std::make_shared<std::string>();
    auto color = std::make_shared<ColorChoice>(ColorChoice::automatic);
    Command c = program.command("explain", "Show the plan the library makes for a problem");
    add_line(c, *line).required();
    auto on = std::make_shared<EngineOption>();
    on->add(c);
    auto code = std::make_shared<Code>(Code::none);
    c.flag(
        "--code", [code] { *code = std::max(*code, Code::instructions); }, "Show the code of every kernel too");
    c.flag(
        "--bytes", [code] { *code = Code::bytes; }, "Show it with the bytes of each instruction");
    add_color(c, *color);
    c.footer("`tessera run --help` explains problem lines.\n\n"
             "Examples:\n"
             "  tessera explain reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5\n"
             "  tessera explain --engine=gpu --code reorder --ddt=bf16 --dtag=ba 64x48\n"
             "  tessera explain --matmul --dt=u8:s8:f32 --wtag=any --attr-scales=wei:per_oc 16x32:32x64\n"
             "  tessera explain \"$(ONEDNN_VERBOSE=1 program | grep exec | head -n 1)\"");
    c.when_given([line, on, color, code, &action] {
        action = [line, on, color, code] { return run(*line, *on, use_color(*color), *code); };
    });
}

} // namespace tessera::commands
