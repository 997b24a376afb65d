// SPDX-License-Identifier: Apache-2.0
// What a call costs apart from the data it moves. Creation is timed through the C functions with descriptors that are
// there already; once more with the C++ objects, as programs write it.
#include "calls.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unordered_map>

#include <malloc.h>
#include <unistd.h>

#include <fmt/format.h>

#include "call_times.hpp"
#include "work.hpp"

namespace tessera::bench {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Clock = std::chrono::steady_clock;

// The problems whose creation is timed: f32 nchw to s8 nhwc, and a shuffle of nhwc by four groups.
struct Descriptors {
    memory::desc src, dst;
};
Descriptors reorder_of(int i) {
    const memory::dims dims = {2, 16 + i, 7, 9};
    return {memory::desc(dims, Type::f32, Tag::abcd), memory::desc(dims, Type::s8, Tag::acdb)};
}
Descriptors shuffle_of(int i) {
    const memory::desc data({2, 16 + 4 * i, 7, 9}, Type::f32, Tag::nhwc);
    return {data, data};
}
// New types with each i: pairs of types and of layouts, of which each needs code of its own.
constexpr int new_types = 36 * 6;
Descriptors types_of(int i) {
    constexpr Type types[] = {Type::f32, Type::bf16, Type::f16, Type::s8, Type::u8, Type::s32};
    constexpr Tag layouts[][2] = {{Tag::abcd, Tag::acdb},    {Tag::acdb, Tag::abcd},    {Tag::abcd, Tag::aBcd16b},
                                  {Tag::aBcd16b, Tag::abcd}, {Tag::acdb, Tag::aBcd16b}, {Tag::aBcd16b, Tag::acdb}};
    const memory::dims dims = {2, 48, 8, 8};
    return {memory::desc(dims, types[i % 6], layouts[i / 36 % 6][0]),
            memory::desc(dims, types[i / 6 % 6], layouts[i / 36 % 6][1])};
}

dnnl_primitive_t create_reorder(const Descriptors& of) {
    dnnl_primitive_desc_t desc = nullptr;
    dnnl::error::wrap_c_api(
        dnnl_reorder_primitive_desc_create(&desc, of.src.get(), engine().get(), of.dst.get(), engine().get(), nullptr),
        "the reorder is refused");
    dnnl_primitive_t primitive = nullptr;
    const auto status = dnnl_primitive_create(&primitive, desc);
    dnnl_primitive_desc_destroy(desc);
    dnnl::error::wrap_c_api(status, "the reorder cannot be made");
    return primitive;
}

dnnl_primitive_t create_shuffle(const Descriptors& of) {
    dnnl_primitive_desc_t desc = nullptr;
    dnnl::error::wrap_c_api(dnnl_shuffle_forward_primitive_desc_create(&desc, engine().get(), dnnl_forward_inference,
                                                                       of.src.get(), of.dst.get(), 1, 4, nullptr),
                            "the shuffle is refused");
    dnnl_primitive_t primitive = nullptr;
    const auto status = dnnl_primitive_create(&primitive, desc);
    dnnl_primitive_desc_destroy(desc);
    dnnl::error::wrap_c_api(status, "the shuffle cannot be made");
    return primitive;
}

int64_t resident_bytes() {
    int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}
int64_t heap_bytes() {
    const auto info = mallinfo2();
    return int64_t(info.uordblks + info.hblkhd);
}

// Bytes a primitive of 1000 that are alive at once: of the heap, and of all memory that came to be resident.
void add_memory(std::vector<Call>& calls, const char* which, Descriptors (*descriptors_of)(int)) {
    constexpr int count = 1000;
    const std::string name = fmt::format("memory of a live reorder, {}", which);
    std::vector<dnnl_primitive_t> alive;
    alive.reserve(count);
    std::string refusal;
    try {
        dnnl_primitive_destroy(create_reorder(descriptors_of(-1))); // shared code and tables are there
        const int64_t heap = heap_bytes(), resident = resident_bytes();
        for (int i = 0; i < count; ++i) alive.push_back(create_reorder(descriptors_of(i)));
        const double of_heap = double(heap_bytes() - heap) / count;
        const double of_resident = double(resident_bytes() - resident) / count;
        calls.push_back({name + ", heap", "B", of_heap, of_heap, of_heap, ""});
        calls.push_back({name + ", resident", "B", of_resident, of_resident, of_resident, ""});
    } catch (const dnnl::error& e) { calls.push_back({name, "B", 0, 0, 0, e.what()}); }
    for (dnnl_primitive_t p : alive) dnnl_primitive_destroy(p);
}

constexpr const char* relu_of_8 = "run relu of 8 floats";

void add_executions(std::vector<Call>& calls) {
    dnnl::stream stream(engine());
    for (auto type : {Type::f32, Type::s8}) {
        const memory::desc from({8}, Type::f32, Tag::a), to({8}, type, Tag::a);
        memory src(from, engine()), dst(to, engine());
        std::fill_n(static_cast<float*>(src.get_data_handle()), 8, 1.0f);
        const dnnl::reorder reorder(src, dst);
        const std::unordered_map<int, memory> args = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
        calls.push_back(
            timed(type == Type::f32 ? "run reorder of 8, f32->f32" : "run reorder of 8, f32->s8", 50, 200, [&](int) {
                reorder.execute(stream, args);
                stream.wait();
            }));
    }
    try {
        const memory::desc of_8({8}, Type::f32, Tag::a);
        memory src(of_8, engine()), dst(of_8, engine());
        std::fill_n(static_cast<float*>(src.get_data_handle()), 8, -1.0f);
        const dnnl::eltwise_forward relu(dnnl::eltwise_forward::primitive_desc(
            engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, of_8, of_8));
        const std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        calls.push_back(timed(relu_of_8, 50, 200, [&](int) {
            relu.execute(stream, args);
            stream.wait();
        }));
    } catch (const dnnl::error& e) { calls.push_back({relu_of_8, "us", 0, 0, 0, e.what()}); }
}

// Processes of this same program: forking alone would leave some libraries without the threads they wait for.
Call time_first_calls() {
    constexpr int processes = 15;
    std::vector<double> times;
    for (int p = 0; p < processes; ++p) {
        const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
        const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(("'" + self + "' --first-call").c_str(), "r"), pclose);
        if (double seconds = 0; output && fscanf(output.get(), "%lf", &seconds) == 1) times.push_back(seconds);
    }
    constexpr const char* name = "create reorder, first in its process";
    return times.empty() ? Call{name, "us", 0, 0, 0, "no process could create it"} : summary(name, times);
}

} // namespace

