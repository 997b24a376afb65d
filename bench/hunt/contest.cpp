// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

#include "libraries.hpp"
#include "work/operands.hpp"
#include "work/post_ops.hpp"

namespace hunt {
namespace {

using namespace differential;
using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <size_t size> void note(char (&text)[size], const std::string& what) {
    std::snprintf(text, size, "%s", what.c_str());
}

// Buffers by argument, as large as the larger library's layout asks, filled once. Values are of both signs and near 1,
// variances and conditions are valid, and no float is denormal.
class Pool {
public:
    void want(int argument, size_t bytes) { sizes_[argument] = std::max(sizes_[argument], bytes); }
    void* get(int argument, const Type& t, bool positive) {
        void*& data = data_[argument];
        if (data) return data;
        const size_t bytes = sizes_[argument] + 4096;
        data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        constexpr int64_t period = 8190; // an even number of elements: whole bytes of 4 bits each
        std::vector<uint8_t> pattern(size_t(period * t.bits / 8));
        for (int64_t i = 0; i < period; ++i) {
            const auto random = int64_t(uint64_t(i) * 0x9e3779b97f4a7c15 >> 40);
            const bool is_signed = !positive && t.kind != Kind::unsigned_integer && t.kind != Kind::exponent;
            const double small = double(random % 33 - (is_signed ? 16 : 0)), fine = double(random % 1001) / 512 + .0625;
            const double value = t.bits < 8                 ? double(random % 3)
                                 : t.kind != Kind::floating ? std::max(small, positive ? 1. : -100.)
                                                            : (is_signed && random & 4096 ? -fine : fine);
            store(pattern.data(), t, i, encode(t, value));
        }
        for (size_t at = 0; at < bytes; at += pattern.size())
            std::memcpy(static_cast<char*>(data) + at, pattern.data(), std::min(pattern.size(), bytes - at));
        return data;
    }

private:
    std::map<int, size_t> sizes_;
    std::map<int, void*> data_;
};

// A library with its primitive. All of it stays until the process ends: destruction would be the current library's.
struct Player {
    const Library& library;
    const Problem& p;
    Operands operands{};
    std::vector<std::vector<Operand>> of_post_ops{};
    std::vector<const Operand*> tensors{}; // all of them
    PrimitiveDescriptor pd{};
    Primitive primitive{};
    Arguments arguments{};
    double creation = 0;

    std::string make() {
        library.use();
        operands = operands_of(p);
        if (!operands.answer.empty()) return operands.answer;
        auto& attr = *new Attributes;
        dnnl_primitive_attr_create(&attr.value);
        std::string skip;
        if (const auto s = set_attributes(p, attr.value, skip); s != dnnl_success) return refused("attr", s);
        if (!skip.empty()) return "skip:" + skip;
        const auto start = Clock::now();
        if (const auto s = create(p, operands, attr.value, pd, skip); s != dnnl_success) return refused("pd", s);
        if (!skip.empty()) return "skip:" + skip;
        if (const auto s = dnnl_primitive_create(&primitive.value, pd.value); s != dnnl_success)
            return refused("primitive", s);
        creation = since(start);
        for (size_t i = 0; i < p.post_ops.size(); ++i) of_post_ops.push_back(post_op_operands(p, i));
        for (const auto* list : {&operands.inputs, &operands.outputs})
            for (const Operand& tensor : *list) tensors.push_back(&tensor);
        for (const auto& list : of_post_ops)
            for (const Operand& tensor : list) tensors.push_back(&tensor);
        for (const Operand* tensor : tensors)
            if (dims_of(tensor->resolved(pd.value)) != tensor->side.dims && !follows_depthwise(*tensor))
                return "pd:other dims";
        return "";
    }

    // A depthwise post-op makes another dst than the one that is described.
    bool follows_depthwise(const Operand& tensor) const {
        return tensor.argument == DNNL_ARG_DST &&
               std::any_of(p.post_ops.begin(), p.post_ops.end(), [](const PostOp& op) { return op.kind == "dw"; });
    }

    void ask(Pool& pool) const {
        library.use();
        for (const Operand* t : tensors) pool.want(t->argument, dnnl_memory_desc_get_size(t->resolved(pd.value)));
    }

