// Where `run` and `bench` take their problem lines from: the command line or a file.
#pragma once

#include "commands/commands.hpp"
#include "line/problem_line.hpp"
#include "line/problem_line_options.hpp"
#include "spellings/spellings.hpp"

namespace tessera::commands {

// A problem line, quoted or not.
inline Option add_line(Command& command, std::string& line) {
    std::vector<std::string_view> words = spellings::known_words();
    words.insert(words.end(), option_names().begin(), option_names().end());
    return command.rest("line", line, "A problem line, a command of benchdnn, or a line of ONEDNN_VERBOSE", words);
}

struct ProblemSource {
    std::string line, file;

    void add(Command& command) {
        const Option single = add_line(command, line);
        command.option("-f,--file", file, "A file of problem lines, # starts a comment; - reads the standard input")
            .type_name("FILE")
            .excludes(single);
    }
    // An error in the arguments themselves, if any: a malformed line on the command line is wrong usage, one in a file
    // is a failure of that line.
    Result<void> check() const {
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

inline constexpr const char* grammar_help =
    "Problem lines:\n"
    "  reorder [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG | --sstrides=S] [--dtag=TAG | --dstrides=S]\n"
    "          [--ssub=OFFSETS@PARENT] [--dsub=OFFSETS@PARENT] [--attr-scales=src:MASK[:TYPE[:GxG]]+dst:MASK]\n"
    "          [--attr-zero-points=src:MASK[:TYPE]+dst:MASK] [--attr-post-ops=sum:BETA[:ZERO_POINT[:TYPE]]]\n"
    "          [--attr-scratchpad=user] [--oscale=MASK[:rt]] [--rt=MASK] [--flags=s8s8:MASK+asymm:MASK]\n"
    "          [--expect=STATUS] [--seed=N] DIMS\n"
    "  shuffle [--dir=FWD_D|FWD_I|BWD_D] [--sdt=TYPE] [--stag=TAG] [--dtag=TAG|any] [--axis=N] [--group=N]\n"
    "          [--expect=STATUS] [--seed=N] DIMS\n"
    "  eltwise [--dir=...] [--dt=TYPE] [--tag=TAG] --alg=relu|tanh|...|relu_dst [--alpha=X] [--beta=X] [--inplace] "
    "DIMS\n"
    "  binary --alg=add|...|select [--sdt=T0:T1] [--ddt=TYPE] [--stag=TAG0:TAG1] [--dtag=TAG|any] [--inplace] "
    "DIMS0:DIMS1\n"
    "  prelu [--dir=FWD_D|FWD_I|BWD_DW] [--sdt=T0:T1] [--stag=TAG0:TAG1] DIMS:WEIGHTS\n"
    "  sum --scales=S0:S1... [--sdt=T0:T1...] [--ddt=TYPE] [--stag=TAG0:TAG1...] [--dtag=TAG|any|omit] [--inplace] "
    "DIMS\n"
    "  concat [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG0:TAG1...] [--dtag=TAG|any|omit] --axis=N DIMS0:DIMS1...\n"
    "  resampling --alg=nearest|linear [--dir=...] [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG] [--dtag=TAG|any] SRC:DST\n"
    "  matmul [--sdt=TS:TW[:TB]] [--ddt=TYPE] [--stag=TAGS:TAGW[:TAGB]] [--dtag=TAG|any] [--rt=MASK]\n"
    "         [--attr-scales=src:MASK[:TYPE[:GxG]]+wei:...+dst:...] [--attr-zero-points=...] "
    "[--attr-fpmath=MODE[:true]]\n"
    "         SRC:WEIGHTS[:BIAS]\n"
    "  inner_product [--dir=FWD_D|FWD_I|BWD_D|BWD_W] [--sdt=TS:TW[:TB]] [--ddt=TYPE] [--stag=TAGS:TAGW[:TAGB]]\n"
    "         [--dtag=TAG|any] [--attr-scales=src:0+wei:MASK+dst:0] SRC:WEIGHTS[:BIAS]\n"
    "  Post-ops: sum[:SCALE[:ZERO_POINT[:TYPE]]], tanh[:ALPHA[:BETA]]..., add:TYPE[:MASK[:TAG]]..., prelu[:MASK].\n"
    "  Of forward primitives [--attr-dropout=P:SEED[:OFFSET][+s64][+host][+nomask]], of gradients\n"
    "  [--attr-rounding=diff_src+diff_weights:SEED].\n"
    "  TAG may hold an x for the dims it does not name (abx, axb, aBx16b); STATUS is invalid_arguments or "
    "unimplemented.\n"
    "Commands of benchdnn (--matmul --dt=u8:s8:f32 --wtag=any 16x32:32x64) and lines that ONEDNN_VERBOSE prints,\n"
    "ours and oneDNN's, are problem lines, too.\n";

} // namespace tessera::commands
