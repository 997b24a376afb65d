// SPDX-License-Identifier: Apache-2.0
// duel: libraries against each other within one process, on the same buffers, in turns.
//
//   duel build/libdnnl.so.3 build/peer/venv-3.2/lib/libdnnl.so.3 --shape 16x1024x1024
//   duel old/libdnnl.so.3 new/libdnnl.so.3 --shape 192x128x64x128 --types u8:s8:s32 --tags abc:any:abc --turns 60
//
// A matmul of batches x rows x k x columns, no batches or more of them. Processes of their own get other pages and
// another minute of a shared machine, and differ by 10 to 30 % from run to run; the ratio of two neighbouring turns on
// the same pages moves by 3 %, so an effect of a twentieth shows in a minute. Printed for each library: its best time,
// and its speed over the first library's in the same turn, median and quartiles. Threads as OMP_NUM_THREADS says; the
// libraries share the process's OpenMP, which is why oneDNN from PyPI for SYCL cannot take part.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <dlfcn.h>

#include <fmt/format.h>

#include "arguments.hpp"
#include "oneapi/dnnl/dnnl.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::vector<std::string> libraries;
    std::string shape = "1024x1024x1024", types = "f32:f32:f32", tags;
    int turns = 20;
};

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts{""};
    for (const char c : text)
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

template <typename T> T named(const std::map<std::string, T>& all, const std::string& name) {
    const auto it = all.find(name);
    if (it != all.end()) return it->second;
    std::string known;
    for (const auto& entry : all) known += " " + entry.first;
    throw std::invalid_argument(fmt::format("'{}' is none of{}", name, known));
}
const std::map<std::string, dnnl_data_type_t> types{{"f32", dnnl_f32}, {"bf16", dnnl_bf16}, {"f16", dnnl_f16},
                                                    {"s32", dnnl_s32}, {"s8", dnnl_s8},     {"u8", dnnl_u8}};
const std::map<std::string, dnnl_format_tag_t> tags{
    {"ab", dnnl_ab},     {"ba", dnnl_ba},     {"abc", dnnl_abc},   {"acb", dnnl_acb},   {"bac", dnnl_bac},
    {"abcd", dnnl_abcd}, {"abdc", dnnl_abdc}, {"acbd", dnnl_acbd}, {"adbc", dnnl_adbc}, {"any", dnnl_format_tag_any}};

struct Operand {
    dnnl_dims_t dims = {};
    dnnl_data_type_t type;
    dnnl_format_tag_t tag;
    size_t bytes = 0;
    std::shared_ptr<char> data; // room for what a library pads
};

struct Product {
    int ndims = 0;
    double operations = 2;
    Operand src, weights, dst;
};

Product product_of(const Options& o) {
    Product p;
    std::vector<dnnl_dim_t> sizes;
    for (const std::string& part : split(o.shape, 'x')) sizes.push_back(std::atoll(part.c_str()));
    p.ndims = int(sizes.size()) - 1;
    if (p.ndims < 2 || p.ndims > 4 || *std::min_element(sizes.begin(), sizes.end()) < 1)
        throw std::invalid_argument("--shape " + o.shape + ": three to five sizes, ROWSxKxCOLUMNS behind batches");
    for (const dnnl_dim_t size : sizes) p.operations *= double(size);
    const std::string plain = std::string("abcd").substr(0, size_t(p.ndims));
    const auto type = split(o.types, ':'),
               tag = split(o.tags.empty() ? plain + ":" + plain + ":" + plain : o.tags, ':');
    if (type.size() != 3 || tag.size() != 3) throw std::invalid_argument("--types and --tags are SRC:WEIGHTS:DST");
    size_t n = 0;
    for (Operand* x : {&p.src, &p.weights, &p.dst}) {
        x->type = named(types, type[n]), x->tag = named(tags, tag[n]);
        std::copy_n(sizes.begin(), p.ndims, x->dims);
        if (n == 1) x->dims[p.ndims - 2] = sizes[size_t(p.ndims) - 1];
        if (n != 0) x->dims[p.ndims - 1] = sizes[size_t(p.ndims)];
        const size_t elements = size_t(std::accumulate(x->dims, x->dims + p.ndims, dnnl_dim_t(1), std::multiplies<>()));
        x->bytes = 2 * elements * (x->type == dnnl_f32 || x->type == dnnl_s32 ? 4 : 2) + (64 << 10);
        x->data = {static_cast<char*>(std::aligned_alloc(4096, (x->bytes + 4095) / 4096 * 4096)), std::free};
        if (!x->data) throw std::runtime_error(fmt::format("no {} bytes", x->bytes));
        if (x->type == dnnl_f32) // small whole numbers; 0x3f3f is 0.75 of bf16 and 1.8 of f16
            for (size_t i = 0; i < elements; ++i) reinterpret_cast<float*>(x->data.get())[i] = float(i % 7);
        else
            for (size_t i = 0; i < x->bytes; ++i)
                x->data.get()[i] = x->type == dnnl_bf16 || x->type == dnnl_f16 ? char(0x3f) : char(i * 7 % 100);
        ++n;
    }
    return p;
}

