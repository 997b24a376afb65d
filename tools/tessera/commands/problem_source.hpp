// SPDX-License-Identifier: Apache-2.0
// Where `run` and `bench` take their problem lines from: the command line or a file; and the engine that runs them.
#pragma once

#include "commands/commands.hpp"
#include "line/problem_line.hpp"
#include "line/problem_line_options.hpp"
#include "primitives/row.hpp"
#include "spellings/spellings.hpp"

namespace tessera::commands {

// A problem line, quoted or not.
inline Option add_line(Command& command, std::string& line) {
    std::vector<std::string_view> words = spellings::known_words();
    words.insert(words.end(), option_names().begin(), option_names().end());
    return command.rest("line", line, "A problem line, a command of benchdnn, or a line of ONEDNN_VERBOSE", words);
}

struct EngineOption {
    std::string text = "cpu";

    void add(Command& command) {
        command.option("--engine", text, "Where lines run that do not say it: cpu, gpu, gpu:INDEX")
            .type_name("ENGINE")
            .shows_default();
    }
    Result<LineEngine> engine() const { return parse_engine(text); }
};

struct ProblemSource {
    std::string line, file;
    EngineOption on;

    void add(Command& command) {
        const Option single = add_line(command, line);
        command.option("-f,--file", file, "A file of problem lines, # starts a comment; - reads the standard input")
            .type_name("FILE")
            .excludes(single);
        on.add(command);
    }
    // An error in the arguments themselves, if any: a malformed line on the command line is wrong usage, one in a file
    // is a failure of that line.
    Result<void> check() const {
        if (const auto engine = on.engine(); !engine) return Refusal(engine.error());
        if (!file.empty()) return {};
        if (line.empty()) return invalid("give a problem line or a file of them (-f FILE)");
        const auto parsed = parse_problem_line(line);
        if (!parsed) return invalid("malformed line: {}", parsed.error().reason);
        return {};
    }
    Result<std::vector<NumberedLine>> lines() const {
        if (!file.empty()) return read_problem_file(file);
        return std::vector<NumberedLine>{{0, line}};
    }
    // " reorder.txt:12:" in front of lines of a file.
    std::string place(const NumberedLine& from) const {
        return file.empty() ? std::string() : fmt::format(" {}:{}:", file.substr(file.rfind('/') + 1), from.number);
    }
};

inline std::string_view trimmed(std::string_view text) {
    const size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
    return from == text.npos ? std::string_view() : text.substr(from, to - from + 1);
}

inline std::string grammar_help() {
    std::string text = "Problem lines:\n";
    for (const primitives::Row* row : primitives::rows()) text += row->help;
    return text +
           "  Post-ops: sum[:SCALE[:ZERO_POINT[:TYPE]]], tanh[:ALPHA[:BETA]]..., add:TYPE[:MASK[:TAG]]..., "
           "prelu[:MASK],\n"
           "  dw:k3s1p1[:DST[:BIAS[:WEIGHTS]]].\n"
           "  Of forward primitives [--attr-dropout=P:SEED[:OFFSET][+s64][+host][+nomask]], of gradients\n"
           "  [--attr-rounding=diff_src+diff_weights:SEED].\n"
           "  TAG may hold an x for the dims it does not name (abx, axb, aBx16b); STATUS is invalid_arguments or "
           "unimplemented.\n"
           "Commands of benchdnn (--matmul --dt=u8:s8:f32 --wtag=any 16x32:32x64) and lines that ONEDNN_VERBOSE "
           "prints,\n"
           "ours and oneDNN's, are problem lines, too.\n";
}

} // namespace tessera::commands
