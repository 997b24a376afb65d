// SPDX-License-Identifier: Apache-2.0
#include "gpu/executable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/rewrite/turns.hpp"
#include "gpu/queue.hpp"

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
    constexpr int64_t most_launches = 1 << 17; // of repeats, whose turns are launched one by one: seconds of creation
    int64_t launches = 0;
    for (const Step& step : plan.steps)
        if (step.kind == StepKind::repeat) launches += step.nest.points() * int64_t(step.group->steps.size());
    if (launches > most_launches)
        return unimplemented("{}: {} launches for the turns of its repeats; on devices there are at most {}, so divide "
                             "the steps of time",
                             plan.title, launches, most_launches);
    auto made = std::make_shared<DevicePlan>();
    made->device_ = device;
    made->kernels_ = kernel_plan(row, unrolled(plan));
    if (!device->doubles && computes_in_doubles(plan))
        return unimplemented("{} has no 64-bit floats, which {} takes", device->name, plan.title);
    for (auto& [number, launch, operands] : kernels_of(row, made->kernels_)) {
        const Step& step = made->plan().steps[number];
        if (step.sparse) {
            auto sparse = SparseRun::make(*device, plan, *step.sparse);
            if (!sparse) return Refusal(sparse.error());
            Run& run = made->runs_.emplace_back();
            run.name = sparse->text();
            run.sparse = std::move(*sparse);
            continue;
        }
        auto program = device->program(launch.source);
        if (!program) return Refusal(program.error());
        auto nest = stored_places(*device, launch.nest, launch.wide);
        if (!nest) return Refusal(nest.error());
        auto tables = stored_places(*device, launch.tables, launch.wide);
        if (!tables) return Refusal(tables.error());
        made->runs_.push_back({std::move(*program), std::move(*nest), std::move(*tables), std::move(operands),
                               size_t(launch.groups), size_t(launch.lanes), fmt::format("{}", name(step.kind))});
    }
    for (const std::vector<float>& values : plan.constants) {
        auto memory = device->buffer(values.size() * 4, values.data());
        if (!memory) return Refusal(memory.error());
        made->constants_.push_back(std::move(*memory));
    }
    return std::shared_ptr<const DevicePlan>(std::move(made));
}

Result<void> DevicePlan::set_operand(Queue& queue, cl_kernel kernel, cl_uint number, int o,
                                     std::span<void* const> handles, const Submission& submission,
                                     const Scratch& scratch) const {
    const Operand& operand = plan().operands[size_t(o)];
    cl_mem memory = nullptr;
    if (operand.constant >= 0)
        memory = constants_[size_t(operand.constant)].get();
    else if (operand.scratch >= 0)
        memory = scratch[size_t(operand.scratch)].get();
    else if (submission.kinds[size_t(o)] == MemoryKind::buffer)
        memory = static_cast<cl_mem>(handles[size_t(o)]);
    else
        return queue.set_shared_argument(kernel, number, handles[size_t(o)]);
    const cl_int error = device_->cl.clSetKernelArg(kernel, number, sizeof memory, &memory);
    return error == CL_SUCCESS ? Result<void>{} : failed("clSetKernelArg", error);
}

Result<void> DevicePlan::run(std::span<void* const> handles, Submission& submission) const {
    const OpenCl& cl = device_->cl;
    Scratch scratch; // kept by the queue until the kernels that use it are done
    for (const int64_t bytes : plan().scratch) {
        if (bytes == 0) { // all of it is local memory
            scratch.emplace_back();
            continue;
        }
        auto memory = device_->buffer(size_t(bytes));
        if (!memory) return Refusal(memory.error());
        scratch.push_back(std::move(*memory));
    }
    Queue& queue = static_cast<Queue&>(*submission.queue);
    const SparseRun::SetOperand set = [&](cl_kernel kernel, cl_uint number, int o) {
        return set_operand(queue, kernel, number, o, handles, submission, scratch);
    };
    for (const Run& run : runs_)
        if (run.sparse)
            if (auto ok = run.sparse->check(*device_, queue, submission.after, set); !ok) return ok;
    Queue::Run queued(queue, submission.after, submission.event != nullptr);
    for (const Run& run : runs_) {
        if (run.sparse) {
            if (auto ok = run.sparse->multiply(*device_, queued, set); !ok) return ok;
            continue;
        }
        const auto made = device_->kernel(run.program.get(), kernel_name.data());
        if (!made) return Refusal(made.error());
        const Owned<cl_kernel>& kernel = *made;
        cl_int error = CL_SUCCESS;
        cl_uint number = 0;
        for (const cl_mem memory : {run.nest.get(), run.tables.get()})
            if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel.get(), number++, sizeof memory, &memory);
        if (error != CL_SUCCESS) return failed("clSetKernelArg", error);
        for (const int o : run.operands)
            if (auto ok = set(kernel.get(), number++, o); !ok) return ok;
        if (auto ok = queued.add(kernel.get(), run.groups * run.lanes, run.lanes); !ok) return ok;
    }
    auto event = queued.finish();
    if (!event) return Refusal(event.error());
    if (submission.event) *submission.event = std::move(*event);
    return {};
}

std::vector<cl_program> DevicePlan::programs() const {
    std::vector<cl_program> all;
    for (const Run& run : runs_) all.push_back(run.sparse ? run.sparse->program() : run.program.get());
    return all;
}

std::string DevicePlan::text() const {
    std::string out;
    for (const Run& run : runs_)
        out += run.sparse ? fmt::format("{} on {}\n", run.name, device_->name)
                          : fmt::format("{} on {}, {} groups of {} work-items\n", run.name, device_->name, run.groups,
                                        run.lanes);
    return out;
}

std::vector<std::string> DevicePlan::sources() const {
    std::vector<std::string> all;
    for (const Run& run : runs_)
        if (run.sparse) all.push_back(run.sparse->source());
    for (Kernel& kernel : kernels_of(row_of(*device_), kernels_))
        if (kernel.launch.groups > 0) all.push_back(std::move(kernel.launch.source));
    return all;
}

} // namespace tessera::gpu
