// SPDX-License-Identifier: Apache-2.0
#include "ops/sum/sum.hpp"

#include <fmt/ranges.h>

#include "primitives/row.hpp"

namespace tessera::primitives::sum {
namespace {

// One factor stands for all sources; verbose lines tell none.
Result<void> complete(spellings::Foreign& f) {
    if (f.factors.empty()) f.factors.emplace_back("1");
    if (f.factors.size() > 1 && f.factors.size() != f.sources.size()) {
        if (f.sources.size() != 1)
            return invalid("--scales has {:entry|entries} for {:source}", counted(f.factors.size()),
                           counted(f.sources.size()));
        f.sources.resize(f.factors.size(), f.sources[0]);
    }
    f.factors.resize(f.sources.size(), f.factors[0]);
    f.add("--scales", fmt::format("{}", fmt::join(f.factors, ":")));
    return {};
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::sum,
    .help = "  sum --scales=S0:S1... [--sdt=T0:T1...] [--ddt=TYPE] [--stag=TAG0:TAG1...] [--dtag=TAG|any|omit] "
            "[--inplace] DIMS\n",
    .options = "--scales --inplace",
    .sources = Sources::by_factors,
    .create =
        [](dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
            std::vector<const_dnnl_memory_desc_t> srcs;
            for (const MemoryDesc& src : a.srcs) srcs.push_back(as_handle(src));
            return dnnl_sum_primitive_desc_create(made, engine, a.dst_handle(), int(srcs.size()), a.line.factors.data(),
                                                  srcs.data(), attr);
        },
    .make = [](const Asked& a,
               const Attr& attr) { return ops::make_sum(a.dst_or_null(), a.line.factors, a.srcs, attr); },
    .driver = "--sum",
    .complete = complete,
};

} // namespace tessera::primitives::sum
