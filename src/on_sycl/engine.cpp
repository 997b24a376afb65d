// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/engine.hpp"

#include "core/made_once.hpp"
#include "on_sycl/executable.hpp"
#include "on_sycl/inner.hpp"
#include "on_sycl/memory.hpp"
#include "on_sycl/queue.hpp"

namespace tessera::on_sycl {

namespace {

class SyclEngine final : public Engine {
public:
    SyclEngine(Device device, std::shared_ptr<Engine> inner)
        : device(std::move(device)), inner_(std::move(inner)), memory_(std::make_shared<Memory>(this->device)) {}
    EngineKind kind() const override { return inner_->kind(); }
    const Machine& machine() const override { return inner_->machine(); }
    int threads() const override { return inner_->threads(); }
    Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const override {
        auto made = inner_->compile(plan);
        if (!made) return made;
        return std::make_shared<const OnQueue>(inner_, std::move(*made), device.on_host, memory_, *plan);
    }
    DeviceMemory* memory() const override { return memory_.get(); }
    Result<std::vector<uint8_t>> kernels(const Executable* of) const override {
        return inner_->kernels(of ? &static_cast<const OnQueue*>(of)->inner() : nullptr);
    }
    Result<void> add_kernels(std::span<const uint8_t> blob) const override { return inner_->add_kernels(blob); }
    std::vector<uint8_t> kernels_id() const override { return inner_->kernels_id(); }

    const Device device;

private:
    const std::shared_ptr<Engine> inner_;
    const std::shared_ptr<Memory> memory_;
};

struct Found {
    sycl::device device;
    sycl::context context;
};

// What SYCL throws leaves the list for the next call to make.
std::vector<Found> find_devices() {
    std::vector<Found> all;
    for (const sycl::device& d : sycl::device::get_devices())
        if (d.get_backend() == sycl::backend::opencl && is_for_opencl(d))
            all.push_back({d, d.get_platform().khr_get_default_context()});
    return all;
}

const std::vector<Found>& devices() {
    static constinit MadeOnce<std::vector<Found>> once;
    return once.get(find_devices);
}

DeviceHandles handles_of(const sycl::device& device, const sycl::context& context) {
    return {const_cast<sycl::device*>(&device), const_cast<sycl::context*>(&context)};
}

} // namespace

size_t device_count() { return devices().size(); }

std::string why_no_device() {
    return "SYCL shows no GPU or accelerator of its OpenCL backend here; sycl_interop::make_engine(device, context) "
           "makes an "
           "engine of a CPU device, and TESSERA_OPENCL_DEVICES=all takes processors too";
}

DeviceHandles device_at(size_t index) { return handles_of(devices()[index].device, devices()[index].context); }

Result<std::shared_ptr<Engine>> make_engine(const void* device, const void* context) {
    return caught("an engine cannot be made", [&]() -> Result<std::shared_ptr<Engine>> {
        Device on{*static_cast<const sycl::device*>(device), *static_cast<const sycl::context*>(context)};
        const auto all = on.context.get_devices();
        if (std::ranges::find(all, on.device) == all.end())
            return invalid(
                "{} is no device of the context, which has {} of its own; sycl::context(device) makes one with it",
                on.name(), all.size());
        on.on_host = !is_for_opencl(on.device);
        auto inner = make_inner(on);
        if (!inner) return inner;
        return std::make_shared<SyclEngine>(std::move(on), std::move(*inner));
    });
}

DeviceHandles handles_of(const Engine& engine) {
    const auto* const own = dynamic_cast<const SyclEngine*>(&engine);
    return own ? handles_of(own->device.device, own->device.context) : DeviceHandles();
}

// SYCL's hashes are the addresses of what copies share.
DeviceHandles key_of(const void* device, const void* context) {
    const auto& d = *static_cast<const sycl::device*>(device);
    const auto& c = *static_cast<const sycl::context*>(context);
    return {reinterpret_cast<void*>(std::hash<sycl::device>()(d)),
            reinterpret_cast<void*>(std::hash<sycl::context>()(c))};
}

Result<std::shared_ptr<DeviceQueue>> make_queue(const Engine& engine, void* queue, unsigned& flags) {
    return Queue::over(static_cast<const SyclEngine&>(engine).device, *static_cast<const sycl::queue*>(queue), flags);
}

std::vector<void*> events_in(const void* list) {
    std::vector<void*> all;
    for (const sycl::event& e : *static_cast<const std::vector<sycl::event>*>(list))
        all.push_back(const_cast<sycl::event*>(&e));
    return all;
}

void assign_event(void* to, const std::shared_ptr<void>& event) {
    *static_cast<sycl::event*>(to) = *static_cast<const sycl::event*>(event.get());
}

} // namespace tessera::on_sycl
