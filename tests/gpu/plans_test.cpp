// Plans on devices of OpenCL against the interpreter of plans, bit for bit: every N-th problem line of some files. A
// device compiles a kernel for 0.2 s, so that all lines are for `make gpu`.
//   TESSERA_OPENCL_DEVICES=all gpu_plans_test 29 tests/inputs/*.txt
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"
#include "gpu/executable.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera::gpu {

namespace {

using Bytes = std::vector<unsigned char>;

std::vector<std::string> lines;
int compared = 0;

std::shared_ptr<Device> device() {
    static const std::shared_ptr<Device> first = [] {
        for (const cl_device_id id : device_ids())
            if (auto made = Device::make(*opencl(), id)) return *made;
        return std::shared_ptr<Device>();
    }();
    return first;
}

void fill(Bytes& bytes, DataType type, std::mt19937_64& random) {
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    if (bits(type) < 32) return;
    // Mostly values that narrower types can hold; random bits are mostly huge.
    for (size_t i = 0; i < bytes.size() / size_t(bits(type) / 8); ++i)
        if (random() % 5) write<double>(type, bytes.data(), int64_t(i), double(random() % 4000) / 8 - 250);
}

// NaNs are equal: which payload survives a + b is not specified.
std::string difference(DataType type, const Bytes& want, const Bytes& got) {
    for (int64_t i = 0; want != got && i < int64_t(want.size()) * 8 / bits(type); ++i) {
        if (read_bits(type, want.data(), i) == read_bits(type, got.data(), i)) continue;
        const double x = read<double>(type, want.data(), i), y = read<double>(type, got.data(), i);
        if (x == x || y == y) return fmt::format("element {}: {} expected, {} found", i, x, y);
    }
    return "";
}

std::map<int, Bytes> arguments(const Problem& p) {
    std::mt19937_64 random(7);
    std::map<int, Bytes> all;
    for (const Tensor& t : p.tensors) {
        Bytes& bytes = all[t.arg];
        bytes.resize(reach_of(t.md));
        fill(bytes, t.md.type, random);
    }
    for (const QuantArg& q : quant_args(p)) {
        Bytes& bytes = all[q.id];
        bytes.resize(size_t(bytes_of(q.quant.type, q.count)));
        for (int64_t i = 0; i < q.count; ++i) write<float>(q.quant.type, bytes.data(), i, float(1 + random() % 8) / 4);
    }
    return all;
}

void check(const std::string& line) {
    const auto parsed = parse_problem_line(line);
    ASSERT_TRUE(parsed) << parsed.error().reason;
    const auto problem = problem_of(*parsed);
    if (!problem || problem->has_runtime()) return; // lines of refusals, and those without a plan
    const auto plan = ops::row(problem->kind).lower(*problem);
    if (!plan) return;
    ++compared;
    std::map<int, Bytes> want = arguments(*problem);
    std::map<int, Owned<cl_mem>> memory;
    for (auto& [arg, bytes] : want) {
        auto buffer = device()->buffer(bytes.size(), bytes.data());
        ASSERT_TRUE(buffer) << buffer.error().reason;
        memory[arg] = *buffer;
    }
    std::vector<Bytes> scratch;
    for (const int64_t bytes : plan->scratch) scratch.emplace_back(size_t(bytes));
    std::vector<void*> pointers;
    std::vector<cl_mem> buffers;
    for (const Operand& o : plan->operands) {
        void* pointer = nullptr;
        if (o.constant >= 0)
            pointer = const_cast<float*>(plan->constants[size_t(o.constant)].data());
        else if (!o.counted)
            pointer = o.scratch >= 0 ? scratch[size_t(o.scratch)].data() : want.at(o.arg).data();
        pointers.push_back(pointer ? static_cast<char*>(pointer) + o.bytes : nullptr);
        buffers.push_back(o.counted || o.constant >= 0 || o.scratch >= 0 ? nullptr : memory.at(o.arg).get());
    }
    const auto compiled = DevicePlan::make(device(), *plan);
    ASSERT_TRUE(compiled) << compiled.error().reason;
    interpret(*plan, pointers);
    const auto done = (*compiled)->run(buffers, device()->queue());
    ASSERT_TRUE(done) << done.error().reason;
    device()->cl.clFinish(device()->queue());
    for (const auto& [arg, bytes] : want) {
        Bytes got(bytes.size());
        if (!got.empty())
            device()->cl.clEnqueueReadBuffer(device()->queue(), memory[arg].get(), CL_TRUE, 0, got.size(), got.data(),
                                             0, nullptr, nullptr);
        const Tensor* tensor = nullptr;
        for (const Tensor& t : problem->tensors)
            if (t.arg == arg) tensor = &t;
        ASSERT_EQ(difference(tensor ? tensor->md.type : DataType::u8, bytes, got), "") << "argument " << arg;
    }
}

} // namespace

TEST(DevicePlans, agree_with_the_interpreter) {
    if (!device()) GTEST_SKIP() << "no device of OpenCL: " << opencl_reason();
    for (const std::string& line : lines) {
        SCOPED_TRACE(line);
        check(line);
    }
    std::printf("%d plans compared on %s\n", compared, device()->name.c_str());
}

} // namespace tessera::gpu

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const int every = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1;
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i]);
        int number = 0;
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line[0] != '#' && number++ % every == 0) tessera::gpu::lines.push_back(line);
    }
    return RUN_ALL_TESTS();
}
