// SPDX-License-Identifier: Apache-2.0
// differential: asks two libraries the same random problems and reports every disagreement that is not a documented
// defect of the rival.
//   differential --worker=differential_worker --peer=build/peer/run-3.13 [--ours=WRAPPER] [--problems=100000]
//                [--seed=1] [--show=20] [--inputs=FILE] [--self] [--primitive=NAME]
// --peer and --ours name wrappers that set the library path; without --ours the worker finds the library it was linked
// to. --inputs asks the problems of a file instead. --self allows both sides to be one library.
// Each failure is one line that repeats it: `differential_worker` reads it. Exit 1 if there was any failure.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "asker.hpp"
#include "compare.hpp"
#include "primitives/row.hpp"
#include "problems/generate.hpp"

using namespace differential;

namespace {

using Options = std::map<std::string, std::string>;

struct Totals {
    uint64_t asked = 0, same_result = 0, same_refusal = 0, within_tolerance = 0, ours_alone = 0, failures = 0;
    std::map<std::string, uint64_t> quirks, skipped, alone;
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
bool died(const std::string& answer) { return starts(answer, "crash") || answer == "hang"; }
std::string first_two_words(const std::string& text) {
    const auto words = words_of(text);
    return words.size() > 1 ? words[0] + " " + words[1] : text;
}

class Judge {
public:
    Judge(Asker& ours, Asker& peer, std::string peer_version, uint64_t show)
        : ours_(ours), peer_(peer), peer_version_(std::move(peer_version)), show_(show) {}

    void judge(const Problem& problem, const std::string& ours, std::string peer) {
        ++totals.asked;
        for (const std::string* answer : {&ours, static_cast<const std::string*>(&peer)})
            if (starts(*answer, "skip")) return void(++totals.skipped[answer->substr(0, answer->find('-'))]);
        // The rival may have died of what an earlier problem did to its heap, or refuse all code since one failed:
        // only a new process is a witness.
        if (died(peer) || peer == "primitive:runtime_error") peer = peer_.ask_afresh(print(problem));
        Case both{problem, ours, peer, peer_version_, {}, false};
        if (died(ours) || starts(ours, "overrun") || starts(ours, "parse")) return fail(both);
        if (both.both_ok()) {
            if (first_two_words(ours) == first_two_words(peer)) return void(++totals.same_result);
            if (compare_bytes(both, false)) return void(++totals.within_tolerance);
            if (died(both.ours)) return fail(both);
        } else if (ours == peer) {
            return void(++totals.same_refusal);
        }
        if (const Quirk* quirk = find_quirk(both)) return count(quirk->row, quirk->sentence);
        if (starts(ours, "ok") && peer == "pd:unimplemented") {
            ++totals.ours_alone;
            ++totals.alone[problem.primitive + " " + problem.src.type + " -> " + problem.dst.type];
            return;
        }
        // Unexplained: ask a new process, which no earlier problem can have hurt, before blaming ours.
        if (both.both_ok() && compare_bytes(both, true)) return count("STA-07", "a new process agrees with ours");
        if (const Quirk* quirk = find_quirk(both)) return count(quirk->row, quirk->sentence);
        fail(both);
    }

    Totals totals;

private:
    // The hashes differ: true if the bytes agree within the tolerance of the problem's class.
    bool compare_bytes(Case& both, bool afresh) {
        const std::string line = "! " + print(both.problem), ours = ours_.ask(line);
        const std::string peer = afresh ? peer_.ask_afresh(line) : peer_.ask(line);
        if (!starts(ours, "ok")) both.ours = first_two_words(ours) + " the second time";
        if (!starts(peer, "ok")) both.peer = peer; // a rival that dies the second time is no witness
        if (!starts(ours, "ok") || !starts(peer, "ok")) return false;
        const auto words = words_of(peer);
        both.peer_untouched = words[1] == words[2];
        both.differences = differences(both.problem, ours, peer);
        return both.differences.empty();
    }

    void count(const char* row, const char* sentence) { ++totals.quirks[std::string(row) + ": " + sentence]; }

    void fail(const Case& both) {
        if (totals.failures++ >= show_) return;
        std::printf("FAIL %s\n     ours %s, peer %s\n", print(both.problem).c_str(), first_two_words(both.ours).c_str(),
                    first_two_words(both.peer).c_str());
        for (size_t i = 0; i < both.differences.size() && i < 3; ++i)
            std::printf("     %s\n",
                        describe_difference(*type(output(both.problem).type), both.differences[i]).c_str());
        std::fflush(stdout);
    }

