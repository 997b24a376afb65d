// SPDX-License-Identifier: Apache-2.0
// contention: how much processes on the same processors slow each other, through the public interface.
//
//   contention                              two processes, f32 nchw -> nhwc of 8x64x56x56, all threads
//   contention --processes 3 --seconds 0.5 --turns 7
//   contention --tsv FILE                   the results as a file too, for bench/report/page.py
//
// In turns: one process alone, then all at once. Each repeats the reorder and counts. Fair sharing of the processors
// makes the slowdown equal to the number of processes; threads that spin at a barrier for one that is not running make
// it larger. Run it with another libdnnl.so.3 in LD_LIBRARY_PATH and it measures that one.
#include <algorithm>
#include <chrono>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "arguments.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "results.hpp"

namespace {

using dnnl::memory;
using namespace tessera::bench;
using Clock = std::chrono::steady_clock;

struct Options {
    int processes = 2, turns = 5;
    double seconds = 0.5;
    std::string tsv;
};

// Time of a reorder, as one of the processes sees it: the mean over the given time, after a warm-up.
double measure(double seconds) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::dims dims = {8, 64, 56, 56};
    memory src({dims, memory::data_type::f32, memory::format_tag::nchw}, cpu);
    memory dst({dims, memory::data_type::f32, memory::format_tag::nhwc}, cpu);
    std::fill_n(static_cast<float*>(src.get_data_handle()), src.get_desc().get_size() / sizeof(float), 1.0f);
    const dnnl::reorder reorder(src, dst);
    const auto repeat = [&](double time) {
        const auto start = Clock::now();
        double passed = 0;
        int64_t calls = 0;
        while (passed < time) {
            reorder.execute(stream, src, dst);
            stream.wait();
            ++calls;
            passed = std::chrono::duration<double>(Clock::now() - start).count();
        }
        return passed / double(calls);
    };
    repeat(0.2 * seconds);
    const double time = repeat(seconds);
    repeat(0.2 * seconds); // keeps the others company until they have finished
    return time;
}

// The mean time of a reorder over `processes` fresh processes at once.
double together(int processes, double seconds) {
    const size_t bytes = size_t(processes) * sizeof(double);
    void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::runtime_error(fmt::format("no {} bytes of shared memory", bytes));
    auto* times = static_cast<double*>(shared);
    for (int p = 0; p < processes; ++p)
        if (fork() == 0) {
            try {
                times[p] = measure(seconds);
            } catch (const dnnl::error& e) { fmt::print(stderr, "contention: {}\n", e.what()); }
            _exit(0);
        }
    while (wait(nullptr) > 0) {}
    double sum = 0;
    for (int p = 0; p < processes; ++p) sum += times[p];
    munmap(shared, bytes);
    return sum / processes;
}

int run(const Options& o) {
    std::vector<double> alone, shared;
    for (int turn = 0; turn < o.turns; ++turn) {
        alone.push_back(together(1, o.seconds));
        shared.push_back(together(o.processes, o.seconds));
    }
    for (auto* times : {&alone, &shared}) std::sort(times->begin(), times->end());
    const auto line = [](const char* what, const std::vector<double>& t) {
        fmt::print("{:<12} best {:8.1f}  median {:8.1f}  worst {:8.1f} us\n", what, t.front() * 1e6,
                   t[t.size() / 2] * 1e6, t.back() * 1e6);
    };
    line("alone", alone);
    line(fmt::format("{} at once", o.processes).c_str(), shared);
    fmt::print("slowdown     best {:8.2f}  median {:8.2f}\n", shared.front() / alone.front(),
               shared[shared.size() / 2] / alone[alone.size() / 2]);
    if (o.tsv.empty()) return 0;
    const auto row = [](std::string name, const std::vector<double>& t) {
        ResultRow r;
        r.set = "contention";
        r.name = std::move(name);
        r.best = t.front() * 1e6;
        r.median = t[t.size() / 2] * 1e6;
        r.p90 = t[t.size() * 9 / 10] * 1e6;
        return r;
    };
    const auto threads = long(sysconf(_SC_NPROCESSORS_ONLN));
    const std::string wrong = write_results(o.tsv, facts_of_this_run(int(threads)),
                                            {row("alone", alone), row(fmt::format("{} at once", o.processes), shared)});
    if (!wrong.empty()) throw std::runtime_error(wrong);
    return 0;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    tessera::CommandLine program("Processes on the same processors", "contention");
    program.option("--processes", o.processes, "How many at once").range(1, 64).shows_default();
    program.option("--seconds", o.seconds, "Each measurement").range(0.01, 60.0).shows_default();
    program.option("--turns", o.turns, "Turns of alone and together").range(1, 1000).shows_default();
    program.option("--tsv", o.tsv, "Write the results to this file too").type_name("FILE");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const std::exception& e) {
    fmt::print(stderr, "contention: {}\n", e.what());
    return 1;
}
