// SPDX-License-Identifier: Apache-2.0
#include "api/implementation.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "api/interop/blob.hpp"
#include "api/log/log.hpp"
#include "core/at_fork.hpp"
#include "core/cache/lru.hpp"
#include "core/cache/problem_key.hpp"
#include "core/made_once.hpp"
#include "core/verbose/verbose.hpp"
#include "ops/descriptors.hpp"
#include "ops/ops.hpp"

namespace tessera {

namespace {

using Cache = Lru<ProblemKey, Implementation>;

size_t first_capacity() {
    return size_t(std::min<int64_t>(verbose::environment_number("PRIMITIVE_CACHE_CAPACITY", 1024, 0), 1 << 30));
}

constinit std::mutex cache_lock;
constinit MadeOnce<Cache> the_cache;
const bool cache_is_known = at_fork(cache_lock, [] {
    if (Cache* made = the_cache.if_made()) made->forget_unfinished();
});

Cache& cache() {
    return the_cache.get([] { return Cache(cache_lock, first_capacity()); });
}

// The value tensor of a scale or zero point: dense, in the order of the argument's dims; a single value is 1-D.
Result<MemoryDesc> quant_md(const QuantArg& a) {
    if (a.quant.on_host) return make_host_scalar_desc(a.quant.type);
    std::vector<int64_t> dims = a.dims;
    // Packed types of several dims need an even innermost extent (MEM-16), which groups do not promise.
    if (a.quant.mask == 0 || a.id == arg::output_scales || is_sub_byte(a.quant.type)) dims = {a.count};
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t d = dims.size(); d-- > 1;)
        strides[d - 1] = dims[d] == runtime_dim || strides[d] == runtime_dim
                             ? runtime_dim
                             : strides[d] * std::max<int64_t>(dims[d], 1);
    return make_desc_with_strides(dims, a.quant.type, strides);
}

// The output that may have the buffer of an input. Of an element-wise primitive there must be no other output, for
// which the input may still be needed after the first is written; other rows say which of their inputs are read in
// time. -1: none.
int written_over(const Problem& p, const Tensor& input) {
    const ops::Row& row = ops::row(p.kind);
    const auto is_result = [](const Tensor& t) {
        return t.output && !t.attribute;
    }; // dropout's mask is written beside it
    const auto output = std::ranges::find_if(p.tensors, is_result);
    if (input.output || output == p.tensors.end()) return -1;
    const int index = int(output - p.tensors.begin());
    if (row.lies_in_place && row.lies_in_place(p, input)) return index;
    if (const Tensor* over = row.written_over ? p.find(row.written_over(input.arg)) : nullptr)
        return ops::have_one_place(input.md, over->md) ? int(over - p.tensors.data()) : -1;
    const bool single = std::ranges::count_if(p.tensors, is_result) == 1;
    if (!(row.elementwise && single) && !(row.reads_post_ops_last && input.attribute)) return -1;
    return ops::have_one_place(input.md, output->md) ? index : -1;
}

Result<void> add_arguments(Implementation& impl) {
    const Problem& p = impl.problem;
    for (size_t i = 0; i < p.tensors.size(); ++i)
        impl.slots.push_back({p.tensors[i].arg, int(i), -1, written_over(p, p.tensors[i])});
    // Only the outputs decide: a sum over an empty dimension still writes zeros, but an empty output reads nothing.
    impl.nothing_to_do =
        std::ranges::all_of(p.tensors, [](const Tensor& t) { return !t.output || t.md.nelems() == 0; });
    impl.quants = quant_args(p);
    for (size_t i = 0; i < impl.quants.size(); ++i) {
        auto md = quant_md(impl.quants[i]);
        if (!md) return Refusal(md.error());
        impl.quant_mds.push_back(*md);
        impl.slots.push_back({impl.quants[i].id, -1, int(i)});
    }
    return {};
}

Result<void> add_code(Implementation& impl, const Engine& engine) {
    const Problem& p = impl.problem;
    auto plan = ops::row(p.kind).lower(p);
    if (!plan) return Refusal(plan.error());
    impl.plan = std::make_shared<const Plan>(std::move(*plan));
    std::map<int, int> slot_of; // by argument; a map, because a concat has hundreds
    for (size_t i = 0; i < impl.slots.size(); ++i) slot_of[impl.slots[i].arg] = int(i);
    for (const Operand& o : impl.plan->operands) {
        const auto at = slot_of.find(o.arg);
        const int slot = at == slot_of.end() ? -1 : at->second;
        if (slot < 0 && o.constant < 0 && !o.counted && o.scratch < 0)
            return runtime_error("{}: the plan reads {}, which is no argument of the problem", name(p.kind), o.name);
        impl.slot_of_operand.push_back(o.constant < 0 && o.scratch < 0 ? slot : -1);
    }
    auto executable = engine.compile(impl.plan);
    if (!executable) return Refusal(executable.error());
    impl.executable = std::move(*executable);
    impl.name = impl.executable->name();
    return {};
}

Result<ImplementationPtr> make(std::shared_ptr<const Problem> problem, const Engine& engine) {
    const double start = verbose::milliseconds();
    auto impl = std::make_shared<Implementation>(std::move(problem));
    impl->engine = engine.kind();
    if (auto ok = add_arguments(*impl); !ok) return Refusal(ok.error());
    if (impl->problem.has_runtime()) {
        impl->name = "runtime_dims";
    } else if (auto ok = add_code(*impl, engine); !ok) {
        return Refusal(ok.error());
    }
    if (const auto id = engine.kernels_id(); !id.empty()) {
        impl->blob_id = blob_id(id);
        const std::string text = impl->problem.text();
        impl->blob_id.insert(impl->blob_id.end(), text.begin(), text.end());
    }
    impl->creation_ms = verbose::milliseconds() - start;
    if (verbose::on(verbose::dispatch) && impl->executable && !impl->executable->fallback().empty())
        log_fallback(*impl);
    return ImplementationPtr(std::move(impl));
}

} // namespace

Result<ImplementationPtr> find_implementation(Problem&& problem, const Engine& engine) {
    const ProblemKey key{std::make_shared<const Problem>(std::move(problem)), engine.threads(), engine.id};
    return cache()
        .get(key, hash(*key.problem) + uint64_t(key.threads), [&] { return make(key.problem, engine); })
        .value;
}

void forget_implementations(const Engine& engine) {
    cache().erase_if([id = engine.id](const ProblemKey& key) { return key.engine == id; });
}

int cache_capacity() { return int(cache().capacity()); }
void set_cache_capacity(int capacity) { cache().set_capacity(size_t(capacity)); }
int cache_size() { return int(cache().size()); }

} // namespace tessera