    Asker &ours_, &peer_;
    std::string peer_version_;
    uint64_t show_;
};

std::vector<Problem> read_inputs(const std::string& path) {
    std::ifstream in(path);
    std::vector<Problem> problems;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::string complaint;
        if (const auto p = parse(line, complaint))
            problems.push_back(*p);
        else
            std::fprintf(stderr, "differential: %s: %s: %s\n", path.c_str(), line.c_str(), complaint.c_str());
    }
    return problems;
}

void print_counts(const char* title, const std::map<std::string, uint64_t>& counts) {
    for (const auto& [what, count] : counts)
        std::printf("%-10s %8llu  %s\n", title, (unsigned long long)count, what.c_str());
}

void summarize(const Totals& t, const Asker& ours, const Asker& peer, double seconds, uint64_t seed) {
    print_counts("skipped", t.skipped);
    print_counts("quirk", t.quirks);
    print_counts("ours alone", t.alone);
    const auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
    std::printf(
        "differential: seed %llu, %llu problems in %.0f s: %llu same bytes, %llu within tolerance, %llu same refusal, "
        "%llu ours alone, %llu FAILURES; restarts: ours %d, peer %d\n",
        n(seed), n(t.asked), seconds, n(t.same_result), n(t.within_tolerance), n(t.same_refusal), n(t.ours_alone),
        n(t.failures), ours.restarts(), peer.restarts());
}

std::string option(const Options& options, const char* key, const char* fallback) {
    const auto it = options.find(key);
    return it == options.end() ? fallback : it->second;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto equals = word.find('=');
        options[word.substr(0, equals)] = equals == std::string::npos ? "yes" : word.substr(equals + 1);
    }
    const std::string worker = option(options, "--worker", "differential_worker");
    auto ours_command = words_of(option(options, "--ours", "")), peer_command = words_of(option(options, "--peer", ""));
    ours_command.push_back(worker);
    peer_command.push_back(worker);
    Asker ours(ours_command), peer(peer_command);
    const std::string ours_version = ours.ask("version"), peer_version = peer.ask("version");
    std::printf("ours: %s\npeer: %s\n", ours_version.c_str(), peer_version.c_str());
    if (ours_version == peer_version && !options.count("--self")) {
        std::fprintf(stderr, "differential: both sides load the same library, so nothing could ever differ; "
                             "give --peer=WRAPPER (tools/peer/install.sh makes them), or --self to mean it\n");
        return 2;
    }
    const uint64_t seed = std::strtoull(option(options, "--seed", "1").c_str(), nullptr, 10);
    const uint64_t total = std::strtoull(option(options, "--problems", "100000").c_str(), nullptr, 10);
    const std::string inputs = option(options, "--inputs", "");
    const auto given = inputs.empty() ? std::vector<Problem>{} : read_inputs(inputs);
    const std::string primitive = option(options, "--primitive", "");
    const Row* only = primitive.empty() ? nullptr : find_row(primitive);
    if (!primitive.empty() && !only) {
        std::fprintf(stderr, "differential: --primitive=%s: there is no such primitive\n", primitive.c_str());
        return 2;
    }
    Generator generator(words_of(ours.ask("tags")), only);
    Judge judge(ours, peer, peer_version, std::strtoull(option(options, "--show", "20").c_str(), nullptr, 10));

    const auto begin = std::chrono::steady_clock::now();
    const uint64_t count = inputs.empty() ? total : given.size();
    constexpr uint64_t batch = 64;
    for (uint64_t first = 0; first < count; first += batch) {
        std::vector<Problem> problems;
        std::vector<std::string> lines;
        for (uint64_t i = first; i < std::min(first + batch, count); ++i) {
            problems.push_back(inputs.empty() ? generator.problem(seed, i) : given[i]);
            lines.push_back(print(problems.back()));
        }
        ours.send(lines);
        peer.send(lines);
        const auto left = ours.receive(), right = peer.receive();
        for (size_t i = 0; i < lines.size(); ++i) judge.judge(problems[i], left[i], right[i]);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    summarize(judge.totals, ours, peer, spent.count(), seed);
    return judge.totals.failures ? 1 : 0;
}
