// SPDX-License-Identifier: Apache-2.0
// tessera doctor: what the library sees of this machine, and the limits it can reach here.
#include <thread>

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_tessera.h>

#include "commands/commands.hpp"
#include "copy_limit.hpp"
#include "cpu/engine.hpp"
#include "cpu/machine_row.hpp"
#include "measured_row.hpp"
#include "noise.hpp"

namespace tessera::commands {
namespace {

std::string isa_names(uint32_t isa) {
    static constexpr std::pair<uint32_t, const char*> names[] = {
        {dnnl_cpu_isa_sse41, "SSE4.1"},
        {dnnl_cpu_isa_avx, "AVX"},
        {dnnl_cpu_isa_avx2, "AVX2"},
        {dnnl_cpu_isa_avx2_vnni, "AVX2-VNNI"},
        {dnnl_cpu_isa_avx512_core, "AVX-512"},
        {dnnl_cpu_isa_avx512_core_vnni, "AVX-512 with VNNI"},
        {dnnl_cpu_isa_avx512_core_bf16, "AVX-512 with VNNI and BF16"},
        {dnnl_cpu_isa_avx10_1_512, "AVX10.1 (AVX-512 with FP16)"},
        {dnnl_cpu_isa_avx10_1_512_amx, "AVX10.1 with AMX"},
        {dnnl_cpu_isa_avx10_1_512_amx_fp16, "AVX10.1 with AMX-FP16"}};
    const char* best = "none of x86 (portable code)";
    for (const auto& [bits, text] : names)
        if (isa != 0 && (isa & bits) == bits) best = text;
    return best;
}

void row(const std::string& name, const std::string& value, const std::string& meaning = "") {
    fmt::print("  {:<18} {:<24}{}\n", name, value, meaning.empty() ? "" : "  " + meaning);
}

double best_of(int turns, const std::function<double()>& measure) {
    double best = measure();
    for (int t = 1; t < turns; ++t) best = std::min(best, measure());
    return best;
}

// One line for a working set of `bytes` (read + written) that should fit in the named cache level.
void copy_row(const char* level, int64_t bytes, int threads) {
    CopyLimit copy(bytes, threads);
    // Many short turns, so that a preempted thread spoils only one of them.
    const int repetitions = int(std::clamp<int64_t>((4 << 20) / bytes, 1, 16));
    const int turns = bytes > 256 << 20 ? 5 : 40;
    copy.memcpy_seconds(repetitions);
    copy.non_temporal_seconds(1);
    const double plain = double(bytes) / best_of(turns, [&] { return copy.memcpy_seconds(repetitions); }) * 1e-9;
    const double streamed =
        double(bytes) / best_of(turns, [&] { return copy.non_temporal_seconds(repetitions); }) * 1e-9;
    row(fmt::format("copy in {}", level), fmt::format("{:.1f} GB/s", std::max(plain, streamed)),
        fmt::format("{}: memcpy {:.1f}, stores past the caches {:.1f}", human_cache(bytes), plain, streamed));
}

void noise_row(const Noise& noise) {
    row("noise", noise.too_much() ? "too much" : "little",
        noise.text() + (noise.too_much() ? ": do not believe these figures, nor those of `bench`" : ""));
}

Result<int> run(bool color) {
    const auto heading = [&](const char* text) { fmt::print("{}\n", styled(text, Style::strong, color)); };
    const dnnl_version_t* version = dnnl_version();
    const Machine& machine = cpu::this_machine();
    heading("library");
    row("version", dnnl_tessera_version(),
        fmt::format("interface of oneDNN {}.{}.{}, commit {}", version->major, version->minor, version->patch,
                    version->hash));
    row("threads by", dnnl_runtime2str(version->cpu_runtime));
    heading("machine");
    row("processor row", machine.name);
    row("instructions", isa_names(uint32_t(dnnl_get_effective_cpu_isa())),
        fmt::format("vectors of {} bytes", machine.vector_bytes));
    row("threads", fmt::format("{}", library_threads()),
        fmt::format("of {} the system has", std::thread::hardware_concurrency()));
    row("caches",
        fmt::format("{} / {} / {}", human_cache(machine.l1_bytes), human_cache(machine.l2_bytes),
                    human_cache(machine.l3_bytes)),
        "first and second level of a core, third shared");
    heading("measured limits (read + written, best of 40; memory: of 5)");
    std::fflush(stdout);
    const int threads = library_threads();
    Noise noise;
    noise.probe();
    copy_row("L2", std::min<int64_t>(machine.l2_bytes / 2, 16 << 20) * threads, threads);
    // Beyond the second level of all cores, at most half of the third.
    const int64_t third = std::clamp<int64_t>(machine.l3_bytes / 2, 2 * machine.l2_bytes * threads, 64 << 20);
    copy_row("L3", third, threads);
    // DRAM: twice the third level, as far as 1 GiB of buffers goes.
    copy_row("memory", std::clamp<int64_t>(2 * machine.l3_bytes, 256 << 20, 1 << 30), threads);
    noise.probe();
    const double fork = fork_join_seconds();
    row("fork and join", fork > 0 ? human_seconds(fork) : "none",
        "an empty parallel region; smaller work stays on one thread");
    noise.probe();
    noise_row(noise);
    return 0;
}

Result<int> measure(bool color) {
    const Machine& in_use = cpu::this_machine();
    const auto start = std::chrono::steady_clock::now();
    Noise noise;
    noise.probe();
    const Machine measured = measured_row(in_use);
    noise.probe();
    fmt::print("{}\n", styled(fmt::format("row of this machine, measured in {:.1f} s", seconds_since(start)),
                              Style::strong, color));
    row("figure", "in use", "measured");
    const auto numbers = [](const char* name, int64_t used, int64_t found) {
        row(name, fmt::format("{}", used), fmt::format("{}{}", found, found == used ? "" : "  differs"));
    };
    numbers("l1_bytes", in_use.l1_bytes, measured.l1_bytes);
    numbers("l1_ways", in_use.l1_ways, measured.l1_ways);
    numbers("l2_bytes", in_use.l2_bytes, measured.l2_bytes);
    row("l3_bytes", fmt::format("{}", in_use.l3_bytes), "not measured: neighbours share it");
    numbers("stream_bytes", in_use.stream_bytes, measured.stream_bytes);
    numbers("parallel_bytes", in_use.parallel_bytes, measured.parallel_bytes);
    numbers("two_shuffles", in_use.two_shuffles, measured.two_shuffles);
    numbers("spare_vector_pipes", in_use.spare_vector_pipes, measured.spare_vector_pipes);
    row("follows_rows", fmt::format("{}", int(in_use.follows_rows)), "not measured");
    numbers("fast_bf16_products", in_use.fast_bf16_products, measured.fast_bf16_products);
    noise_row(noise);
    fmt::print("To use what was measured, or the part of it that repeats on a quiet machine:\n"
               "  export TESSERA_MACHINE='{}'\n",
               cpu::row_of(measured));
    return 0;
}

} // namespace

void add_doctor(CommandLine& program, Action& action) {
    auto color = std::make_shared<ColorChoice>(ColorChoice::automatic);
    Command c = program.command("doctor", "Show what the library sees of this machine and measure its limits");
    add_color(c, *color);
    auto measures = std::make_shared<bool>(false);
    c.flag("--measure", *measures, "Measure the figures that choices go by, beside those in use");
    c.footer("Takes some seconds. The fractions that `bench` prints are of such copies, measured beside each problem.");
    c.when_given([color, measures, &action] {
        action = [color, measures] { return *measures ? measure(use_color(*color)) : run(use_color(*color)); };
    });
}

} // namespace tessera::commands
