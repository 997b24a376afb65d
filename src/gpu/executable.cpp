#include "gpu/executable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/unit.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

// What the kernel reads besides operands: source.hpp says what stands where.
struct Numbers {
    std::vector<int64_t> nest, tables;
    size_t points = 1;
};

// Passes of the last loop in a work-item: on a GPU one, so that neighbours access neighbours; on a processor many,
// because finding one's place costs some divisions.
int64_t passes_of(const Device& device, const Step& step) {
    constexpr int64_t items = 256, most = 1024;
    if (!device.processor || step.nest.loops.empty()) return 1;
    return std::clamp<int64_t>(step.nest.points() / items, 1, std::min(most, step.nest.loops.back().extent));
}

Numbers numbers_of(const Device& device, const Plan& plan, const Step& step) {
    const auto& loops = step.nest.loops;
    const auto is_outer = [](const Loop& loop) { return loop.kind != LoopKind::reduce; };
    const auto outer = size_t(std::ranges::find_if_not(loops, is_outer) - loops.begin());
    Numbers n;
    n.points = size_t(iterations({loops.data(), outer}));
    int64_t count = iterations({loops.data() + outer, loops.size() - outer});
    if (step.kind != StepKind::reduce) {
        count = passes_of(device, step);
        if (outer) n.points = n.points / size_t(loops.back().extent) * size_t(ceil_div(loops.back().extent, count));
    }
    n.nest = {int64_t(outer), int64_t(loops.size()), count};
    for (const Operand& o : plan.operands) n.nest.push_back(o.bytes);
    for (size_t o = 0; o < plan.operands.size(); ++o) n.nest.push_back(step.nest.base[o]);
    for (const Loop& loop : loops) {
        n.nest.push_back(loop.extent);
        for (size_t o = 0; o < plan.operands.size(); ++o) {
            const Table& table = loop.table[o];
            n.nest.push_back(loop.stride[o]);
            n.nest.push_back(table ? int64_t(n.tables.size()) : -1);
            if (table) n.tables.insert(n.tables.end(), table->begin(), table->end());
        }
    }
    return n;
}

bool computes_in_doubles(const Plan& plan) {
    const auto is_double = [](const Operand& o) { return o.type == DataType::f64; };
    const auto computes = [](const Program& p) {
        return std::ranges::any_of(p.ops, [](const Op& op) { return op.type == ValueType::f64; });
    };
    return std::ranges::any_of(plan.operands, is_double) || std::ranges::any_of(plan.programs, computes);
}

} // namespace

Result<std::shared_ptr<const DevicePlan>> DevicePlan::make(std::shared_ptr<Device> device, const Plan& plan) {
    if (auto ok = verify(plan); !ok) return Refusal(ok.error());
    auto made = std::make_shared<DevicePlan>();
    made->device_ = device, made->plan_ = ungrouped(in_nests(plan));
    if (!device->doubles && computes_in_doubles(plan))
        return unimplemented("{} has no 64-bit floats, which {} takes", device->name, plan.title);
    for (const Step& step : made->plan_.steps) {
        if (step.sparse) return unimplemented("products with lists of elements (CSR, COO) run on the CPU engine alone");
        LocalStep local = local_step(made->plan_, step);
        const Step& own = local.plan.steps[0];
        auto program = device->program(source_of_step(local.plan, own));
        if (!program) return Refusal(program.error());
        const Numbers numbers = numbers_of(*device, local.plan, own);
        auto nest = device->buffer(numbers.nest.size() * 8, numbers.nest.data());
        if (!nest) return Refusal(nest.error());
        auto tables = device->buffer(numbers.tables.size() * 8, numbers.tables.data());
        if (!tables) return Refusal(tables.error());
        made->runs_.push_back(
            {std::move(*program), std::move(*nest), std::move(*tables), std::move(local.operands), numbers.points});
    }
    for (const std::vector<float>& values : plan.constants) {
        auto memory = device->buffer(values.size() * 4, values.data());
        if (!memory) return Refusal(memory.error());
        made->constants_.push_back(std::move(*memory));
    }
    return std::shared_ptr<const DevicePlan>(std::move(made));
}

Result<void> DevicePlan::run(std::span<const cl_mem> buffers, cl_command_queue queue) const {
    const OpenCl& cl = device_->cl;
    std::vector<Owned<cl_mem>> scratch; // kept by the queue until the kernels that use it are done
    for (const int64_t bytes : plan_.scratch) {
        auto memory = device_->buffer(size_t(bytes));
        if (!memory) return Refusal(memory.error());
        scratch.push_back(std::move(*memory));
    }
    for (const Run& run : runs_) {
        // A kernel holds its arguments, so that each execution has its own.
        cl_int error = CL_SUCCESS;
        const Owned<cl_kernel> kernel(cl.clCreateKernel(run.program.get(), kernel_name.data(), &error),
                                      [&cl](cl_kernel k) { k&& cl.clReleaseKernel(k); });
        if (error != CL_SUCCESS) return failed("clCreateKernel", error);
        cl_uint number = 0;
        const auto set = [&](const void* value, size_t bytes) {
            if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel.get(), number++, bytes, value);
        };
        const auto points = cl_ulong(run.points);
        const cl_mem nest = run.nest.get(), tables = run.tables.get();
        set(&points, sizeof points), set(&nest, sizeof nest), set(&tables, sizeof tables);
        for (const int o : run.operands) {
            const Operand& operand = plan_.operands[size_t(o)];
            if (operand.counted) continue;
            const cl_mem memory = operand.constant >= 0  ? constants_[size_t(operand.constant)].get()
                                  : operand.scratch >= 0 ? scratch[size_t(operand.scratch)].get()
                                                         : buffers[size_t(o)];
            set(&memory, sizeof memory);
        }
        const size_t all = round_up(int64_t(run.points), int64_t(device_->group));
        if (error == CL_SUCCESS)
            error =
                cl.clEnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &all, &device_->group, 0, nullptr, nullptr);
        if (error != CL_SUCCESS)
            return runtime_error("OpenCL: a kernel cannot be queued on {}: {}", device_->name, name_of_error(error));
    }
    return {};
}

std::string DevicePlan::text() const {
    std::string out;
    for (size_t i = 0; i < runs_.size(); ++i)
        out += fmt::format("{} on {}, {} work-items\n", name(plan_.steps[i].kind), device_->name, runs_[i].points);
    return out;
}

} // namespace tessera::gpu
