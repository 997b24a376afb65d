// SPDX-License-Identifier: Apache-2.0
#include "trial/judge.hpp"

#include "terminal.hpp"
#include "trial/experiment.hpp"

namespace tessera {

Outcome judge(const std::string& text, LineEngine otherwise, Kept* kept) {
    auto line = parse_problem_line(text);
    if (!line) return {Verdict::failed, "malformed line: " + line.error().reason};
    if (!line->engine) line->engine = otherwise;
    if (const auto engine = make_engine(*line->engine); !engine) return {Verdict::failed, engine.error().reason};
    if (too_large(*line))
        return {Verdict::skipped, fmt::format("needs more than {} of buffers", human_cache(int64_t(experiment_limit)))};
    auto experiment = Experiment::make(*line, Experiment::Data::hostile, kept);
    if (!experiment) {
        const Error& error = experiment.error();
        if (line->expect == error.status) return {Verdict::refused, error.reason};
        const bool missing = error.status == Status::unimplemented && line->engine->kind != EngineKind::cpu;
        if (error.status == Status::out_of_memory || missing) return {Verdict::skipped, error.reason};
        return {Verdict::failed,
                fmt::format("refused with {}{}: {}", status_name(error.status),
                            line->expect ? fmt::format(" instead of {}", status_name(*line->expect)) : "",
                            error.reason)};
    }
    if (line->expect && *line->expect != Status::success)
        return {Verdict::failed, fmt::format("should have been refused with {}", status_name(*line->expect))};
    if (const auto ok = experiment->check(); !ok) return {Verdict::failed, ok.error().reason};
    return {Verdict::passed, ""};
}

} // namespace tessera
