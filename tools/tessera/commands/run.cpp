// SPDX-License-Identifier: Apache-2.0
// tessera run: problems through the public API, every byte compared with the oracle.
#include "commands/commands.hpp"
#include "commands/problem_source.hpp"
#include "core/shown.hpp"
#include "trial/experiment.hpp"
#include "trial/faults.hpp"
#include "trial/judge.hpp"

namespace tessera::commands {
namespace {

struct Options {
    ProblemSource source;
    bool quiet = false;
    ColorChoice color = ColorChoice::automatic;
};

Result<int> run(const Options& o) {
    if (const auto ok = o.source.check(); !ok) return wrong_usage(ok.error().reason);
    const auto lines = o.source.lines();
    if (!lines) return Refusal(lines.error());
    const LineEngine engine = o.source.on.engine().value();
    if (const auto made = make_engine(engine); !made) return Refusal(made.error());
    const bool color = use_color(o.color);
    // A fault inside the library is a failure of the line that was running: say which, then end.
    fault_report = {STDOUT_FILENO, "failed: memory fault in: ", "failed: arithmetic fault in: ", true};
    size_t passed = 0, failed = 0, skipped = 0;
    Progress progress("problem", lines->size());
    for (size_t i = 0; i < lines->size(); ++i) {
        const NumberedLine& line = (*lines)[i];
        doing(line.text);
        std::fflush(stdout);
        const Outcome outcome = judge(line.text, engine);
        (outcome.verdict == Verdict::failed ? failed : outcome.verdict == Verdict::skipped ? skipped : passed) += 1;
        const bool fine = outcome.verdict == Verdict::passed || outcome.verdict == Verdict::refused;
        progress.step(i + 1);
        if (o.quiet && fine) continue;
        progress.pause();
        static constexpr const char* words[] = {"passed", "failed", "refused", "skipped"};
        const Style style = outcome.verdict == Verdict::failed    ? Style::bad
                            : outcome.verdict == Verdict::skipped ? Style::dim
                                                                  : Style::good;
        constexpr size_t most = 4000; // problem lines have a few hundred characters
        fmt::print("{}:{}{} {}\n", styled(words[int(outcome.verdict)], style, color), o.source.place(line),
                   outcome.reason.empty() ? "" : fmt::format(" {} |", shown(outcome.reason, most)),
                   shown(trimmed(line.text), most));
    }
    progress.pause();
    fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
    return failed == 0 ? 0 : 1;
}

} // namespace

void add_run(CommandLine& program, Action& action) {
    auto options = std::make_shared<Options>();
    Command c = program.command("run", "Run problems and compare every byte with the reference");
    options->source.add(c);
    c.flag("-q,--quiet", options->quiet, "Print only what did not pass");
    add_color(c, options->color);
    c.footer(fmt::format(
        "{}\nOutput: one line a problem, `passed`, `refused` (as --expect asks), `failed` or `skipped`, then\n"
        "`N passed, N failed, N skipped`; refusals that were asked for count as passed. Skipped: too large, or\n"
        "nothing that the device has. Exit code 1 if any failed.\n\n"
        "Examples:\n"
        "  tessera run \"reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5\"\n"
        "  tessera run -q -f tests/inputs/reorder.txt\n"
        "  tessera run --engine=gpu:1 -f tests/inputs/matmul.txt",
        grammar_help()));
    c.when_given([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace tessera::commands
