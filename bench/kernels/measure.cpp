// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <sys/mman.h>

#include <fmt/format.h>

namespace tessera::cpu::bench {

namespace {

double rate_of(const Work& work, int64_t repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t n = 0; n < repeats; ++n) work.run();
    return work.amount * double(repeats) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
    return all[all.size() / 2];
}

} // namespace

Buffer::Buffer(size_t bytes) : bytes_((bytes + (2 << 20)) >> 21 << 21) {
    data_ = std::aligned_alloc(2 << 20, bytes_);
    if (!data_) throw std::runtime_error(fmt::format("no {} bytes", bytes_));
    madvise(data_, bytes_, MADV_HUGEPAGE);
    std::fill_n(static_cast<uint8_t*>(data_), bytes_, uint8_t(0));
}
Buffer::~Buffer() { std::free(data_); }

KernelPtr made(const Target& target, const std::string& key, const std::function<Code()>& build) {
    const KernelPtr kernel = jit::kernel(target, key, build);
    if (!kernel) throw std::runtime_error("no kernel: " + key);
    return kernel;
}
KernelPtr made(const Target& target, const DotSpec& spec) {
    if (!can_build_dot(target, spec)) throw std::runtime_error("cannot build: " + key(spec));
    return made(target, key(spec), [&] { return build_dot(target, spec); });
}

void measure(const Options& o, const std::string& name, const std::function<Work()>& make,
             const std::function<std::vector<Work>()>& make_peaks) {
    if (name.find(o.filter) == std::string::npos) return;
    const Work work = make();
    const std::vector<Work> peaks = make_peaks();
    constexpr double seconds = 0.002;
    const auto repeats = [&](const Work& w) {
        return std::max<int64_t>(1, int64_t(seconds * rate_of(w, 3) / w.amount));
    };
    work.before();
    std::vector<int64_t> counts{repeats(work)};
    for (const Work& p : peaks) counts.push_back(repeats(p));
    std::vector<double> rates;
    std::vector<std::vector<double>> fractions(peaks.size());
    for (int turn = 0; turn < o.turns; ++turn) {
        rates.push_back(rate_of(work, counts[0]));
        for (size_t p = 0; p < peaks.size(); ++p)
            fractions[p].push_back(rates.back() / rate_of(peaks[p], counts[p + 1]));
    }
    work.after();
    fmt::print("{:44} {:8.1f}", name, median(rates) / 1e9);
    for (const auto& f : fractions) fmt::print(" {:6.2f}", median(f));
    fmt::print("\n");
    std::fflush(stdout);
}

} // namespace tessera::cpu::bench
