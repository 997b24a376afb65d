// SPDX-License-Identifier: Apache-2.0
// Files in, files out.
#include "commands/transform.hpp"

#include <cstring>
#include <new>

#include <oneapi/dnnl/dnnl.hpp>

#include "copy_limit.hpp"
#include "core/desc/tags.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/compare.hpp"

namespace tessera::commands {
namespace {

std::string tensor_text(const MemoryDesc& md, const std::string& tag) {
    return fmt::format("{} {} {}", name(md.type), tag, to_string(md.dims_span()));
}

// The same work by the reference, compared byte by byte.
Result<void> check(const Transform& t, const void* from, const void* to) {
    const MemoryDesc& out =
        t.problem.tensors.back().output ? t.problem.tensors.back().md : t.problem.tensors.front().md;
    std::vector<uint8_t> expected(size_of(out));
    std::vector<SingleValue> values = t.values;
    ops::Buffers buffers;
    for (SingleValue& v : values)
        buffers[v.arg] = (v.arg & arg::scales) ? static_cast<void*>(&v.scale) : static_cast<void*>(&v.zero_point);
    for (const Tensor& tensor : t.problem.tensors)
        buffers[tensor.arg] = tensor.output ? static_cast<void*>(expected.data()) : const_cast<void*>(from);
    ops::row(t.problem.kind).ref(t.problem, buffers);
    return compare(out, static_cast<const uint8_t*>(to), expected.data(), expected.size(), copies_bits(t.problem));
}

void report(const TransformOptions& o, const LoadedTensor& in, const MemoryDesc& out, const Transform& t,
            const Measured* m) {
    const bool color = use_color(o.color);
    const std::string shown = o.check ? styled("passed", Style::good, color) : "written";
    if (o.brief) {
        const std::string move =
            !t.title.empty() ? t.title
                             : fmt::format("{} {} -> {} {}", name(in.md.type), in.tag, name(out.type), t.out_tag);
        fmt::print("{:<34} {:>14} {:>9}", move, to_string(out.dims_span()), human_bytes(double(size_of(out))));
        if (m) fmt::print(" {:>9} {:>7.2f} {:>9.3f}", human_seconds(m->best), m->gigabytes_per_second(), m->fraction());
        fmt::print("  {}\n", shown);
        return;
    }
    fmt::print("{}: {}\n{}: {}{}, {}\n", o.in, tensor_text(in.md, in.tag), o.out, tensor_text(out, t.out_tag),
               out.is_padded()
                   ? fmt::format(" (padded to {})",
                                 to_string(std::span<const int64_t>(out.padded_dims.data(), size_t(out.ndims))))
                   : "",
               human_bytes(double(size_of(out))));
    if (m)
        fmt::print("{} a call, {:.2f} GB/s read + written, {:.3f} of memcpy ({})\n", human_seconds(m->best),
                   m->gigabytes_per_second(), m->fraction(), human_seconds(m->copy_best));
    if (o.check) fmt::print("{}: every byte equals the reference\n", shown);
}

} // namespace

void TransformOptions::add(Arguments& command) {
    command.option("in", in, "Input: .npy, .ppm, .pgm or .wav; - is the standard input").required();
    command
        .option("out", out,
                "Output: .npy; .ppm or .pgm for one u8 nhwc image; - is the standard output as .npy, the report goes "
                "to the standard error then")
        .required();
    command.option("--dims", dims,
                   "Logical dims of a raw input file in a blocked layout without sidecar, like 1x3x64x64");
    command.option("--tile", tile, "Cut a photograph (HxW) or a recording (T) into a batch of such pieces");
    command.flag("--check", check, "Compare the result with the reference before it is written");
    command.flag("--time", time, "Time the work in turns with memcpy");
    command.option("--turns", turns, "Turns of --time").range(5, 1000).shows_default();
    command.flag("--brief", brief, "One line of output, a row of a table");
    add_color(command, color);
}

Result<void> TransformOptions::prepare() {
    if (auto ok = check_output_name(out); !ok) return ok;
    if (out == "-")
        if (auto ok = reserve_standard_output(); !ok) return ok;
    for (const auto& [option, text, list] :
         {std::tuple("--dims", &dims, &load.dims), std::tuple("--tile", &tile, &load.tile)}) {
        auto parsed = parse_dims(*text);
        if (!parsed) return invalid("{}: {}", option, parsed.error().reason);
        *list = std::move(*parsed);
    }
    return {};
}

Result<void> possible_tag(const char* option, const std::string& tag) {
    if (tag.empty()) return {};
    Result<Tag> parsed = parse_tag(tag);
    for (size_t rank = 1; !parsed && rank <= size_t(max_ndims); ++rank) // tags that are valid for some rank
        if (auto expanded = parse_tag(expand_tag(tag, rank))) parsed = std::move(expanded);
    if (!parsed) return invalid("{} {}: {}", option, tag, parsed.error().reason);
    return {};
}

Result<void> outcome_of(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const dnnl::error& e) {
        return Refusal(Error{Status(e.status), e.what()});
    } catch (const std::bad_alloc&) { return out_of_memory("not enough memory"); }
}

Result<int> perform(const TransformOptions& o, const LoadedTensor& in, Transform& t) {
    const auto& tensors = t.problem.tensors;
    const MemoryDesc out = (tensors.back().output ? tensors.back() : tensors.front()).md;
    auto file = OutputFile::create(o.out, out, t.out_tag, in.scalar);
    if (!file) return Refusal(file.error());
    void* from = const_cast<void*>(in.data); // the library does not write to a source
    Measured m;
    // Steps of unknown length: progress says which one runs.
    Progress progress("step", 3);
    if (auto done = outcome_of([&] { t.execute(from, file->data()); }); !done) return Refusal(done.error());
    progress.step(1);
    if (o.check)
        if (auto ok = check(t, from, file->data()); !ok)
            return runtime_error("{}: not written, the result is wrong: {}", o.out, ok.error().reason);
    progress.step(2);
    if (o.time) {
        const int64_t bytes = bytes_of(in.md.type, in.md.nelems()) + bytes_of(out.type, out.nelems(true));
        const auto timed =
            outcome_of([&] { m = measure_in_turns([&] { t.execute(from, file->data()); }, bytes, o.turns); });
        if (!timed) return Refusal(timed.error());
    }
    progress.pause();
    if (auto done = file->commit(); !done) return Refusal(done.error());
    report(o, in, out, t, o.time ? &m : nullptr);
    return 0;
}

} // namespace tessera::commands
