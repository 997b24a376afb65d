// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "oneapi/dnnl/dnnl.h"

namespace tessera::bench {
namespace {

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

// As the kernel reports them: sysconf() multiplies the L3 of some processors.
std::string caches() {
    const auto mebibytes = [](int index) {
        double kibibytes = 0;
        std::ifstream(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index)) >> kibibytes;
        return kibibytes / 1024;
    };
    return fmt::format("{:g} MiB of L2 a core, {:g} MiB of L3", mebibytes(2), mebibytes(3));
}

std::string compiler() {
#if defined(__clang__)
    return fmt::format("Clang {}", __clang_major__);
#else
    return fmt::format("GCC {}", __GNUC__);
#endif
}

// A field may hold neither of the two separators.
std::string field(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return text;
}

} // namespace

Facts facts_of_this_run(int threads) {
    const auto* v = dnnl_version();
    const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
    return {{"library", fmt::format("{}.{}.{}", v->major, v->minor, v->patch)},
            {"processor", processor()},
            {"caches", caches()},
            {"compiler", compiler()},
            {"threads", fmt::format("{}", threads)},
            {"limit", limit != nullptr ? limit : "none"}};
}

std::string write_results(const std::string& path, const Facts& facts, const std::vector<ResultRow>& rows) {
    const std::string temporary = path + ".tmp";
    std::ofstream file(temporary);
    for (const auto& [key, value] : facts) file << "# " << key << ' ' << field(value) << '\n';
    file << "set\tcase\tunit\tbest\tmedian\tp90\tbytes\telements\tmemcpy\tflat\ttarget\trefusal\n";
    for (const ResultRow& r : rows)
        file << fmt::format("{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{}\t{}\t{:.4f}\t{:.4f}\t{}\t{}\n", r.set,
                            field(r.name), r.unit, r.best, r.median, r.p90, r.bytes, r.elements, r.memcpy, r.flat,
                            r.target, field(r.refusal));
    file.close();
    if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    std::remove(temporary.c_str());
    return fmt::format("cannot write '{}'; does its folder exist?", path);
}

} // namespace tessera::bench
