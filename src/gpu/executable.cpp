// SPDX-License-Identifier: Apache-2.0
#include "gpu/executable.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/plan/rewrite/turns.hpp"
#include "core/verbose/verbose.hpp"
#include "gpu/products/check.hpp"

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

// How many of the first operands are values.
size_t values_among(const Submission& submission, size_t operands) {
    return size_t(std::ranges::count(submission.kinds.first(operands), MemoryKind::value));
}

// Threads that come here at the same time find the same.
void check_matrices(Device& device) {
    if (device.matrices_checked) return;
    const DeviceRow row = row_of(device);
    if (const auto tile = tile_of(row); tile && row.multiplies_matrices) {
        const std::string wrong = wrong_in_matrices(device, row, *tile);
        if (!wrong.empty()) {
            verbose::warning(fmt::format("{}: its instructions for matrices are not used: {}", device.name, wrong));
            device.matrices = 0;
        }
    }
    device.matrices_checked = true;
}

// Addresses in shared memory; buffers have no other multiples than kernels rely on, their parts neither.
bool has_unaligned(std::span<void* const> handles, const Submission& submission) {
    for (size_t o = 0; o < submission.kinds.size(); ++o)
        if (submission.kinds[o] == MemoryKind::usm && reinterpret_cast<uintptr_t>(handles[o]) % 16 != 0) return true;
    return false;
}

} // namespace

// A free set of kernels, or none; given back without an allocation, which could fail.
class DevicePlan::Taken {
public:
    explicit Taken(const DevicePlan& plan) : plan_(plan) {
        const std::lock_guard guard(plan.lock_);
        if (!plan.free_.empty()) set_.splice(set_.begin(), plan.free_, plan.free_.begin());
    }
    ~Taken() {
        const std::lock_guard guard(plan_.lock_);
        plan_.free_.splice(plan_.free_.begin(), set_);
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    Result<void> make_if_none() {
        if (!set_.empty()) return {};
        auto made = plan_.make_kernels();
        if (!made) return Refusal(made.error());
        set_.push_back(std::move(*made));
        return {};
    }
    const KernelSet& kernels() const { return set_.front(); }

private:
    const DevicePlan& plan_;
    std::list<KernelSet> set_;
};

Result<std::shared_ptr<const DevicePlan>> DevicePlan::make(std::shared_ptr<Device> device, const Plan& plan) {
    check_matrices(*device);
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
    if (!device->doubles && computes_in_doubles(plan))
        return unimplemented("{} has no 64-bit floats, which {} takes", device->name, plan.title);
    return make(std::move(device), row, kernel_plan(row, unrolled(plan)));
}

Result<std::shared_ptr<const DevicePlan>> DevicePlan::make(std::shared_ptr<Device> device, const DeviceRow& row,
                                                           KernelPlan kernel_plan) {
    auto made = std::make_shared<DevicePlan>();
    made->device_ = device;
    made->kernels_ = std::move(kernel_plan);
    made->aligned_ = row.aligned;
    for (const std::vector<float>& values : made->plan().constants) {
        auto memory = device->buffer(values.size() * 4, values.data());
        if (!memory) return Refusal(memory.error());
        made->constants_.push_back(std::move(*memory));
    }
    std::vector<int64_t> scratch = made->plan().scratch;
    for (Kernel& kernel : kernels_of(row, made->kernels_)) {
        auto run = made->run_of(std::move(kernel), scratch);
        if (!run) return Refusal(run.error());
        made->runs_.push_back(std::move(*run));
    }
    made->place(scratch);
    auto kernels = made->make_kernels();
    if (!kernels) return Refusal(kernels.error());
    made->free_.push_back(std::move(*kernels));
    return std::shared_ptr<const DevicePlan>(std::move(made));
}

Result<DevicePlan::Run> DevicePlan::run_of(Kernel kernel, std::vector<int64_t>& scratch) const {
    const Step& step = plan().steps[kernel.step];
    const Launch& launch = kernel.launch;
    Run run;
    run.beside = kernel.beside;
    if (step.sparse) {
        auto sparse = SparseRun::make(*device_, plan(), *step.sparse);
        if (!sparse) return Refusal(sparse.error());
        run.name = sparse->text();
        run.scratch = scratch.size();
        scratch.push_back(sparse->scratch_bytes());
        run.sparse = std::move(*sparse);
        return run;
    }
    auto program = device_->program(launch.source, launch.registers);
    if (!program) return Refusal(program.error());
    auto nest = stored_places(*device_, launch.nest, launch.wide);
    if (!nest) return Refusal(nest.error());
    auto tables = stored_places(*device_, launch.tables, launch.wide);
    if (!tables) return Refusal(tables.error());
    run.program = std::move(*program), run.nest = std::move(*nest), run.tables = std::move(*tables);
    run.operands = std::move(kernel.operands);
    run.groups = size_t(launch.groups), run.lanes = size_t(launch.lanes);
    run.name = fmt::format("{}", name(step.kind));
    return run;
}

// By size, so that what a queue keeps for one plan fits others. Scratch without bytes is local memory.
void DevicePlan::place(std::span<const int64_t> scratch) {
    std::vector<size_t> order(scratch.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](size_t i) { return scratch[i]; });
    scratch_places_.resize(scratch.size());
    for (const size_t i : order) {
        scratch_places_[i] = scratch_bytes_.size();
        if (scratch[i] > 0) scratch_bytes_.push_back(size_t(scratch[i]));
    }
}

