// SPDX-License-Identifier: Apache-2.0
// Which scale and zero point belongs to which element: indices counted here from the words of SCL-03 and SCL-04, not by
// the library's layouts; masks with gaps, groups, other layouts, views, 4-bit destinations, through the public API.
// covers: REO-13 REO-14 SCL-03 SCL-04 SCL-05 ZPT-03 OSC-01 OSC-02 OSC-03
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dims = memory::dims;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

engine cpu() { return engine(engine::kind::cpu, 0); }

// Row-major over the masked dims, each divided by its group.
memory::dim factor_index(const dims& at, const dims& extents, int mask, const dims& groups) {
    memory::dim index = 0;
    for (size_t d = 0; d < at.size(); ++d) {
        if (!(mask >> d & 1)) continue;
        const memory::dim group = groups.empty() || d + 2 < at.size() ? 1 : groups[d + 2 - at.size()];
        index = index * (extents[d] / group) + at[d] / group;
    }
    return index;
}

template <typename Body> void each(const dims& extents, Body body) {
    dims at(extents.size(), 0);
    for (memory::dim i = 0;; ++i) {
        body(at, i);
        size_t d = at.size();
        while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
        if (d == 0) return;
    }
}

struct Case {
    dims extents;
    int mask;
    dims groups;
};

const Case cases[] = {
    {{2, 3}, 0, {}},        {{2, 3}, 1, {}},         {{2, 3}, 2, {}},         {{2, 3}, 3, {}},
    {{2, 3, 4}, 5, {}},     {{2, 3, 4}, 6, {}},      {{2, 3, 4}, 7, {}},      {{2, 3, 4, 5}, 9, {}},
    {{2, 3, 4, 5}, 10, {}}, {{2, 20, 3, 3}, 2, {}},  {{8, 12}, 3, {4, 1}},    {{8, 12}, 3, {1, 6}},
    {{8, 12}, 3, {2, 3}},   {{3, 8, 12}, 7, {4, 1}}, {{3, 8, 12}, 6, {2, 4}}, {{2, 17, 5}, 2, {}},
};

memory values_memory(const std::vector<float>& v, dt type) {
    memory m({{memory::dim(v.size())}, type, tag::a}, cpu());
    for (size_t i = 0; i < v.size(); ++i) {
        if (type == dt::f32) static_cast<float*>(m.get_data_handle())[i] = v[i];
        if (type == dt::s32) static_cast<int32_t*>(m.get_data_handle())[i] = int32_t(v[i]);
        if (type == dt::bf16) { // exact for these values
            uint32_t bits;
            std::memcpy(&bits, &v[i], 4);
            static_cast<uint16_t*>(m.get_data_handle())[i] = uint16_t(bits >> 16);
        }
    }
    return m;
}

memory::dim count_of(const Case& c) {
    dims last = c.extents;
    for (auto& x : last) --x;
    return factor_index(last, c.extents, c.mask, c.groups) + 1;
}

// src value of element i: small, so that every product and sum below is exact.
float source(memory::dim i) { return float(i % 5) - 2; }
float factor(memory::dim k) { return 0.25f * float(1 + k % 9); }

template <typename T> std::vector<T> contents(const memory& m, const dims& extents) {
    const memory::desc plain(extents, m.get_desc().get_data_type(),
                             extents.size() == 2   ? tag::ab
                             : extents.size() == 3 ? tag::abc
                                                   : tag::abcd);
    memory out(plain, cpu());
    stream s(cpu());
    memory in = m;
    reorder(in, out).execute(s, in, out);
    s.wait();
    const T* p = static_cast<T*>(out.get_data_handle());
    return {p, p + std::accumulate(extents.begin(), extents.end(), memory::dim(1), std::multiplies<>())};
}

tag plain(const dims& e) { return e.size() == 2 ? tag::ab : e.size() == 3 ? tag::abc : tag::abcd; }
tag turned(const dims& e) { return e.size() == 2 ? tag::ba : e.size() == 3 ? tag::cba : tag::dcab; }
tag blocked(const dims& e) { return e.size() == 2 ? tag::AB8a4b : e.size() == 3 ? tag::aBc16b : tag::aBcd16b; }

memory filled_source(const dims& extents) {
    memory m({extents, dt::f32, plain(extents)}, cpu());
    each(extents, [&](const dims&, memory::dim i) { static_cast<float*>(m.get_data_handle())[i] = source(i); });
    return m;
}

} // namespace

