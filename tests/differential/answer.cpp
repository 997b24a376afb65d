// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <cstdio>

#include "oneapi/dnnl/dnnl_debug.h"

namespace differential {
namespace {

std::string hex(uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string bytes(const uint8_t* data, size_t size) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < size; ++i) text += {digits[data[i] >> 4], digits[data[i] & 15]};
    return text;
}

} // namespace

Cpu::Cpu() {
    dnnl_engine_create(&engine, dnnl_cpu, 0);
    dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
}

std::string refused(const char* stage, dnnl_status_t status) {
    return std::string(stage) + ":" + dnnl_status2str(status);
}

uint64_t hash(Buffer& buffer) { // FNV-1a
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < buffer.size(); ++i) h = (h ^ buffer.data()[i]) * 0x100000001b3;
    return h;
}

std::string answer_of(Buffer& dst, uint64_t hash_before, bool with_bytes) {
    const std::string answer = "ok " + hex(hash(dst)) + " " + hex(hash_before);
    return with_bytes ? answer + " " + bytes(dst.data(), dst.size()) : answer;
}

} // namespace differential
