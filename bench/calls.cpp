// What a call costs apart from the data it moves.
#include <algorithm>
#include <chrono>

#include "cases.hpp"
#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Clock = std::chrono::steady_clock;

// Time of one f(i), where `samples` clock readings stand around `group` calls each. A counter makes each call's i new.
template <typename F> Call timed(const char* name, int samples, int group, F f) {
    Call call;
    call.name = name;
    try {
        int i = 0;
        while (i < 3) f(i++); // loads what the first calls load
        std::vector<double> times;
        for (int s = 0; s < samples; ++s) {
            const auto start = Clock::now();
            for (int g = 0; g < group; ++g) f(i++);
            times.push_back(std::chrono::duration<double>(Clock::now() - start).count() / group);
        }
        std::sort(times.begin(), times.end());
        call.best = times.front();
        call.median = times[times.size() / 2];
    } catch (const dnnl::error& e) { call.refusal = e.what(); }
    return call;
}

} // namespace

std::vector<Call> time_calls() {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    auto reorder_of = [&](int i) {
        const memory::dims dims = {2, 16 + i, 7, 9};
        const memory::desc src(dims, Type::f32, Tag::abcd), dst(dims, Type::s8, Tag::acdb);
        return dnnl::reorder(dnnl::reorder::primitive_desc(cpu, src, cpu, dst));
    };
    auto shuffle_of = [&](int i) {
        const memory::desc md({2, 16 + 4 * i, 7, 9}, Type::f32, Tag::nhwc);
        return dnnl::shuffle_forward({cpu, dnnl::prop_kind::forward_inference, md, md, 1, 4});
    };
    std::vector<Call> calls;
    calls.push_back(timed("create reorder, new shape", 300, 1, [&](int i) { reorder_of(i); }));
    calls.push_back(timed("create reorder, same shape", 50, 200, [&](int) { reorder_of(5000); }));
    calls.push_back(timed("create shuffle, new shape", 300, 1, [&](int i) { shuffle_of(i); }));
    calls.push_back(timed("create shuffle, same shape", 50, 200, [&](int) { shuffle_of(5000); }));

    for (auto type : {Type::f32, Type::s8}) {
        const memory::desc from({8}, Type::f32, Tag::a), to({8}, type, Tag::a);
        memory src(from, cpu), dst(to, cpu);
        std::fill_n(static_cast<float*>(src.get_data_handle()), 8, 1.0f);
        const dnnl::reorder reorder(src, dst);
        const std::unordered_map<int, memory> args = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
        calls.push_back(
            timed(type == Type::f32 ? "run reorder of 8, f32->f32" : "run reorder of 8, f32->s8", 50, 200, [&](int) {
                reorder.execute(stream, args);
                stream.wait();
            }));
    }
    return calls;
}

} // namespace tessera::bench