// One of the libraries with its primitive, for as long as the process lives.
class Contestant {
public:
    Contestant(const std::string& path, const Product& p) {
        handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!handle_) throw std::runtime_error(dlerror());
        dnnl_engine_t engine;
        call("dnnl_engine_create", dnnl_engine_create, &engine, dnnl_cpu, size_t(0));
        call("dnnl_stream_create", dnnl_stream_create, &stream_, engine, unsigned(dnnl_stream_default_flags));
        dnnl_memory_desc_t descs[3];
        const Operand* const operands[] = {&p.src, &p.weights, &p.dst};
        for (size_t i = 0; i < 3; ++i)
            call("dnnl_memory_desc_create_with_tag", dnnl_memory_desc_create_with_tag, &descs[i], p.ndims,
                 operands[i]->dims, operands[i]->type, operands[i]->tag);
        dnnl_primitive_desc_t desc;
        call("dnnl_matmul_primitive_desc_create", dnnl_matmul_primitive_desc_create, &desc, engine, descs[0], descs[1],
             nullptr, descs[2], nullptr);
        call("dnnl_primitive_create", dnnl_primitive_create, &primitive_, desc);
        const auto query = function("dnnl_primitive_desc_query_md", dnnl_primitive_desc_query_md);
        const auto size = function("dnnl_memory_desc_get_size", dnnl_memory_desc_get_size);
        constexpr dnnl_query_t queries[] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
        constexpr int numbers[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
        for (size_t i = 0; i < 3; ++i) {
            const const_dnnl_memory_desc_t chosen = query(desc, queries[i], 0);
            if (size(chosen) > operands[i]->bytes) throw std::runtime_error(path + " pads more than there is room for");
            arguments_[i].arg = numbers[i];
            call("dnnl_memory_create", dnnl_memory_create, &arguments_[i].memory, chosen, engine,
                 static_cast<void*>(operands[i]->data.get()));
        }
        execute_ = function("dnnl_primitive_execute", dnnl_primitive_execute);
        wait_ = function("dnnl_stream_wait", dnnl_stream_wait);
    }
    void run() const {
        if (execute_(primitive_, stream_, 3, arguments_) != dnnl_success || wait_(stream_) != dnnl_success)
            throw std::runtime_error("an execution failed");
    }
    double time(int64_t repeats) const {
        run(); // in its caches what it can keep there
        const auto start = Clock::now();
        for (int64_t n = 0; n < repeats; ++n) run();
        return std::chrono::duration<double>(Clock::now() - start).count() / double(repeats);
    }

private:
    template <typename F> F* function(const char* name, F&) const {
        void* const found = dlsym(handle_, name);
        if (!found) throw std::runtime_error(fmt::format("no {}", name));
        return reinterpret_cast<F*>(found);
    }
    template <typename F, typename... Values> void call(const char* name, F& like, Values... values) const {
        const dnnl_status_t status = function(name, like)(values...);
        if (status != dnnl_success) throw std::runtime_error(fmt::format("{}: status {}", name, int(status)));
    }

    void* handle_;
    dnnl_stream_t stream_;
    dnnl_primitive_t primitive_;
    dnnl_exec_arg_t arguments_[3];
    decltype(&dnnl_primitive_execute) execute_;
    decltype(&dnnl_stream_wait) wait_;
};

void duel(const Options& o) {
    const Product product = product_of(o);
    std::vector<Contestant> all;
    for (const std::string& path : o.libraries) all.emplace_back(path, product);
    constexpr double seconds_of_turn = 0.004;
    const double once = std::min(all[0].time(1), all[0].time(1));
    const auto repeats = std::max<int64_t>(1, int64_t(seconds_of_turn / once));
    std::vector<std::vector<double>> times(all.size()), speeds(all.size());
    for (int turn = 0; turn < o.turns; ++turn)
        for (size_t i = 0; i < all.size(); ++i) {
            times[i].push_back(all[i].time(repeats));
            speeds[i].push_back(times[0].back() / times[i].back());
        }
    for (size_t i = 0; i < all.size(); ++i) {
        std::sort(speeds[i].begin(), speeds[i].end());
        const double best = *std::min_element(times[i].begin(), times[i].end());
        const auto at = [&](size_t quarter) { return speeds[i][(speeds[i].size() - 1) * quarter / 4]; };
        fmt::print("{:10.1f} us {:8.1f} Gop/s {:6.3f} ({:.3f} to {:.3f})  {}\n", best * 1e6,
                   product.operations / best / 1e9, at(2), at(1), at(3), o.libraries[i]);
    }
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    tessera::CommandLine program("Libraries against each other in one process: a matmul on the same buffers, in turns",
                                 "duel");
    program.option("libraries", o.libraries, "Files of libdnnl.so.3, the first one the yardstick").required();
    program.option("--shape", o.shape, "BATCHESxROWSxKxCOLUMNS, no batches or more").shows_default();
    program.option("--types", o.types, "Of src:weights:dst").shows_default();
    program.option("--tags", o.tags, "Of src:weights:dst; plain ones if not given");
    program.option("--turns", o.turns, "Turns").range(1, 10000).shows_default();
    if (const auto code = program.parse(argc, argv)) return *code;
    duel(o);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "duel: {}\n", e.what());
    return 1;
}