TEST(Factors, scales_of_src_and_dst_by_mask_and_group) {
    stream s(cpu());
    for (const Case& c : cases)
        for (int side : {DNNL_ARG_SRC, DNNL_ARG_DST})
            for (dt type : {dt::f32, dt::bf16})
                for (auto layout : {plain(c.extents), turned(c.extents), blocked(c.extents)}) {
                    primitive_attr attr;
                    attr.set_scales(side, c.mask, c.groups, type);
                    const memory src = filled_source(c.extents);
                    memory dst({c.extents, dt::f32, layout}, cpu());
                    std::vector<float> v;
                    for (memory::dim k = 0; k < count_of(c); ++k)
                        v.push_back(side == DNNL_ARG_SRC ? factor(k) : 1 / float(1 << k % 5));
                    reorder(reorder::primitive_desc(cpu(), src.get_desc(), cpu(), dst.get_desc(), attr))
                        .execute(s, {{DNNL_ARG_FROM, src},
                                     {DNNL_ARG_TO, dst},
                                     {DNNL_ARG_ATTR_SCALES | side, values_memory(v, type)}});
                    const auto got = contents<float>(dst, c.extents);
                    each(c.extents, [&](const dims& at, memory::dim i) {
                        const float f = v[size_t(factor_index(at, c.extents, c.mask, c.groups))];
                        EXPECT_EQ(got[size_t(i)], side == DNNL_ARG_SRC ? source(i) * f : source(i) / f)
                            << "mask " << c.mask << " element " << i;
                    });
                }
}

TEST(Factors, zero_points_of_dst_by_mask_and_group) {
    stream s(cpu());
    for (const Case& c : cases)
        for (auto layout : {plain(c.extents), turned(c.extents), blocked(c.extents)}) {
            primitive_attr attr;
            attr.set_zero_points(DNNL_ARG_DST, c.mask, c.groups, dt::s32);
            const memory src = filled_source(c.extents);
            memory dst({c.extents, dt::s8, layout}, cpu());
            std::vector<float> v;
            for (memory::dim k = 0; k < count_of(c); ++k) v.push_back(float(k % 50));
            reorder(reorder::primitive_desc(cpu(), src.get_desc(), cpu(), dst.get_desc(), attr))
                .execute(s, {{DNNL_ARG_FROM, src},
                             {DNNL_ARG_TO, dst},
                             {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, values_memory(v, dt::s32)}});
            const auto got = contents<int8_t>(dst, c.extents);
            each(c.extents, [&](const dims& at, memory::dim i) {
                EXPECT_EQ(float(got[size_t(i)]), source(i) + v[size_t(factor_index(at, c.extents, c.mask, c.groups))])
                    << "mask " << c.mask << " element " << i;
            });
        }
}

TEST(Factors, output_scales_of_the_older_interface) {
    stream s(cpu());
    for (const Case& c : cases) {
        if (!c.groups.empty()) continue;
        for (bool at_execution : {false, true}) {
            std::vector<float> v;
            for (memory::dim k = 0; k < count_of(c) + 1; ++k) v.push_back(factor(k)); // one more than needed: allowed
            primitive_attr attr;
            const float placeholder = DNNL_RUNTIME_F32_VAL;
            attr.set_output_scales(c.mask, at_execution ? std::vector<float>{placeholder} : v);
            const memory src = filled_source(c.extents);
            memory dst({c.extents, dt::f32, blocked(c.extents)}, cpu());
            std::unordered_map<int, memory> args{{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
            if (at_execution) args[DNNL_ARG_ATTR_OUTPUT_SCALES] = values_memory(v, dt::f32);
            reorder(reorder::primitive_desc(cpu(), src.get_desc(), cpu(), dst.get_desc(), attr)).execute(s, args);
            const auto got = contents<float>(dst, c.extents);
            each(c.extents, [&](const dims& at, memory::dim i) {
                EXPECT_EQ(got[size_t(i)], source(i) * v[size_t(factor_index(at, c.extents, c.mask, {}))]) << c.mask;
            });
        }
    }
}

TEST(Factors, four_bit_weights_with_groups_and_views) {
    stream s(cpu());
    const dims extents{6, 8};
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_SRC, 3, {2, 4}, dt::f32);
    memory src({extents, dt::f32, tag::ab}, cpu());
    for (int i = 0; i < 48; ++i) static_cast<float*>(src.get_data_handle())[i] = float(i % 15) - 7;
    const std::vector<float> v{1, 0.5f, 2, 1, 0.5f, 2};
    // The upper right part of an 8 x 16 tensor, so that its bytes have neighbours to spare.
    const memory::desc parent({8, 16}, dt::s4, tag::ab);
    std::vector<unsigned char> bytes(parent.get_size(), 0x5a);
    memory dst(parent.submemory_desc(extents, {0, 8}), cpu(), bytes.data());
    reorder(reorder::primitive_desc(cpu(), src.get_desc(), cpu(), dst.get_desc(), attr))
        .execute(s, {{DNNL_ARG_FROM, src},
                     {DNNL_ARG_TO, dst},
                     {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, values_memory(v, dt::f32)}});
    for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 16; ++c) {
            const int code = bytes[size_t(r * 16 + c) / 2] >> (c % 2 * 4) & 15;
            if (r >= 6 || c < 8) {
                EXPECT_EQ(code, c % 2 ? 5 : 10) << "outside of the view, at " << r << "," << c;
                continue;
            }
            const float x = (float((r * 8 + c - 8) % 15) - 7) * v[size_t(r / 2 * 2 + (c - 8) / 4)];
            const float expected = std::nearbyint(std::fmin(7.f, std::fmax(-8.f, x)));
            EXPECT_EQ((code ^ 8) - 8, int(expected)) << r << "," << c;
        }
}
