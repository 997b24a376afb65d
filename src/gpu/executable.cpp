#include "gpu/executable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "gpu/queue.hpp"
#include "gpu/source.hpp"

namespace tessera::gpu {

namespace {

// Numbers of kernels, in the type that they are read in there.
Result<Owned<cl_mem>> stored_places(Device& device, const std::vector<int64_t>& numbers, bool wide) {
    if (wide) return device.buffer(numbers.size() * 8, numbers.data());
    const std::vector<int32_t> narrow(numbers.begin(), numbers.end());
    return device.buffer(narrow.size() * 4, narrow.data());
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
    const DeviceRow row = row_of(*device);
    if (auto ok = verify(plan); !ok) return Refusal(ok.error());
    auto made = std::make_shared<DevicePlan>();
    made->device_ = device,
    made->plan_ =
        ungrouped(in_nests(plan, [&](const Step& product) { return has_product_kernel(row, plan, product); }));
    if (!device->doubles && computes_in_doubles(plan))
        return unimplemented("{} has no 64-bit floats, which {} takes", device->name, plan.title);
    for (const Step& step : made->plan_.steps) {
        if (step.sparse) return unimplemented("products with lists of elements (CSR, COO) run on the CPU engine alone");
        LocalStep local = local_step(made->plan_, step);
        const Step& own = local.plan.steps[0];
        const Launch launch = launch_of(row, local.plan, own);
        if (launch.groups == 0) continue;
        auto program = device->program(launch.source);
        if (!program) return Refusal(program.error());
        auto nest = stored_places(*device, launch.nest, launch.wide);
        if (!nest) return Refusal(nest.error());
        auto tables = stored_places(*device, launch.tables, launch.wide);
        if (!tables) return Refusal(tables.error());
        made->runs_.push_back({std::move(*program), std::move(*nest), std::move(*tables), std::move(local.operands),
                               size_t(launch.groups), size_t(launch.lanes), fmt::format("{}", name(step.kind))});
    }
    for (const std::vector<float>& values : plan.constants) {
        auto memory = device->buffer(values.size() * 4, values.data());
        if (!memory) return Refusal(memory.error());
        made->constants_.push_back(std::move(*memory));
    }
    return std::shared_ptr<const DevicePlan>(std::move(made));
}

Result<void> DevicePlan::run(std::span<void* const> handles, Submission& submission) const {
    const OpenCl& cl = device_->cl;
    std::vector<Owned<cl_mem>> scratch; // kept by the queue until the kernels that use it are done
    for (const int64_t bytes : plan_.scratch) {
        auto memory = device_->buffer(size_t(bytes));
        if (!memory) return Refusal(memory.error());
        scratch.push_back(std::move(*memory));
    }
    Queue& queue = static_cast<Queue&>(*submission.queue);
    Queue::Run queued(queue, submission.after, submission.event != nullptr);
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
        const auto set_buffer = [&](cl_mem memory) { set(&memory, sizeof memory); };
        set_buffer(run.nest.get()), set_buffer(run.tables.get());
        for (const int o : run.operands) {
            const Operand& operand = plan_.operands[size_t(o)];
            if (operand.counted) continue;
            if (operand.constant >= 0)
                set_buffer(constants_[size_t(operand.constant)].get());
            else if (operand.scratch >= 0)
                set_buffer(scratch[size_t(operand.scratch)].get());
            else if (submission.kinds[size_t(o)] == MemoryKind::buffer)
                set_buffer(cl_mem(handles[size_t(o)]));
            else if (error == CL_SUCCESS) {
                if (auto ok = queue.set_shared_argument(kernel.get(), number++, handles[size_t(o)]); !ok) return ok;
            }
        }
        if (error != CL_SUCCESS) return failed("clSetKernelArg", error);
        if (auto ok = queued.add(kernel.get(), run.groups * run.lanes, run.lanes); !ok) return ok;
    }
    auto event = queued.finish();
    if (!event) return Refusal(event.error());
    if (submission.event) *submission.event = std::move(*event);
    return {};
}

std::vector<cl_program> DevicePlan::programs() const {
    std::vector<cl_program> all;
    for (const Run& run : runs_) all.push_back(run.program.get());
    return all;
}

std::string DevicePlan::text() const {
    std::string out;
    for (const Run& run : runs_)
        out += fmt::format("{} on {}, {} groups of {} work-items\n", run.name, device_->name, run.groups, run.lanes);
    return out;
}

std::vector<std::string> DevicePlan::sources() const {
    std::vector<std::string> all;
    for (const Step& step : plan_.steps) {
        const LocalStep local = local_step(plan_, step);
        all.push_back(launch_of(row_of(*device_), local.plan, local.plan.steps[0]).source);
    }
    return all;
}

} // namespace tessera::gpu
