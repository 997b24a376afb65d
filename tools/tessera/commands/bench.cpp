// SPDX-License-Identifier: Apache-2.0
// tessera bench: times problems alternately with a copy of the same bytes; prints a table, bars or a picture.
#include <cmath>

#include <unistd.h>

#include "commands/commands.hpp"
#include "commands/picture_file.hpp"
#include "commands/problem_source.hpp"
#include "copy_limit.hpp"
#include "drawing/bars.hpp"
#include "line/line_objects.hpp"
#include "noise.hpp"
#include "trial/device_copy.hpp"
#include "trial/experiment.hpp"

namespace tessera::commands {
namespace {

constexpr int bar_cells = 24;

enum class Bars { automatic, always, never };

struct Options {
    ProblemSource source;
    int turns = 7;
    bool csv = false;
    Bars bars = Bars::automatic;
    std::string picture;

    bool draws_bars() const {
        return !csv && (bars == Bars::always || (bars == Bars::automatic && isatty(STDOUT_FILENO)));
    }
};

Result<Measured> measure(const ProblemLine& line, int turns) {
    if (too_large(line)) return out_of_memory("needs more than {} of buffers", human_cache(int64_t(experiment_limit)));
    auto experiment = Experiment::make(line, Experiment::Data::friendly);
    if (!experiment) return Refusal(experiment.error());
    std::function<void()> copy;
    Measured measured;
    const auto done = outcome([&]() {
        if (line.engine && line.engine->kind == EngineKind::gpu)
            copy = copy_on_device(make_engine(*line.engine).value(), experiment->bytes()).value();
        measured = measure_in_turns([&] { experiment->execute(); }, experiment->bytes(), turns, {}, copy);
    });
    if (!done) return Refusal(done.error());
    return measured;
}

// The scale of the bars, printed above them: 1 is memcpy.
std::string bar_head() {
    const size_t one = size_t(std::lround(bar_cells / bar_range));
    return "0" + std::string(one - 1, ' ') + "1" + std::string(size_t(bar_cells) - one - 1, ' ') + "  ";
}

void print_head(const Options& o) {
    if (o.csv)
        fmt::print("best_s,median_s,GB/s,of_memcpy,problem\n");
    else
        fmt::print("{:>9} {:>9} {:>8} {:>8}  {}{}\n", "best", "median", "GB/s", "memcpy=1",
                   o.draws_bars() ? bar_head() : "", "problem");
}

void print_row(const Options& o, const Measured& m, const std::string& line) {
    if (o.csv)
        fmt::print("{:.9f},{:.9f},{:.4f},{:.4f},{}\n", m.best, m.median, m.gigabytes_per_second(), m.fraction(), line);
    else
        fmt::print("{:>9} {:>9} {:>8.2f} {:>8.3f}  {}{}\n", human_seconds(m.best), human_seconds(m.median),
                   m.gigabytes_per_second(), m.fraction(),
                   o.draws_bars() ? draw_bar(m.fraction(), bar_cells) + "  " : "", line);
    std::fflush(stdout);
}

// "2 threads", or the engine that --engine names.
std::string where(LineEngine engine) {
    if (engine.kind != EngineKind::cpu) return to_string(engine);
    return fmt::format("{:thread}", counted(library_threads()));
}

Result<int> run(const Options& o) {
    if (const auto ok = o.source.check(); !ok) return wrong_usage(ok.error().reason);
    const auto lines = o.source.lines();
    if (!lines) return Refusal(lines.error());
    const LineEngine engine = o.source.on.engine().value();
    if (const auto made = make_engine(engine); !made) return Refusal(made.error());
    if (o.picture == "-")
        if (auto ok = reserve_standard_output(); !ok) return Refusal(ok.error());
    size_t timed = 0, failed = 0;
    double log_sum = 0;
    BarChart chart{"Fractions of memcpy", {}, "memcpy", {}};
    Noise noise;
    Progress progress("problem", lines->size());
    for (size_t i = 0; i < lines->size(); ++i) {
        progress.step(i);
        auto line = parse_problem_line((*lines)[i].text);
        if (line && !line->engine && engine != LineEngine()) line->engine = engine;
        if (line && line->expect && *line->expect != Status::success) continue; // nothing to time
        const auto m = line ? measure(*line, o.turns) : Result<Measured>(Refusal(line.error()));
        if (m) noise.probe();
        progress.pause();
        if (!m) {
            ++failed;
            fmt::print(stderr, "tessera:{} {} | {}\n", o.source.place((*lines)[i]), m.error().reason,
                       trimmed((*lines)[i].text));
            continue;
        }
        if (++timed == 1) print_head(o); // a table without rows has no head either
        log_sum += std::log(std::max(m->fraction(), 1e-9));
        chart.bars.push_back({to_string(*line), m->fraction()});
        print_row(o, *m, chart.bars.back().label);
    }
    if (timed > 0) {
        const std::string summary = fmt::format("{} timed on {}, geometric mean {:.3f} of memcpy", timed, where(engine),
                                                std::exp(log_sum / double(timed)));
        if (!o.csv) fmt::print("{}\n", summary);
        chart.facts = {summary};
        if (noise.too_much()) {
            chart.facts.push_back("too noisy to believe: " + noise.text());
            fmt::print(stderr, "tessera: this machine is too noisy to believe these times: {}; medians above all\n",
                       noise.text());
        }
    }
    if (!o.picture.empty() && timed > 0) { // a picture of nothing is not drawn
        if (auto saved = save_picture(o.picture, draw_svg(chart)); !saved) return Refusal(saved.error());
    }
    return failed == 0 ? 0 : 1;
}

} // namespace

void add_bench(CommandLine& program, Action& action) {
    auto options = std::make_shared<Options>();
    Command c = program.command("bench", "Time problems against a copy of the same bytes");
    options->source.add(c);
    c.option("--turns", options->turns, "Turns of problem and copy").range(5, 1000).shows_default();
    c.flag("--csv", options->csv, "Comma-separated values, times in seconds");
    static const Arguments::Choices<Bars> choices = {
        {"auto", Bars::automatic}, {"always", Bars::always}, {"never", Bars::never}};
    c.choice("--bars", options->bars, choices, "Draw the fractions as bars: auto (on a terminal), always or never")
        .type_name("WHEN");
    c.option("--svg", options->picture, "Draw them to this file as an SVG picture too").type_name("FILE");
    c.footer(fmt::format(
        "{}\nEach turn times the copy, then the problem; `memcpy=1` is the best copy's time over the "
        "problem's best: 1 is as\n"
        "fast as memcpy; on a device the copy is clEnqueueCopyBuffer's. Bytes are elements read plus "
        "elements written, padding included.\n"
        "After each problem some milliseconds of the same work show whether the machine is too noisy to believe "
        "the times.\n\n"
        "Example:\n"
        "  tessera bench \"reorder --sdt=f32 --ddt=s8 --stag=nchw --dtag=nhwc 8x64x56x56\"\n"
        "  tessera bench -f problems.txt --svg fractions.svg",
        grammar_help()));
    c.when_given([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace tessera::commands
