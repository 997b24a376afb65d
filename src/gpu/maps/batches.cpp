// SPDX-License-Identifier: Apache-2.0
#include "gpu/maps/batches.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

constexpr int64_t most_words = 16; // in flight for a work-item: 64 bytes; more registers would leave fewer work-items

std::string_view word(int bits) { return bits == 64 ? "ulong" : "uint"; }

// An access as a vector: its type, and the elements that it has in memory.
struct Vector {
    int bits, words;
    std::string type;
};
Vector vector_of(const MapView& view, size_t o) {
    Vector v;
    v.bits = view.width_bits(o);
    const int all = v.bits * int(view.width);
    v.words = v.bits == 64 ? all / 64 : std::max(all / 32, 1);
    v.type = c_name_of_bits(v.bits == 64 ? 64 : std::min(all, 32));
    if (v.words > 1) v.type += std::to_string(v.words);
    return v;
}

std::string element(const MapView& view, size_t o, std::string_view v) {
    return fmt::format("row{}{}", o,
                       along(view.column_loop(), "column", v.empty() ? "c" : fmt::format("(c + {})", v), o));
}

// Where a vector of operand o lies, as a pointer to its elements.
std::string pointer(const MapView& view, size_t o) {
    const std::string at = element(view, o, "");
    const int bits = view.width_bits(o);
    if (bits == 4) return fmt::format("(o{} + (({}) >> 1))", o, at);
    return fmt::format("((global {}*)o{} + ({}))", c_name_of_bits(bits), o, at);
}

// x{o}[at ..] from memory.
std::string read_vector(const MapView& view, size_t o, std::string_view at) {
    const Vector v = vector_of(view, o);
    const std::string from = pointer(view, o);
    std::string text;
    if (int(o) == view.staged)
        text = fmt::format("    const uint t = ((local const uint*)tile)[in_tile * {} / 32];\n", v.bits);
    else
        text = fmt::format("    const {0} t = *(global const {0}*){1};\n", v.type, from);
    for (int w = 0; w < v.words; ++w)
        text += fmt::format("    x{}[{} + {}] = t{};\n", o, at, w, v.words > 1 ? fmt::format(".s{}", w) : "");
    return text;
}
std::string written_vector(const MapView& view, size_t o) {
    const Vector v = vector_of(view, o);
    const std::string to = pointer(view, o);
    std::string packed;
    for (int w = 0; w < v.words; ++w) packed += fmt::format("{}packed[{}]", w ? ", " : "", w);
    std::string text = fmt::format("    const {0} t = ({0})({1});\n", v.type, packed);
    return text + fmt::format("    *(global {}*){} = t;\n", v.type, to);
}

std::string in_words(int bits, std::string_view v) {
    return bits >= 32 ? std::string(v) : fmt::format("{} * {} / 32", v, bits);
}

// Variables that an access of operand o takes.
int64_t words_of(const MapView& view, size_t o) {
    return view.loadings[o] == Loading::vector ? vector_of(view, o).words
           : view.loadings[o] == Loading::each ? view.width
                                               : 1;
}

// What was read of operand o for element v of the access.
std::string code_of(const MapView& view, size_t o, std::string_view k) {
    const int bits = view.width_bits(o);
    const std::string at = fmt::format("{} * {}", k, words_of(view, o));
    if (view.loadings[o] == Loading::one) return fmt::format("x{}[{}]", o, at);
    if (view.loadings[o] == Loading::each || bits >= 32) return fmt::format("x{}[{} + v]", o, at);
    return fmt::format("(x{}[{} + {}] >> v * {} % 32 & {}u)", o, at, in_words(bits, "v"), bits, (1u << bits) - 1);
}

// x{o}, of access number k, from memory or from the tile.
std::string read(const MapView& view, size_t o, std::string_view k) {
    const DataType type = view.plan.operands[o].type;
    const std::string at = fmt::format("{} * {}", k, words_of(view, o));
    if (view.loadings[o] == Loading::vector) return fmt::format("    {{\n{}    }}\n", read_vector(view, o, at));
    const bool one = view.loadings[o] == Loading::one;
    const std::string code = int(o) == view.staged
                                 ? fmt::format("((local const {}*)tile)[in_tile + v]", c_name_of_bits(bits(type)))
                                 : source_of_code(int(o), type);
    return fmt::format(R"cl({0}    for (int v = 0; v < {1}; ++v) {{
    const place e{2} = {3};
    x{2}[{4} + v] = {5};
    }}
)cl",
                       one ? "" : "#pragma unroll\n", words_of(view, o), o, element(view, o, one ? "" : "v"), at, code);
}

std::string declared(const MapView& view, size_t o, int64_t batch) {
    return fmt::format("    {} x{}[{}];\n", word(view.width_bits(o)), o, batch * words_of(view, o));
}

std::string elements(const MapView& view, std::string_view v) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o)
        text += fmt::format("    const place e{} = {};\n", o, element(view, o, v));
    return text;
}

// The program at column c + v, which stores its element.
std::string source_of_element(const MapView& view, const Access& access) {
    const int bits = view.width_bits(size_t(view.stored));
    if (view.program) return source_of_program(*view.program, view.plan, "v", access);
    return bits == 4 ? fmt::format("    put_nibble(o{0}, e{0}, 0);\n", view.stored)
                     : fmt::format("    put_bits_{0}(o{1}, e{1}, 0);\n", bits, view.stored);
}

