// SPDX-License-Identifier: Apache-2.0
// tessera shuffle IN OUT: interleaves the groups of an axis.
#include <oneapi/dnnl/dnnl.hpp>

#include "api/objects/handles.hpp"
#include "commands/transform.hpp"
#include "ops/ops.hpp"

namespace tessera::commands {
namespace {

struct Options : TransformOptions {
    int axis = 1;
    int groups = 1;
    bool backward = false;
};

Result<int> run(Options& o) {
    if (const auto ok = o.prepare(); !ok) return wrong_usage(ok.error().reason);
    if (const auto ok = possible_tag("--layout", o.load.tag); !ok) return wrong_usage(ok.error().reason);
    const auto in = load_tensor(o.in, o.load);
    if (!in) return Refusal(in.error());
    Transform t;
    t.out_tag = in->tag;
    t.title =
        fmt::format("{} {}, axis {} by {}{}", name(in->md.type), in->tag, o.axis, o.groups, o.backward ? ", back" : "");
    dnnl::engine engine;
    dnnl::stream stream;
    dnnl::primitive primitive;
    const dnnl::memory::desc data(new dnnl_memory_desc{in->md});
    const auto created = outcome_of([&] {
        engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
        stream = dnnl::stream(engine);
        const dnnl::shuffle_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, data, data,
                                                            o.axis, o.groups);
        if (!o.backward) {
            t.problem = forward.get()->impl->problem;
            primitive = dnnl::shuffle_forward(forward);
            return;
        }
        const dnnl::shuffle_backward::primitive_desc backward(engine, data, data, o.axis, o.groups, forward);
        t.problem = backward.get()->impl->problem;
        primitive = dnnl::shuffle_backward(backward);
    });
    if (!created) return Refusal(created.error());
    const int in_arg = o.backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC,
              out_arg = o.backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST;
    t.execute = [&, in_arg, out_arg](void* from, void* to) {
        primitive.execute(stream,
                          {{in_arg, dnnl::memory(data, engine, from)}, {out_arg, dnnl::memory(data, engine, to)}});
        stream.wait();
    };
    return perform(o, *in, t);
}

} // namespace

void add_shuffle(CommandLine& program, Action& action) {
    auto o = std::make_shared<Options>();
    Command c = program.command("shuffle", "Interleave the groups of an axis of a tensor file");
    o->add(c);
    c.option("--axis", o->axis, "Logical dimension that is shuffled").shows_default();
    c.option("--groups", o->groups, "Group size: the axis, seen as rows of so many, is transposed").required();
    c.option("--layout", o->load.tag,
             "Layout of the input, kept by the output (default: what the file says, else abcd)");
    c.flag("--backward", o->backward, "The inverse, which undoes a shuffle");
    c.footer("With C = 6 and --groups 2 the output takes elements 0,2,4,1,3,5 of the axis.\n\n"
             "Example:\n  tessera shuffle in.npy out.npy --layout nhwc --axis 1 --groups 4");
    c.when_given([o, &action] { action = [o] { return run(*o); }; });
}

} // namespace tessera::commands
