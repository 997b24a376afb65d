// SPDX-License-Identifier: Apache-2.0
// hunt: problems as people run them, of every primitive, our library against another one in one process.
//
//   hunt build/libdnnl.so.3 build/peer/venv-3.2/lib/libdnnl.so.3 --count 300 --only pooling
//   hunt OURS PEER --seed 2 --count 3000 --results build/bench/hunt.tsv   # for bench/hunt/page.py
//   hunt OURS PEER --line "softmax --dir=FWD_I --alg=accurate --sdt=f32 --stag=ab --ddt=f32 --dtag=ab --axis=1
//   128x1000"
//
// Each problem has a process of its own, so that creation is cold and a library that crashes or hangs loses that
// problem alone. A problem at which ours is slower than --below times the peer is asked twice more, and its median
// counts: what a neighbour's minute did is not printed. The losers come last first, each with the line for `tessera
// explain`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.hpp"
#include "contest.hpp"
#include "realistic.hpp"
#include "tests/differential/primitives/row.hpp"

namespace {

using namespace hunt;

constexpr double cold_target = 100e-6; // seconds; a creation in less is no loser, whatever the peer needs

struct Options {
    std::vector<std::string> libraries;
    std::string only, line, results;
    int seed = 1, first = 0, count = 3000, threads = 1, show = 40;
    double below = 0.8;
    bool taken = false;
};

Problem problem_of(const Options& o, const std::string& primitive, uint64_t number) {
    Random random{std::mt19937_64(uint64_t(o.seed) * 0x9e3779b97f4a7c15 + number)};
    Problem p;
    p.primitive = primitive;
    find_habit(primitive)(random, p);
    return p;
}

// In a process of its own, whose end closes the pipe. `why` says how it ended if it did not finish.
Outcome ask(const Contest& contest, std::string& why) {
    auto* shared = static_cast<Outcome*>(
        mmap(nullptr, sizeof(Outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    int ends[2];
    if (shared == MAP_FAILED || pipe(ends) != 0) throw std::runtime_error("no memory or pipe to share");
    new (shared) Outcome;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        close(ends[0]);
        try {
            run(contest, *shared);
        } catch (const std::exception& e) { fmt::print(stderr, "hunt: {}\n", e.what()); }
        _exit(0);
    }
    close(ends[1]);
    constexpr int patience = 60000; // milliseconds: two libraries of some seconds each are not a hang
    pollfd end{ends[0], POLLIN, 0};
    const bool hangs = poll(&end, 1, patience) == 0;
    if (hangs) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(ends[0]);
    const Outcome outcome = *shared;
    munmap(shared, sizeof(Outcome));
    if (!outcome.done)
        why = fmt::format("{} while {}",
                          hangs                 ? "hangs"
                          : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                                : "stops",
                          outcome.stage);
    return outcome;
}

struct Result {
    Problem problem;
    Outcome outcome;
    std::string failure;
    bool both() const { return failure.empty() && !outcome.refusal[0][0] && !outcome.refusal[1][0]; }
    double creation_speed() const { return outcome.creation[1] / outcome.creation[0]; }
};

Result judge(const Options& o, Contest contest) {
    Result result{contest.problem, {}, {}};
    result.outcome = ask(contest, result.failure);
    const auto loses = [&](const Outcome& x) {
        return x.speed < o.below || (x.creation[0] > cold_target && x.creation[1] < o.below * x.creation[0]);
    };
    if (!result.both() || !loses(result.outcome)) return result;
    contest.seconds *= 3;
    std::vector<Outcome> looks{result.outcome};
    while (looks.size() < 3) {
        std::string why;
        looks.push_back(ask(contest, why));
        if (!why.empty()) return result;
    }
    const auto by = [&](auto value) {
        std::sort(looks.begin(), looks.end(), [&](const Outcome& a, const Outcome& b) { return value(a) < value(b); });
        return looks[1];
    };
    result.outcome = by([](const Outcome& x) { return x.speed; });
    const Outcome creation = by([](const Outcome& x) { return x.creation[1] / x.creation[0]; });
    for (const int i : {0, 1}) result.outcome.creation[i] = creation.creation[i];
    return result;
}

// Tab-separated: primitive, what became of it, speeds and microseconds of ours and the peer, the lines.
void write(const Options& o, const std::vector<Result>& results) {
    std::ofstream file(o.results, std::ios::app);
    for (const Result& r : results) {
        const Outcome& x = r.outcome;
        const std::string what = !r.failure.empty() ? r.failure
                                 : x.refusal[0][0]  ? fmt::format("ours: {}", x.refusal[0])
                                 : x.refusal[1][0]  ? fmt::format("peer: {}", x.refusal[1])
                                                    : "both";
        file << fmt::format("{}\t{}\t{}\t{:.3f}\t{:.2f}\t{:.2f}\t{:.3f}\t{:.1f}\t{:.1f}\t{}\t{}\n", o.threads,
                            r.problem.primitive, what, x.speed, x.execution[0] * 1e6, x.execution[1] * 1e6,
                            r.both() ? r.creation_speed() : 0, x.creation[0] * 1e6, x.creation[1] * 1e6,
                            print(r.problem), x.line);
    }
    if (!file) throw std::runtime_error(fmt::format("{} cannot be written", o.results));
}

void summarize(const std::string& name, const std::vector<const Result*>& all) {
    double logs = 0, creation_logs = 0;
    int both = 0, half = 0, below = 0, late = 0, refused[2] = {}, failed = 0;
    for (const Result* r : all) {
        failed += !r->failure.empty();
        for (const int i : {0, 1}) refused[i] += r->outcome.refusal[i][0] != 0;
        if (!r->both()) continue;
        ++both, logs += std::log(r->outcome.speed), creation_logs += std::log(r->creation_speed());
        half += r->outcome.speed < .5, below += r->outcome.speed < .8;
        late += r->outcome.creation[0] > cold_target;
    }
    const double n = std::max(both, 1);
    fmt::print("{:<20} {:5} {:5} {:6} {:6} {:6} {:8.2f} {:6} {:6} {:9.2f} {:6}\n", name, all.size(), both, refused[0],
               refused[1], failed, std::exp(logs / n), half, below, std::exp(creation_logs / n), late);
}

void print_loser(const Result& r) {
    const Outcome& x = r.outcome;
    fmt::print("{:.2f}  {:.1f} us, peer {:.1f}; created {:.2f}: {:.0f} us, peer {:.0f}\n    {}\n    {}\n", x.speed,
               x.execution[0] * 1e6, x.execution[1] * 1e6, r.creation_speed(), x.creation[0] * 1e6, x.creation[1] * 1e6,
               print(r.problem), x.line);
}

void show(const Options& o, const std::vector<Result>& results) {
    std::vector<const Result*> losers;
    std::map<std::string, std::vector<const Result*>> by_primitive;
    for (const Result& r : results) {
        by_primitive[r.problem.primitive].push_back(&r), by_primitive["all"].push_back(&r);
        if (r.both() && r.outcome.speed < o.below) losers.push_back(&r);
        if (!r.failure.empty()) fmt::print("{}: {}\n", r.failure, print(r.problem));
        if (r.outcome.refusal[0][0]) fmt::print("ours refuses, {}: {}\n", r.outcome.refusal[0], print(r.problem));
    }
    std::sort(losers.begin(), losers.end(),
              [](const Result* a, const Result* b) { return a->outcome.speed < b->outcome.speed; });
    losers.resize(std::min(losers.size(), size_t(o.show)));
    for (const Result* loser : losers) print_loser(*loser);
    fmt::print("{:<20} {:>5} {:>5} {:>6} {:>6} {:>6} {:>8} {:>6} {:>6} {:>9} {:>6}\n", "", "asked", "both", "ours",
               "peer", "failed", "speed", "< 0.5", "< 0.8", "creation", "> 100");
    fmt::print("{:<20} {:>5} {:>5} {:>6} {:>6} {:>6} {:>8} {:>6} {:>6} {:>9} {:>6}\n", "", "", "take", "refuse",
               "refuse", "", "", "", "", "", "us");
    for (const auto& [name, all] : by_primitive) summarize(name, all);
}

int hunt_with(const Options& o) { // the exit code
    std::vector<std::string> primitives;
    for (const differential::Row* row : differential::rows())
        if (o.only.empty() || o.only == row->name) primitives.emplace_back(row->name);
    if (primitives.empty()) throw std::invalid_argument("--only " + o.only + ": there is no such primitive");
    setenv("OMP_NUM_THREADS", std::to_string(o.threads).c_str(), 1); // read when the first library brings OpenMP
    std::vector<Result> results;
    const auto contest = [&](const Problem& p, uint64_t number) {
        constexpr uint64_t elsewhere = 1u << 30; // numbers that no hunt has
        const Problem one = problem_of(o, p.primitive, elsewhere + number),
                      two = problem_of(o, p.primitive, 2 * elsewhere + number);
        const bool peer_first = number / primitives.size() % 2; // in every second problem of a primitive
        results.push_back(judge(o, {p, {one, two}, o.libraries[0], o.libraries[1], peer_first}));
        if (!o.line.empty()) print_loser(results.back());
    };
    if (!o.line.empty()) {
        std::string complaint;
        const auto given = differential::parse(o.line, complaint);
        if (!given) throw std::invalid_argument(complaint);
        contest(*given, 0);
        if (!results[0].both())
            fmt::print("{} ours: {} peer: {}\n", results[0].failure, results[0].outcome.refusal[0],
                       results[0].outcome.refusal[1]);
        return results[0].both() ? 0 : 1;
    }
    for (int i = o.first; i < o.first + o.count; ++i) {
        const auto number = uint64_t(i);
        contest(problem_of(o, primitives[number % primitives.size()], number), number);
    }
    if (!o.results.empty()) write(o, results);
    show(o, results);
    const auto bad = [&](const Result& r) { // that the peer dies is its own affair
        const bool ours = std::string_view(r.outcome.stage).substr(0, 4) != "peer";
        return (ours && !r.failure.empty()) || (o.taken && r.outcome.refusal[0][0]);
    };
    return std::any_of(results.begin(), results.end(), bad) ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    tessera::CommandLine program("Random problems as people run them, our library against another one", "hunt");
    program.option("libraries", o.libraries, "Two files of libdnnl.so.3: ours and the peer's").required();
    program.option("--seed", o.seed, "Of the problems").shows_default();
    program.option("--first", o.first, "Number of the first problem").shows_default();
    program.option("--count", o.count, "How many").range(1, 1000000).shows_default();
    program.option("--only", o.only, "Problems of this primitive");
    program.option("--line", o.line, "One problem in place of random ones, as the hunt prints it");
    program.option("--threads", o.threads, "Of OpenMP").range(1, 1024).shows_default();
    program.option("--below", o.below, "Ours is a loser below this many times the peer's speed").shows_default();
    program.option("--show", o.show, "Losers that are printed, the worst first").shows_default();
    program.option("--results", o.results, "A file to which the results are appended, a problem a line");
    program.flag("--taken", o.taken, "Fail where ours refuses a problem");
    if (const auto code = program.parse(argc, argv)) return *code;
    if (o.libraries.size() != 2) throw std::invalid_argument("two libraries are needed: ours and the peer's");
    return hunt_with(o);
} catch (const std::exception& e) {
    fmt::print(stderr, "hunt: {}\n", e.what());
    return 1;
}
