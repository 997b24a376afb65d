// SPDX-License-Identifier: Apache-2.0
// Engines of SYCL devices (DNNL_WITH_SYCL). Nothing of SYCL is seen here: its objects are C++ objects, which cross this
// interface as addresses, as they cross dnnl_sycl.h. Who includes this needs none of its headers.
//
//   auto engine = on_sycl::make_engine(&device, &context);   // a sycl::device, a sycl::context
//   unsigned flags = 0;
//   auto queue = on_sycl::make_queue(**engine, &q, flags);   // a sycl::queue
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/engine.hpp"

namespace tessera::on_sycl {

// The devices of dnnl_gpu: those of type GPU and accelerator of SYCL's OpenCL backend.
size_t device_count();
std::string why_no_device();           // a sentence for people, where device_count() is 0
DeviceHandles device_at(size_t index); // with the default context of its platform; valid for ever

// A device of type CPU makes a CPU engine, any other of the OpenCL backend a GPU engine, and so does a CPU of that
// backend where TESSERA_OPENCL_DEVICES=all asks for it. Both objects are copied.
Result<std::shared_ptr<Engine>> make_engine(const void* device, const void* context);

DeviceHandles
handles_of(const Engine& engine); // the engine's own, valid as long as it; nulls: not an engine of this folder
DeviceHandles key_of(const void* device, const void* context); // equal for equal objects, as long as one of them lives

// Over a queue of the caller, which is copied; refused where it belongs to another device or context. `flags` are what
// the queue has of dnnl_stream_flags_t.
Result<std::shared_ptr<DeviceQueue>> make_queue(const Engine& engine, void* queue, unsigned& flags);

std::vector<void*> events_in(const void* list);                  // the elements of a std::vector<sycl::event>
void assign_event(void* to, const std::shared_ptr<void>& event); // *to = *event, both of them sycl::event

} // namespace tessera::on_sycl