Result<DevicePlan::KernelSet> DevicePlan::make_kernels() const {
    KernelSet set;
    for (const Run& run : runs_) {
        RunKernels& kernels = set.emplace_back();
        auto step =
            run.sparse ? run.sparse->make_product(*device_) : device_->kernel(run.program.get(), kernel_name.data());
        if (!step) return Refusal(step.error());
        kernels.step = std::move(*step);
        if (run.sparse) {
            auto check = run.sparse->make_check(*device_);
            if (!check) return Refusal(check.error());
            kernels.check = std::move(*check);
            continue;
        }
        std::vector<cl_mem> known = {run.nest.get(), run.tables.get()};
        for (const int o : run.operands) {
            const int constant = plan().operands[size_t(o)].constant;
            known.push_back(constant >= 0 ? constants_[size_t(constant)].get() : nullptr);
        }
        for (size_t i = 0; i < known.size(); ++i)
            if (known[i])
                if (auto ok = device_->set_argument(kernels.step.get(), cl_uint(i), known[i]); !ok)
                    return Refusal(ok.error());
    }
    return set;
}

Result<const DevicePlan*> DevicePlan::for_any_handles() const {
    const std::lock_guard guard(lock_);
    if (!for_any_handles_) {
        DeviceRow row = row_of(*device_);
        row.aligned = false;
        auto made = make(device_, row, kernels_);
        if (!made) return Refusal(made.error());
        for_any_handles_ = std::move(*made);
    }
    return for_any_handles_.get();
}

// Always, though most executions have the handles of the one before: a kernel does not retain its buffers, and another
// one may have the handle of one that is gone.
Result<void> DevicePlan::set_operand(Queue& queue, cl_kernel kernel, cl_uint number, int o,
                                     std::span<void* const> handles, const Submission& submission,
                                     const Queue::Scratch& scratch) const {
    const Operand& operand = plan().operands[size_t(o)];
    if (operand.scratch >= 0)
        return device_->set_argument(kernel, number, scratch[scratch_places_[size_t(operand.scratch)]]);
    if (submission.kinds[size_t(o)] == MemoryKind::buffer)
        return device_->set_argument(kernel, number, static_cast<cl_mem>(handles[size_t(o)]));
    if (submission.kinds[size_t(o)] == MemoryKind::value)
        return device_->set_argument(kernel, number,
                                     scratch[scratch_bytes_.size() + values_among(submission, size_t(o))]);
    return queue.set_shared_argument(kernel, number, handles[size_t(o)]);
}

Result<void> DevicePlan::run(std::span<void* const> handles, Submission& submission) const {
    if (aligned_ && has_unaligned(handles, submission)) {
        const auto other = for_any_handles();
        return other ? (*other)->run(handles, submission) : Result<void>(Refusal(other.error()));
    }
    Taken taken(*this);
    if (auto ok = taken.make_if_none(); !ok) return ok;
    const KernelSet& kernels = taken.kernels();
    Queue& queue = static_cast<Queue&>(*submission.queue);
    Queue::Scratch scratch;
    const SparseRun::SetOperand set = [&](cl_kernel kernel, cl_uint number, int o) {
        return set_operand(queue, kernel, number, o, handles, submission, scratch);
    };
    for (size_t i = 0; i < runs_.size(); ++i)
        if (const auto& sparse = runs_[i].sparse)
            if (auto ok = sparse->run_check(*device_, queue, submission.after, kernels[i].check, set); !ok) return ok;
    // Others wait for scratch memory, so it is not taken while the host waits.
    const size_t values = values_among(submission, submission.kinds.size());
    std::vector<size_t> bytes;
    if (values) bytes = scratch_bytes_, bytes.resize(bytes.size() + values, sizeof(uint64_t));
    if (auto ok = queue.take(scratch, values ? bytes : scratch_bytes_); !ok) return ok;
    Queue::Run queued(queue, submission.after, submission.event != nullptr);
    for (size_t o = 0, n = scratch_bytes_.size(); values && o < submission.kinds.size(); ++o)
        if (submission.kinds[o] == MemoryKind::value)
            if (auto ok = queued.fill(scratch[n++], *static_cast<const uint64_t*>(handles[o])); !ok) return ok;
    for (size_t i = 0; i < runs_.size(); ++i) {
        const Run& run = runs_[i];
        const cl_kernel kernel = kernels[i].step.get();
        if (run.sparse) {
            if (auto ok = run.sparse->multiply(*device_, queued, kernel, scratch[scratch_places_[run.scratch]], set);
                !ok)
                return ok;
            continue;
        }
        for (size_t n = 0; n < run.operands.size(); ++n)
            if (const int o = run.operands[n]; plan().operands[size_t(o)].constant < 0)
                if (auto ok = set(kernel, cl_uint(n + 2), o); !ok) return ok; // behind nest and tables
        if (auto ok = queued.add(kernel, run.groups * run.lanes, run.lanes, run.beside); !ok) return ok;
    }
    auto event = queued.finish(scratch);
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
