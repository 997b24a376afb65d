// SPDX-License-Identifier: Apache-2.0
// tessera reorder IN OUT: another layout, another data type, quantised on the way.
#include <charconv>
#include <cmath>

#include <oneapi/dnnl/dnnl.hpp>

#include "api/objects/handles.hpp"
#include "commands/transform.hpp"
#include "core/desc/tags.hpp"
#include "line/problem_line.hpp"
#include "line/problem_line_words.hpp"
#include "ops/ops.hpp"

namespace tessera::commands {
namespace {

struct Options : TransformOptions {
    std::string to, type, scale, dst_scale;
    std::optional<int32_t> zero_point, dst_zero_point;
};

// Parses the values of the options before any file is touched, so that a refusal is wrong usage.
struct Meaning {
    std::optional<DataType> type;
    std::optional<float> scale, dst_scale;
};

// "0.05" or "1/255": a finite number, also as f32.
Result<float> parse_scale(const std::string& text, const char* option) {
    double parts[2] = {1, 1};
    const size_t slash = text.find('/');
    const std::string pieces[2] = {text.substr(0, slash), slash == text.npos ? "1" : text.substr(slash + 1)};
    for (int i = 0; i < 2; ++i) {
        const auto [end, error] = std::from_chars(pieces[i].data(), pieces[i].data() + pieces[i].size(), parts[i]);
        if (error != std::errc{} || end != pieces[i].data() + pieces[i].size())
            return invalid("{} '{}' is neither a number nor a fraction like 1/255", option, text);
    }
    const float value = float(parts[0] / parts[1]);
    if (!std::isfinite(value))
        return invalid("{} '{}' is no finite f32 number; give one, like 0.05 or 1/255", option, text);
    return value;
}

Result<Meaning> meaning_of(Options& o) {
    if (auto ok = o.prepare(); !ok) return Refusal(ok.error());
    for (const auto& [option, tag] : {std::pair("--from", &o.load.tag), std::pair("--to", &o.to)})
        if (auto ok = possible_tag(option, *tag); !ok) return Refusal(ok.error());
    Meaning m;
    if (!o.type.empty()) {
        const auto type = words::read_type("--type", o.type);
        if (!type) return Refusal(type.error());
        m.type = *type;
    }
    for (const auto& [option, text, value] :
         {std::tuple("--scale", &o.scale, &m.scale), std::tuple("--dst-scale", &o.dst_scale, &m.dst_scale)}) {
        if (text->empty()) continue;
        const auto parsed = parse_scale(*text, option);
        if (!parsed) return Refusal(parsed.error());
        *value = *parsed;
    }
    if (m.dst_scale == 0.f)
        return invalid("--dst-scale '{}': the output is divided by it, so it cannot be 0", o.dst_scale);
    return m;
}

Result<int> run(Options& o) {
    const auto meaning = meaning_of(o);
    if (!meaning) return wrong_usage(meaning.error().reason);
    const auto in = load_tensor(o.in, o.load);
    if (!in) return Refusal(in.error());
    Transform t;
    t.out_tag = o.to.empty() ? in->tag : expand_tag(o.to, size_t(in->md.ndims));
    const auto out = make_desc_with_tag(in->md.dims_span(), meaning->type.value_or(in->md.type), t.out_tag);
    if (!out) return invalid("--to {}: {}", t.out_tag, out.error().reason);

    dnnl::primitive_attr attr;
    for (const auto& [value, id] : {std::pair(meaning->scale, arg::src), std::pair(meaning->dst_scale, arg::dst)}) {
        if (!value) continue;
        attr.set_scales_mask(id, 0);
        t.values.push_back({arg::scales | id, *value, 0});
    }
    for (const auto& [value, id] : {std::pair(o.zero_point, arg::src), std::pair(o.dst_zero_point, arg::dst)}) {
        if (!value) continue;
        attr.set_zero_points_mask(id, 0);
        t.values.push_back({arg::zero_points | id, 1.f, *value});
    }
    dnnl::engine engine;
    dnnl::stream stream;
    dnnl::reorder primitive;
    const dnnl::memory::desc src(new dnnl_memory_desc{in->md}), dst(new dnnl_memory_desc{*out});
    const auto created = outcome_of([&] {
        engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
        stream = dnnl::stream(engine);
        const dnnl::reorder::primitive_desc pd(engine, src, engine, dst, attr);
        t.problem = pd.get()->impl->problem;
        primitive = dnnl::reorder(pd);
    });
    if (!created) return Refusal(created.error());
    t.execute = [&](void* from, void* to) {
        std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_FROM, dnnl::memory(src, engine, from)},
                                                           {DNNL_ARG_TO, dnnl::memory(dst, engine, to)}};
        using dt = dnnl::memory::data_type;
        for (SingleValue& v : t.values) {
            const bool scale = (v.arg & arg::scales) != 0;
            const dnnl::memory::desc one({1}, scale ? dt::f32 : dt::s32, dnnl::memory::format_tag::a);
            arguments[v.arg] =
                dnnl::memory(one, engine, scale ? static_cast<void*>(&v.scale) : static_cast<void*>(&v.zero_point));
        }
        primitive.execute(stream, arguments);
        stream.wait();
    };
    return perform(o, *in, t);
}

} // namespace

void add_reorder(CommandLine& program, Action& action) {
    auto o = std::make_shared<Options>();
    Command c = program.command("reorder", "Rewrite a tensor file in another layout or data type");
    o->add(c);
    c.option("--from", o->load.tag,
             "Layout of the input: nchw, nhwc, abcd, aBcd16b, ... (default: what the file says, else abcd)");
    c.option("--to", o->to, "Layout of the output (default: that of the input)");
    c.option("--type", o->type, "Data type of the output (default: that of the input)");
    c.option("--scale", o->scale, "Multiply what is read: a number or a fraction like 1/255");
    c.option("--zero-point", o->zero_point, "Subtract this from an integer input before scaling");
    c.option("--dst-scale", o->dst_scale, "Divide by this before storing");
    c.option("--dst-zero-point", o->dst_zero_point, "Add this before storing integers");
    c.footer("out = (in - zero-point) * scale / dst-scale + dst-zero-point; integers saturate and round to even.\n\n"
             "A plain .npy file has its shape in physical order: `--from nhwc` takes a file of shape N,H,W,C (Fortran "
             "order\n"
             "too) as the tensor of logical dims N,C,H,W. Plain outputs are written the same way. Blocked layouts, "
             "and types\n"
             "NumPy does not know, are written raw with a sidecar OUT.layout.json, which is read back by itself.\n\n"
             "Examples:\n"
             "  tessera reorder in.npy out.npy --from nhwc --to nChw16c\n"
             "  tessera reorder in.npy int8.npy --from nchw --to nhwc --type s8 --dst-scale 0.05 --dst-zero-point 3\n"
             "  tessera reorder photo.ppm tiles.npy --tile 64x64 --to nchw --type f32 --scale 1/255");
    c.when_given([o, &action] { action = [o] { return run(*o); }; });
}

} // namespace tessera::commands
