// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <algorithm>

namespace digits {

const dnnl::engine& cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::stream& stream() {
    static dnnl::stream work(cpu());
    return work;
}

memory::desc rows_of(const memory::dims& dims, Type type) {
    memory::dims strides(dims.size(), 1);
    for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
    return {dims, type, strides};
}
memory::desc any(const memory::dims& dims, Type type) { return {dims, type, memory::format_tag::any}; }

memory tensor(const memory::desc& desc) { return memory(desc, cpu()); }
memory tensor(const memory::dims& dims, Type type) { return tensor(rows_of(dims, type)); }
memory tensor(const std::vector<float>& values) {
    const memory m = tensor({memory::dim(values.size())}, Type::f32);
    std::copy(values.begin(), values.end(), floats(m).begin());
    return m;
}

std::span<float> floats(const memory& f32) {
    return {static_cast<float*>(f32.get_data_handle()), f32.get_desc().get_size() / sizeof(float)};
}

void convert(const memory& from, const memory& to) {
    memory source = from, target = to;
    dnnl::reorder(source, target).execute(stream(), source, target);
    stream().wait();
}

Converted::Converted(const memory& from, const memory::desc& to) : from_(from) {
    if (from.get_desc() == to) {
        to_ = from;
        return;
    }
    to_ = tensor(to);
    reorder_ = dnnl::reorder(from_, to_);
    update();
}

void Converted::update() {
    if (reorder_) reorder_.execute(stream(), from_, to_);
}

} // namespace digits
