// SPDX-License-Identifier: Apache-2.0
// tessera layout TAG DIMS: draws the position of each element in memory.
#include "commands/commands.hpp"
#include "commands/picture_file.hpp"
#include "core/desc/memory_desc.hpp"
#include "drawing/picture.hpp"
#include "line/problem_line.hpp"
#include "line/problem_line_words.hpp"

namespace tessera::commands {
namespace {

struct Options {
    std::string tag, dims, type = "f32", strides, file;
    int rows = 0, columns = 0;
    std::string by;
    ColorChoice color = ColorChoice::automatic;
};

Result<MemoryDesc> make_desc(const Options& o, const std::vector<int64_t>& dims) {
    const auto type = words::read_type("--type", o.type);
    if (!type) return Refusal(type.error());
    if (dims.empty()) return invalid("the dims are empty; give the logical ones, like 2x17x5x5");
    if (o.tag != "strides") {
        if (!o.strides.empty())
            return invalid("{} and --strides {}: one says the layout; for the strides write `tessera layout strides {} "
                           "--strides {}`",
                           o.tag, o.strides, o.dims, o.strides);
        return make_desc_with_tag(dims, *type, expand_tag(o.tag, dims.size()));
    }
    if (o.strides.empty())
        return invalid("give --strides, one for each of the {:dim} of {}", counted(dims.size()), o.dims);
    const auto strides = parse_dims(o.strides);
    if (!strides) return Refusal(strides.error());
    if (strides->size() != dims.size())
        return invalid("--strides {}: {:stride} for {:dim}", o.strides, counted(strides->size()), counted(dims.size()));
    return make_desc_with_strides(dims, *type, *strides);
}

// The longest row that fits into the terminal beside its label and notes.
int fitting_cells(int columns, const std::vector<int64_t>& dims) {
    size_t coordinate = 1;
    for (const int64_t extent : dims) coordinate = std::max(coordinate, fmt::format("{}", extent - 1).size());
    return std::clamp((columns - 10 - 4 * int(dims.size())) / int(coordinate + 3), 2, 32);
}

Result<int> run(const Options& o) {
    const auto dims = parse_dims(o.dims);
    if (!dims) return wrong_usage(dims.error().reason);
    const auto md = make_desc(o, *dims);
    if (!md) return wrong_usage(md.error().reason);
    PictureLimits limits;
    limits.color_by = o.by;
    const bool svg = !o.file.empty();
    const bool color = use_color(o.color);
    const int columns = terminal_columns(), fitting = svg ? 16 : std::min(16, fitting_cells(columns, *dims));
    limits.rows = o.rows > 0 ? o.rows : svg ? 40 : 32;
    limits.row_cells = o.columns > 0 ? o.columns : fitting;
    const auto picture = make_picture(*md, o.tag == "strides" ? "strides " + o.strides : o.tag, limits);
    if (!picture) return wrong_usage(picture.error().reason);
    if (!svg) {
        fmt::print("{}", draw_terminal(*picture, color));
        return 0;
    }
    if (auto done = save_picture(o.file, draw_svg(*picture)); !done) return Refusal(done.error());
    fmt::print("{}: {}\n", o.file, picture->title);
    return 0;
}

} // namespace

void add_layout(CommandLine& program, Action& action) {
    auto options = std::make_shared<Options>();
    Command c = program.command("layout", "Draw where each element of a tensor lies in memory");
    c.option("tag", options->tag, "A tag: nchw, aBcd16b, OIhw4i16o4i, ...; or the word strides").required();
    c.option("dims", options->dims, "Logical dims, like 2x17x5x5").required();
    c.option("--type", options->type, "Data type").shows_default();
    c.option("--strides", options->strides, "With the word strides: elements between neighbours, like 400x16x80x1");
    c.option("-o,--output", options->file, "Write an SVG picture to this file instead").type_name("FILE");
    c.option("--rows", options->rows, "Rows to draw at most (32; 40 as SVG)").range(1, 100000);
    c.option("--columns", options->columns, "Longest row in elements (as the terminal allows, up to 16)")
        .range(1, 1024);
    c.option("--by", options->by, "One or two dims, as letters, that give the colour (the blocked ones, else b)");
    add_color(c, options->color);
    c.footer("Examples:\n"
             "  tessera layout aBcd16b 2x17x2x2              padded channels in blocks of 16\n"
             "  tessera layout nhwc 1x3x4x4 --by b           channels last, coloured by channel\n"
             "  tessera layout BA4b8a8b2a 16x32 -o vnni.svg  weights of a bf16 dot product, as a picture\n"
             "  tessera layout strides 4x3 --strides 8x2     a view with gaps");
    c.when_given([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace tessera::commands