double time_first_call() {
    engine();
    const Descriptors of = reorder_of(0);
    const auto start = Clock::now();
    dnnl_primitive_t primitive = create_reorder(of);
    const double seconds = seconds_since(start);
    dnnl_primitive_destroy(primitive);
    return seconds;
}

std::vector<Call> time_calls() {
    std::vector<Call> calls = {time_first_calls()};
    calls.push_back(each_new("create reorder, new types", new_types, types_of, create_reorder));
    calls.push_back(each_new("create reorder, new shape", 300, reorder_of, create_reorder));
    calls.push_back(each_known("create reorder, known", reorder_of(5000), create_reorder));
    calls.push_back(timed("create reorder, known, with C++ objects", 50, 200, [](int) {
        const Descriptors of = reorder_of(5000);
        dnnl::reorder(dnnl::reorder::primitive_desc(engine(), of.src, engine(), of.dst));
    }));
    calls.push_back(each_new("create shuffle, new shape", 300, shuffle_of, create_shuffle));
    calls.push_back(each_known("create shuffle, known", shuffle_of(5000), create_shuffle));
    add_executions(calls);
    add_memory(calls, "1000 of one shape", [](int) { return reorder_of(7000); });
    add_memory(calls, "1000 of different shapes", [](int i) { return reorder_of(8000 + i); });
    return calls;
}

} // namespace tessera::bench
