// SPDX-License-Identifier: Apache-2.0
// devices: how fast primitives run on an OpenCL device, against the CPU engine and its portable code on the same host.
//
//   TESSERA_OPENCL_DEVICES=all devices                     movers, pointwise work, reductions, products
//   TESSERA_OPENCL_DEVICES=all devices --filter nchw       cases whose name contains a text
//   devices --set products                                 matmuls up to 8192 on a GPU, and whether they are right
//   TESSERA_OPENCL_DEVICES=all devices --set calls         what a call costs, of little work
//   torch_times.py > torch.tsv; devices --set large --beside torch.tsv     what networks run, beside PyTorch on a GPU
//
// memcpy=1 is the fraction of a copy of as many bytes on the host: a yardstick for devices that are processors; on
// others the first case, a copy, is. cpu=1 and portable=1 are the speed relative to the CPU engine, and to the same
// without generated code, which a process of its own measures (ONEDNN_MAX_CPU_ISA=SSE41).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "../results.hpp"
#include "arguments.hpp"
#include "cases.hpp"
#include "copy_limit.hpp"

using namespace tessera;
using namespace tessera::bench;

namespace {

struct Options {
    std::string filter, tsv, set = "small", beside;
    int turns = 5;
    bool only_cpu = false;
};

// Seconds of the case with portable code; 0 where the process fails.
double portable_seconds(const std::string& program, const std::string& name) {
    const std::string command = fmt::format("ONEDNN_MAX_CPU_ISA=SSE41 '{}' --only-cpu --filter '{}'", program, name);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    double seconds = 0;
    if (!pipe || std::fscanf(pipe.get(), "%lf", &seconds) != 1) return 0;
    return seconds;
}

struct Beside {
    double queued = 0, alone = 0; // microseconds
};

std::map<std::string, Beside> times_beside(const std::string& path) {
    std::map<std::string, Beside> times;
    std::ifstream file(path);
    if (!file) throw std::invalid_argument(fmt::format("'{}' cannot be read", path));
    for (std::string name; std::getline(file, name, '\t');) {
        Beside& b = times[name];
        file >> b.queued >> b.alone >> std::ws;
    }
    return times;
}

// Microseconds of one call out of `calls` that are queued before the wait, the least of ten turns.
double least_of_turns(const DeviceWork& work, int calls) {
    double least = 1e30;
    for (int turn = 0; turn < 10; ++turn) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) work.queue();
        work.wait();
        least = std::min(least, seconds_since(start) / calls);
    }
    return least * 1e6;
}

// The time of a call among 20 that are queued, of one alone, and the other's times over ours.
int run_large(const Options& o) {
    const dnnl::engine device(dnnl::engine::kind::gpu, 0);
    std::map<std::string, Beside> beside;
    if (!o.beside.empty()) beside = times_beside(o.beside);
    fmt::print("{:>10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>11}  {}\n", "queued us", "alone us", "GB/s", "TFLOP/s",
               "queued=1", "alone=1", "first us", "case");
    std::vector<DeviceCase> cases = large_moves();
    std::ranges::move(large_sums(), std::back_inserter(cases));
    std::ranges::move(large_images(), std::back_inserter(cases));
    for (const DeviceCase& c : cases) {
        if (c.name.find(o.filter) == std::string::npos) continue;
        const DeviceWork work = c.make(device);
        const auto start = std::chrono::steady_clock::now();
        work.run(); // compiles what is compiled late
        const double first = seconds_since(start) * 1e6;
        const double queued = least_of_turns(work, first > 5e4 ? 2 : 20), alone = least_of_turns(work, 1);
        const Beside& other = beside[c.name];
        fmt::print("{:>10.1f} {:>10.1f} {:>8.0f} {:>8.1f} {:>8.2f} {:>8.2f} {:>11.0f}  {}\n", queued, alone,
                   double(work.bytes) / queued * 1e-3, double(work.operations) / queued * 1e-6, other.queued / queued,
                   other.alone / alone, first, c.name);
        std::fflush(stdout);
    }
    return 0;
}

// Microseconds of the calls themselves, of one out of 50 until all of them are done, and of one with the wait for it.
int run_calls(const Options& o) {
    const dnnl::engine device(dnnl::engine::kind::gpu, 0);
    fmt::print("{:>10} {:>10} {:>10}  {}\n", "call us", "queued us", "alone us", "case");
    for (const DeviceCase& c : calls()) {
        if (c.name.find(o.filter) == std::string::npos) continue;
        const DeviceWork work = c.make(device);
        work.run();
        constexpr int count = 50;
        double call = 1e30, queued = 1e30;
        for (int turn = 0; turn < 10 * o.turns; ++turn) {
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < count; ++i) work.queue();
            call = std::min(call, seconds_since(start) / count * 1e6);
            work.wait();
            queued = std::min(queued, seconds_since(start) / count * 1e6);
        }
        fmt::print("{:>10.1f} {:>10.1f} {:>10.1f}  {}\n", call, queued, least_of_turns(work, 1), c.name);
        std::fflush(stdout);
    }
    return 0;
}

