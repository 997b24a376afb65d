// SPDX-License-Identifier: Apache-2.0
// Predicts how long a GPU takes for problems, without one, and compares that with what they need at least; the worst
// first. The lines are those of files or of the command line:
//
//   gpu_predict bench/devices/networks.txt
//
//   ratio  us predicted / us ideal: launches, then the launch that takes longest and what it waits for
//
// A launch takes as long as the slowest of what a GPU does at the same time:
//
//   memory     the bytes of all tensors once, or the sectors that groups touch from the second-level cache
//   sectors    those that instructions of 32 work-items touch, from the first-level cache
//   waits      a work-item waits for its loads one after the other, as far as they are not on their way together, for
//              local memory and for its group; the device runs so many groups at the same time
//   issue      operations of programs, accesses, multiplications and additions of products, divisions for places
//   product    those of the groups that a unit runs, on tensor cores
//
// Sectors and waits come from runs of a few groups with every access noted (accesses.hpp). It is a lower bound made of
// rough numbers, good for a factor of two and to find the ones of ten.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "accesses.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "core/plan/steps/matrices.hpp"
#include "first_device.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera::test {

namespace {

// An H200: bytes and operations in a us, times in us.
constexpr double memory_speed = 4.0e6, cache_speed = 5.5e6, sector_speed = 25e6, issue_speed = 24e6, cache_bytes = 40e6;
constexpr double launch_time = 6.6, beside_time = 2, memory_wait = 0.7, cached_wait = 0.04, local_wait = 0.025,
                 barrier_wait = 0.03;
constexpr double units = 132, most_items = 2048, most_local = 228 << 10, most_groups_of_unit = 24;

gpu::DeviceRow h200() {
    auto row = *gpu::with_facts({}, "capability=90,lanes=256,units=132,local_bytes=49152");
    row.unrolls = false;
    return row;
}

double product_speed(const Plan& plan, const Product& product) {
    const int wide = bits(plan.operands[size_t(product.a.operand)].type);
    return wide == 8 ? 1000e6 : wide == 16 ? 500e6 : 28e6;
}

struct Predicted {
    double us = 0;
    int launches = 0;
    double longest = 0;
    std::string why;
};

double local_bytes(const std::string& source) {
    double bytes = 0;
    const std::regex array(R"(local (\w+) \w+\[(\d+)\])");
    for (std::sregex_iterator m(source.begin(), source.end(), array), end; m != end; ++m)
        bytes += std::stod((*m)[2]) * ((*m)[1] == "ushort" ? 2 : (*m)[1] == "uchar" ? 1 : (*m)[1] == "ulong" ? 8 : 4);
    return bytes;
}

struct Time {
    double us;
    std::string why;
};
Time time_of(gpu::Device& device, const Plan& plan, const gpu::Kernel& kernel, double flops, size_t room) {
    const gpu::Launch& launch = kernel.launch;
    const auto groups = double(launch.groups), lanes = double(launch.lanes);
    const Step& step = plan.steps[kernel.step];
    if (step.product && launch.source.find("MULTIPLY(sum") != std::string::npos) { // on tensor cores
        const double turns = std::ceil(groups / units);
        return {turns * units * flops / groups / product_speed(plan, *step.product),
                fmt::format("product, {} groups", groups)};
    }
    const auto a = accesses(device, plan, kernel, room);
    if (!a) return {0, "? " + a.error().reason.substr(0, 900)};
    const double at_once =
        units * std::max(1., std::min({std::floor(most_items / lanes), most_groups_of_unit,
                                       std::floor(most_local / (local_bytes(launch.source) + 1024))}));
    const double first = a->bytes_at_once > 0 ? std::min(a->bytes / a->bytes_at_once, 1.) : 0;
    const double wait = a->waits * (first * memory_wait + (1 - first) * cached_wait) + a->local_waits * local_wait +
                        a->barriers * barrier_wait;
    const double items = groups * lanes;
    const std::pair<double, const char*> all[] = {
        {a->bytes * groups / (a->bytes * groups > cache_bytes ? memory_speed : cache_speed), "memory"},
        {a->bytes_at_once * groups / sector_speed, "sectors"},
        {std::max(1., groups / at_once) * wait, "waits"},
        {items * (a->instructions + a->divisions * 8 + 100) / issue_speed / std::min(1., items / (units * 512)),
         "issue"}};
    const auto [us, what] = *std::ranges::max_element(all, {}, &std::pair<double, const char*>::first);
    return {us,
            fmt::format("{} of {} ({:.0f} groups of {:.0f}; memory {:.0f} sectors {:.0f} waits {:.0f} (global {:.0f} "
                        "local {:.0f} barriers {:.0f}) issue {:.0f} us; divisions {:.0f} of {:.0f} instructions)",
                        what, name(step.kind), groups, lanes, all[0].first, all[1].first, all[2].first, a->waits,
                        a->local_waits, a->barriers, all[3].first, a->divisions, a->instructions)};
}

double flops_of(const Plan& plan, double* us) {
    double all = 0;
    for (const Step& step : plan.steps) {
        if (!step.product) continue;
        const auto m = matrices_of(plan, step);
        if (!m) continue;
        const double flops = 2 * double(m->batches) * double(m->rows) * double(m->columns) * double(m->depth);
        all += flops, *us += flops / product_speed(plan, *step.product);
    }
    return all;
}

Result<void> predict(gpu::Device& device, const std::string& text, std::vector<std::pair<double, std::string>>& out) {
    const auto line = parse_problem_line(text);
    const auto problem = line ? problem_of(*line) : Refusal(line.error());
    const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
    if (!plan) return Refusal(plan.error());
    double bytes = 0, product_us = 0;
    size_t largest = 1;
    for (const Tensor& t : problem->tensors) bytes += double(size_of(t.md)), largest = std::max(largest, size_of(t.md));
    flops_of(*plan, &product_us);
    const double ideal = launch_time + std::max(bytes / memory_speed, product_us);
    const gpu::DeviceRow row = h200();
    const gpu::KernelPlan kernels = gpu::kernel_plan(row, unrolled(*plan));
    Predicted p;
    for (const int64_t scratch : kernels.plan.scratch) largest = std::max(largest, size_t(scratch));
    double unused = 0;
    const double flops = flops_of(kernels.plan, &unused);
    for (const gpu::Kernel& kernel : gpu::kernels_of(row, kernels)) {
        if (kernel.launch.groups == 0) continue;
        const Time time = time_of(device, kernels.plan, kernel, flops, largest);
        p.us += time.us + (kernel.beside ? beside_time : launch_time), ++p.launches;
        if (time.us >= p.longest) p.longest = time.us, p.why = time.why;
    }
    p.us = std::max(p.us, ideal);
    out.emplace_back(p.us / ideal, fmt::format("{:6.1f} {:8.1f} / {:7.1f} {}: {:3} launches, {:.0f} us {}",
                                               p.us / ideal, p.us, ideal, text, p.launches, p.longest, p.why));
    std::fprintf(stderr, "%s\n", out.back().second.c_str());
    return {};
}

} // namespace

} // namespace tessera::test

int main(int argc, char** argv) {
    using namespace tessera;
    const auto device = test::first_device();
    if (!device) return std::fprintf(stderr, "no device of OpenCL\n"), 1;
    std::vector<std::string> lines;
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i]);
        if (!file) lines.emplace_back(argv[i]);
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line[0] != '#') lines.push_back(line);
    }
    std::vector<std::pair<double, std::string>> all;
    for (const std::string& line : lines)
        if (const auto ok = test::predict(*device, line, all); !ok)
            std::fprintf(stderr, "%s: %s\n", line.c_str(), ok.error().reason.c_str());
    std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<double, std::string>::first);
    for (const auto& [ratio, text] : all) std::puts(text.c_str());
    return 0;
}