    std::string take(Pool& pool) {
        library.use();
        dnnl_status_t status = dnnl_success;
        for (const Operand* t : tensors) {
            const bool positive = t->is_condition() || t->argument == DNNL_ARG_VARIANCE;
            void* const data = pool.get(t->argument, *type(t->side.type), positive);
            if (status == dnnl_success) status = arguments.add(t->argument, t->resolved(pd.value), cpu().engine, data);
        }
        if (status == dnnl_success) status = add_factors(p, cpu().engine, arguments);
        if (status == dnnl_success) status = prepare(p, operands, pd.value, arguments);
        if (status == dnnl_success) status = execute();
        return status == dnnl_success ? "" : refused("execute", status);
    }

    dnnl_status_t execute() const {
        const auto status =
            dnnl_primitive_execute(primitive.value, cpu().stream, int(arguments.list.size()), arguments.list.data());
        return status == dnnl_success ? dnnl_stream_wait(cpu().stream) : status;
    }

    double time(int64_t repeats) const {
        library.use();
        const auto start = Clock::now();
        for (int64_t i = 0; i < repeats; ++i) execute();
        return since(start) / double(repeats);
    }
};

// What our library says of the execution, for `tessera explain`: its standard output goes to a file in memory.
std::string verbose_line(const Player& ours) {
    ours.library.use();
    const int file = memfd_create("line", 0);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0) return "";
    dnnl_set_verbose(1);
    ours.execute();
    dnnl_set_verbose(0);
    std::fflush(nullptr);
    std::string text(size_t(std::max<off_t>(lseek(file, 0, SEEK_END), 0)), '\0');
    const ssize_t got = pread(file, text.data(), text.size(), 0);
    text.resize(size_t(std::max<ssize_t>(got, 0)));
    const size_t at = text.find("onednn_verbose,v1,primitive,exec");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

using Players = std::array<Player, 2>;

void compete(const Players& players, double seconds, Outcome& out) {
    constexpr double long_time = 0.5, turn = 0.002;
    double once[2];
    for (const size_t i : {1, 0}) once[i] = players[i].time(1);
    int64_t repeats[2], rounds = 0;
    for (const size_t i : {0, 1}) repeats[i] = std::clamp<int64_t>(int64_t(turn / once[i]), 1, 100000);
    const double round = once[0] * double(repeats[0]) + once[1] * double(repeats[1]);
    if (std::max(once[0], once[1]) < long_time) rounds = std::clamp<int64_t>(int64_t(seconds / round), 3, 31) | 1;
    std::vector<double> speeds;
    for (int64_t r = 0; r < rounds; ++r) {
        double times[2];
        for (const size_t i : {size_t(r & 1), size_t(~r & 1)}) {
            times[i] = players[i].time(repeats[i]);
            once[i] = std::min(once[i], times[i]);
        }
        speeds.push_back(times[1] / times[0]);
    }
    if (speeds.empty()) speeds.push_back(once[1] / once[0]);
    std::nth_element(speeds.begin(), speeds.begin() + long(speeds.size() / 2), speeds.end());
    out.speed = speeds[speeds.size() / 2];
    for (const size_t i : {0, 1}) out.execution[i] = once[i], out.creation[i] = players[i].creation;
}

} // namespace

void run(const Contest& contest, Outcome& out) {
    static constexpr const char* names[] = {"ours", "peer"};
    note(out.stage, "loading");
    const auto& libraries = *new std::vector<Library>{Library(contest.ours), Library(contest.peer)};
    const std::array<size_t, 2> order{contest.peer_first, !contest.peer_first};
    for (const Problem& p : contest.before)
        for (const size_t i : order) {
            note(out.stage, std::string(names[i]) + " makes another problem");
            (new Player{libraries[i], p})->make();
        }
    auto& players = *new Players{Player{libraries[0], contest.problem}, Player{libraries[1], contest.problem}};
    bool taken = true;
    const auto keep = [&](size_t i, const std::string& refusal) {
        note(out.refusal[i], refusal);
        taken = taken && refusal.empty();
    };
    for (const size_t i : order) {
        note(out.stage, std::string(names[i]) + " creates");
        keep(i, players[i].make());
    }
    if (taken) {
        auto& pool = *new Pool;
        for (const Player& player : players) player.ask(pool);
        for (const size_t i : {0, 1}) {
            note(out.stage, std::string(names[i]) + " executes");
            keep(i, players[i].take(pool));
        }
    }
    if (taken) {
        compete(players, contest.seconds, out);
        note(out.line, verbose_line(players[0]));
    }
    out.done = true;
}

} // namespace hunt
