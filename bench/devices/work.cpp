// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <unordered_map>

namespace tessera::bench {

namespace {

// Small numbers of both signs, written through a mapping, as programs do.
memory tensor(const memory::desc& desc, const dnnl::engine& engine) {
    memory m(desc, engine);
    auto* const bytes = static_cast<unsigned char*>(m.map_data<void>());
    const size_t size = desc.get_size();
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i % 4 == 2 ? 0x40 + i % 3 : 0);
    m.unmap_data(bytes);
    return m;
}

} // namespace

DeviceWork on(const dnnl::engine& engine, const dnnl::primitive& primitive, const Arguments& arguments) {
    DeviceWork work;
    std::unordered_map<int, memory> memories;
    for (const auto& [argument, desc] : arguments) {
        memories.emplace(argument, tensor(desc, engine));
        work.bytes += int64_t(desc.get_size());
    }
    const dnnl::stream stream(engine);
    work.queue = [primitive, memories, stream] { primitive.execute(stream, memories); };
    work.wait = [stream] { dnnl::stream(stream).wait(); };
    return work;
}

} // namespace tessera::bench