// The rate of a product among 20 that are queued: of large ones in 10^12 operations, of a row in bytes a second.
int run_products(const Options& o) {
    const dnnl::engine device(dnnl::engine::kind::gpu, 0);
    int wrong = 0;
    fmt::print("{:>10} {:>8} {:>8} {:>6}  {}\n", "queued us", "TFLOP/s", "GB/s", "wrong", "case");
    for (size_t kind = 0; kind < product_kinds(); ++kind)
        for (const auto& [m, n] : {std::pair{1024, 1024}, {2048, 2048}, {4096, 4096}, {8192, 8192}, {1, 4096}}) {
            const std::string name = name_of_product(kind, m, n, n);
            if (name.find(o.filter) == std::string::npos) continue;
            const ProductRun product = run_product(device, kind, m, n, n);
            product.work.run();
            const int failed = product.wrong();
            const double us = least_of_turns(product.work, 20), operations = 2. * m * n * n;
            fmt::print("{:>10.1f} {:>8.1f} {:>8.0f} {:>6}  {}\n", us, operations / us * 1e-6,
                       double(product.work.bytes) / us * 1e-3, failed, name);
            std::fflush(stdout);
            wrong += failed;
        }
    return wrong ? 1 : 0;
}

int run(const Options& o, const std::string& program) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const std::vector<DeviceCase> cases = small_cases();
    if (o.only_cpu) {
        for (const DeviceCase& c : cases) {
            if (c.name != o.filter) continue;
            const DeviceWork work = c.make(cpu);
            fmt::print("{:.9f}\n", measure_in_turns([&] { work.run(); }, work.bytes, o.turns).best);
        }
        return 0;
    }
    const dnnl::engine device(dnnl::engine::kind::gpu, 0);
    std::vector<ResultRow> rows;
    fmt::print("{:>8} {:>8} {:>10} {:>8} {:>9}  {}\n", "memcpy=1", "cpu=1", "portable=1", "GB/s", "best us", "case");
    for (const DeviceCase& c : cases) {
        if (c.name.find(o.filter) == std::string::npos) continue;
        const DeviceWork on_device = c.make(device), on_cpu = c.make(cpu);
        const Measured m = measure_in_turns([&] { on_device.run(); }, on_device.bytes, o.turns, [&] { on_cpu.run(); });
        const double portable = portable_seconds(program, c.name);
        fmt::print("{:>8.3f} {:>8.3f} {:>10.3f} {:>8.2f} {:>9.1f}  {}\n", m.fraction(), m.flat_best / m.best,
                   portable / m.best, m.gigabytes_per_second(), m.best * 1e6, c.name);
        std::fflush(stdout);
        ResultRow row;
        row.set = "devices", row.name = c.name, row.bytes = m.bytes;
        row.best = m.best * 1e6, row.median = m.median * 1e6, row.memcpy = m.copy_best * 1e6,
        row.flat = m.flat_best * 1e6;
        rows.push_back(row);
        row = ResultRow();
        row.set = "portable", row.name = c.name, row.best = row.median = portable * 1e6;
        rows.push_back(row);
    }
    if (o.tsv.empty()) return 0;
    const std::string wrong = write_results(o.tsv, facts_of_this_run(library_threads()), rows);
    if (!wrong.empty()) fmt::print(stderr, "devices: {}\n", wrong);
    return wrong.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) try {
    // Threads of OpenMP that spin after a parallel region would take the cores from the device, where that is the same
    // processor. The run time reads the variable when it is loaded.
    if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && !std::getenv("TESSERA_BENCH_AGAIN")) {
        setenv("TESSERA_BENCH_AGAIN", "1", 1);
        execv("/proc/self/exe", argv);
    }
    Options o;
    CommandLine program("Primitives on a device of OpenCL against the CPU", "devices");
    program.option("--filter", o.filter, "Only cases whose name contains this");
    program.option("--turns", o.turns, "Turns of the case, the CPU's and a copy").range(3, 1000).shows_default();
    program.option("--tsv", o.tsv, "Write the results to this file too").type_name("FILE");
    program.option(
        "--set", o.set,
        "small: tens of MB, against the CPU; large: hundreds of MB, on a GPU; products: matmuls, on a GPU; calls: "
        "little work");
    program.option("--beside", o.beside, "Times of another library for the large set (torch_times.py)")
        .type_name("FILE");
    program.flag("--only-cpu", o.only_cpu, "Print the seconds of the case named by --filter on the CPU engine");
    if (const auto code = program.parse(argc, argv)) return *code;
    if (o.set != "small" && o.set != "large" && o.set != "products" && o.set != "calls")
        throw std::invalid_argument(fmt::format("--set '{}': small, large, products or calls", o.set));
    if (o.set == "calls") return run_calls(o);
    if (o.set == "products") return run_products(o);
    return o.set == "large" ? run_large(o) : run(o, argv[0]);
} catch (const dnnl::error& e) {
    fmt::print(stderr, "devices: {}\n", e.what());
    return 1;
} catch (const std::invalid_argument& e) {
    fmt::print(stderr, "devices: {}\n", e.what());
    return 1;
}