// The program at each column of an access, and its store.
std::string source_of_access(const MapView& view, const Steps& steps) {
    const auto stored = size_t(view.stored);
    const int bits = view.width_bits(stored);
    const auto k_of = [&](size_t o) { return steps.held[o] ? "0" : "k"; };
    Access access;
    access.loaded.resize(view.operands());
    for (size_t o = 0; o < view.operands(); ++o)
        if (view.loadings[o] != Loading::inside) access.loaded[o] = code_of(view, o, k_of(o));
    if (!view.packs()) return elements(view, "") + source_of_element(view, access);
    const Vector vector = vector_of(view, stored);
    std::string text = fmt::format("    {} packed[{}];\n", word(bits), vector.words);
    for (int w = 0; w < vector.words; ++w) {
        const bool copies = view.program && view.only_copies();
        const size_t from = copies ? size_t(view.program->ops[0].operand) : 0;
        text += fmt::format("    packed[{}] = {};\n", w,
                            copies ? fmt::format("x{}[{} * {} + {}]", from, k_of(from), vector.words, w) : "0");
    }
    if (!view.only_copies()) {
        access.packed = view.stored;
        access.pack = bits >= 32 ? "packed[v] = {}" : fmt::format("packed[v * {0} / 32] |= {{}} << v * {0} % 32", bits);
        text += fmt::format("#pragma unroll\n    for (int v = 0; v < {}; ++v) {{\n{}{}    }}\n", view.width,
                            elements(view, "v"), source_of_element(view, access));
    }
    return text + written_vector(view, stored);
}

} // namespace

int64_t batch_of(const MapView& view, const Steps& steps) {
    int64_t words = 0;
    for (size_t o = 0; o < view.operands(); ++o)
        if (view.loadings[o] != Loading::inside && !steps.held[o])
            words += words_of(view, o) * (view.width_bits(o) == 64 ? 2 : 1); // of 32 bits
    int64_t batch = words ? most_words / words : view.packs() ? 4 : most_words;
    if (!view.only_copies()) batch = std::min(batch, most_words / view.width);
    batch = std::min({batch, most_statements / (statements_of(view) * view.width), steps.count});
    return batch > 1 ? int64_t(std::bit_floor(uint64_t(batch))) : 1;
}

std::string source_of_loop(int64_t count, int64_t batch, std::string_view body) {
    if (count <= batch) return fmt::format("    {{\n    const int first = 0;\n{}    }}\n", body);
    return fmt::format("    for (int first = 0; first < {}; first += {}) {{\n{}    }}\n", count, batch, body);
}

// Element by element, for operands that do not lie where vectors may.
std::string source_of_elements(const MapView& view, const Steps& steps) {
    const std::string tile = view.staged < 0 ? ""
                                             : fmt::format("((local const {}*)tile)[in_tile + v]",
                                                           c_name_of_bits(view.width_bits(size_t(view.staged))));
    Access access;
    access.staged = view.staged, access.code = tile;
    return fmt::format(R"cl(    if ({}!aligned)
        for (int first = 0; first < {}; ++first) {{
    const int k = 0;
{}    if ({})
        for (int v = 0; v < {}; ++v) {{
{}{}{}    }}
    }}
)cl",
                       steps.any.empty() ? "" : steps.any + " && ", steps.count, steps.number, steps.condition,
                       view.width, steps.rows, elements(view, "v"), source_of_element(view, access));
}

std::string source_of_batches(const MapView& view, const Steps& steps) {
    const int64_t batch = batch_of(view, steps);
    const auto each = [&](std::string_view number, std::string_view body) {
        return fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n{}{}    }}\n", batch, number, body);
    };
    std::string held, declarations, staged, reads;
    for (size_t o = 0; o < view.operands(); ++o) {
        if (view.loadings[o] == Loading::inside) continue;
        if (steps.held[o]) {
            declarations += declared(view, o, 1), held += read(view, o, "0");
            continue;
        }
        declarations += declared(view, o, batch);
        (int(o) == view.staged ? staged : reads) += read(view, o, "k");
    }
    if (!held.empty())
        held = fmt::format("    {{\n    const int first = 0, k = 0;\n{}{}{}    }}\n", steps.number, steps.rows, held);
    if (!staged.empty()) staged = each(steps.number, steps.rows + staged);
    if (!reads.empty()) reads = each(steps.clamped, steps.rows + reads);
    const std::string writes = each(steps.number, fmt::format("    if ({}) {{\n{}{}    }}\n", steps.condition,
                                                              steps.rows, source_of_access(view, steps)));
    std::string any = steps.any;
    if (view.packs()) any += any.empty() ? "aligned" : " && aligned";
    const std::string text =
        fmt::format("    {}{{\n{}{}{}    }}\n", any.empty() ? "" : fmt::format("if ({}) ", any), declarations, held,
                    source_of_loop(steps.count, batch, staged + reads + writes));
    return view.packs() ? text + source_of_elements(view, steps) : text;
}

std::string source_of_alignments(const MapView& view) {
    std::string text;
    for (size_t o = 0; o < view.operands(); ++o) {
        const bool is_vector = (view.loadings[o] == Loading::vector && int(o) != view.staged) || int(o) == view.stored;
        if (is_vector)
            text += fmt::format("{}((size_t)o{} & {}) == 0", text.empty() ? "" : " && ", o,
                                view.width_bits(o) * view.width / 8 - 1);
    }
    return view.packs() ? fmt::format("    const bool aligned = {};\n", text) : "";
}

std::string source_in_front_of_map(const MapView& view, bool wide) {
    std::string text = source_in_front(wide, view.row.converts_f16());
    if (view.packs() && !view.only_copies()) text += source_of_codes();
    return text;
}

} // namespace tessera::gpu
