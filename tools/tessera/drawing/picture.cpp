// SPDX-License-Identifier: Apache-2.0
// From a descriptor to panels.
#include "drawing/picture.hpp"

#include <algorithm>

#include "drawing/memory_map.hpp"

namespace tessera {
namespace {

char letter(int dim) { return char('a' + dim); }

// Which dimensions give the colour: up to two.
Result<std::vector<int>> colored_dims(const MemoryDesc& md, const std::string& wanted) {
    std::vector<int> dims;
    for (const char c : wanted) {
        if (c < 'a' || c >= letter(md.ndims) || dims.size() == 2)
            return invalid("--by {}: one or two of the dimensions a..{} are wanted", wanted, letter(md.ndims - 1));
        dims.push_back(c - 'a');
    }
    if (!dims.empty()) return dims;
    for (int i = md.inner_nblks; i-- > 0 && dims.size() < 2;) {
        const int dim = int(md.inner_idxs[size_t(i)]);
        if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
    }
    if (dims.empty()) dims.push_back(md.ndims > 1 ? 1 : 0);
    return dims;
}

class Painter {
public:
    Painter(const MemoryDesc& md, std::vector<int> dims) : md_(md), dims_(std::move(dims)) {}

    // Hue runs over the first dimension, lightness over the second.
    Color color(const Dims& at) const {
        const double hue = 25 + 300 * share(0, at);
        const double lightness = dims_.size() < 2 ? 0.84 : 0.92 - 0.24 * share(1, at);
        return oklch(lightness, 0.105, hue);
    }
    int main_dim() const { return dims_[0]; }
    std::string title() const {
        return dims_.size() < 2 ? fmt::format("hue: {}", letter(dims_[0]))
                                : fmt::format("hue: {}, lightness: {}", letter(dims_[0]), letter(dims_[1]));
    }
    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> entries;
        const int64_t extent = md_.dims[size_t(dims_[0])], steps = std::min<int64_t>(extent, 12);
        for (int64_t i = 0; i < steps; ++i) {
            Dims at{};
            at[size_t(dims_[0])] = steps > 1 ? i * (extent - 1) / (steps - 1) : 0;
            entries.push_back({fmt::format("{}{}", letter(dims_[0]), at[size_t(dims_[0])]), color(at)});
        }
        if (dims_.size() < 2) return entries;
        const int64_t second = md_.dims[size_t(dims_[1])], shades = std::min<int64_t>(second, 4);
        for (int64_t i = 0; i < shades; ++i) {
            Dims at{};
            at[size_t(dims_[1])] = shades > 1 ? i * (second - 1) / (shades - 1) : 0;
            entries.push_back({fmt::format("{}{}", letter(dims_[1]), at[size_t(dims_[1])]), color(at)});
        }
        return entries;
    }

private:
    double share(size_t k, const Dims& at) const {
        const int64_t extent = md_.dims[size_t(dims_[k])];
        return extent > 1 ? double(at[size_t(dims_[k])]) / double(extent) : 0;
    }
    const MemoryDesc& md_;
    std::vector<int> dims_;
};

// The longest row up to `limit` that is a whole mode of the layout or a divisor of the next mode's extent; an innermost
// extent without such a divisor is cut at the limit.
int64_t row_length(const MemoryMap& map, int64_t limit) {
    int64_t best = 1;
    const std::vector<Digit>& digits = map.digits();
    for (size_t k = 0; k < digits.size(); ++k) {
        const int64_t end = k + 1 < digits.size() ? digits[k + 1].stride : digits[k].stride * digits[k].extent;
        if (end <= limit) {
            best = end;
            continue;
        }
        const int64_t step = digits[k].stride; // equals best, or the row would begin inside of a gap
        for (int64_t n = limit / step; n > 1; --n)
            if (digits[k].extent % n == 0 && (step > 1 || n > limit / 2)) return step * n;
        return best > 1 ? best : std::min(limit, map.places());
    }
    return best;
}

PictureCell cell_of(const Place& place, const Painter& painter, const std::vector<int>& shown) {
    PictureCell cell;
    if (place.kind == Place::gap) return cell;
    cell.kind = place.kind == Place::element ? PictureCell::element : PictureCell::padding;
    if (place.kind == Place::padding) return cell;
    for (const int d : shown) cell.text += fmt::format("{}{}", cell.text.empty() ? "" : ",", place.at[size_t(d)]);
    if (shown.empty()) cell.text.push_back('0');
    cell.color = painter.color(place.at);
    return cell;
}

std::string dims_text(const std::vector<int>& dims, char separator) {
    std::string text;
    for (const int d : dims) {
        if (!text.empty()) text.push_back(separator);
        text.push_back(letter(d));
    }
    return text;
}

PicturePanel memory_panel(const MemoryDesc& md, const MemoryMap& map, const Painter& painter,
                          const PictureLimits& limits) {
    PicturePanel panel;
    const int64_t length = row_length(map, limits.row_cells);
    std::vector<int> shown, fixed;
    int64_t step = 0; // the first stride beyond a row that makes groups of several rows
    for (int d = 0; d < md.ndims; ++d) {
        const bool varies = std::any_of(map.digits().begin(), map.digits().end(),
                                        [&](const Digit& g) { return g.dim == d && g.stride < length; });
        (varies ? shown : fixed).push_back(d);
    }
    for (const Digit& digit : map.digits())
        if (step == 0 && digit.stride >= 2 * length && digit.stride % length == 0) step = digit.stride;

    const int64_t row_bytes = length * bits(md.type) / 8;
    panel.title = "memory";
    panel.caption = fmt::format(
        "a row is {:element}{}; a cell names {}", counted(length),
        row_bytes == 0 ? ""
                       : fmt::format(" = {:byte}{}", counted(row_bytes), row_bytes == 64 ? ", one cache line" : ""),
        shown.empty() ? "nothing that varies" : fmt::format("({})", dims_text(shown, ',')));
    for (int64_t c = 0; c < length; ++c) panel.columns.push_back(fmt::format("+{}", c));
    const int64_t rows = (map.places() + length - 1) / length;
    for (int64_t r = 0; r < std::min<int64_t>(rows, limits.rows); ++r) {
        PictureRow row;
        row.label = fmt::format("{}", r * length);
        row.separated = r > 0 && step > 0 && r * length % step == 0;
        for (int64_t c = 0; c < length; ++c) {
            const Place place = map.at(r * length + c);
            row.cells.push_back(cell_of(place, painter, shown));
            if (row.note.empty() && place.kind != Place::gap)
                for (const int d : fixed)
                    row.note += fmt::format("{}{}{}", row.note.empty() ? "" : " ", letter(d), place.at[size_t(d)]);
        }
        panel.rows.push_back(std::move(row));
    }
    if (rows > limits.rows)
        panel.footnote = fmt::format("{} more rows, offsets {} to {}, are not drawn (--rows)", rows - limits.rows,
                                     limits.rows * length, map.places() - 1);
    return panel;
}

// Rows: the coloured dimension; columns: the innermost other one; the rest at 0.
PicturePanel tensor_panel(const MemoryDesc& md, const Painter& painter, const PictureLimits& limits) {
    PicturePanel panel;
    const int down = painter.main_dim();
    int across = -1;
    for (int d = md.ndims; d-- > 0 && across < 0;)
        if (d != down && md.dims[size_t(d)] > 1) across = d;
    Layout layout = layout_of(md);
    layout.offset = 0;
    const int64_t height = md.dims[size_t(down)], width = across < 0 ? 1 : md.dims[size_t(across)];
    const int64_t rows = std::min<int64_t>(height, limits.rows), columns = std::min<int64_t>(width, limits.row_cells);
    std::string zeros;
    for (int d = 0; d < md.ndims; ++d)
        if (d != down && d != across) zeros += fmt::format(" {}0", letter(d));
    panel.title = "tensor";
    panel.caption =
        fmt::format("the slice{}{}; a cell is the offset in memory", zeros.empty() ? " of everything" : zeros,
                    across < 0 ? "" : fmt::format(", {} down, {} across", letter(down), letter(across)));
    for (int64_t c = 0; c < columns && across >= 0; ++c)
        panel.columns.push_back(fmt::format("{}{}", letter(across), c));
    for (int64_t r = 0; r < rows; ++r) {
        PictureRow row;
        row.label = fmt::format("{}{}", letter(down), r);
        row.separated = r > 0 && md.block_of(down) > 1 && r % md.block_of(down) == 0;
        for (int64_t c = 0; c < columns; ++c) {
            Dims at{};
            at[size_t(down)] = r;
            if (across >= 0) at[size_t(across)] = c;
            const int64_t offset = layout.at({at.data(), size_t(md.ndims)});
            row.cells.push_back({PictureCell::element, fmt::format("{}", offset), painter.color(at)});
        }
        panel.rows.push_back(std::move(row));
    }
    if (rows < height || columns < width)
        panel.footnote = fmt::format("{}x{} of {}x{} are drawn", rows, columns, height, width);
    return panel;
}

} // namespace

Result<Picture> make_picture(const MemoryDesc& md, const std::string& given_tag, const PictureLimits& limits) {
    if (!md.is_blocked()) return invalid("layout: the format '{}' has no layout to draw", given_tag);
    if (md.has_runtime()) return invalid("layout: dims known only at execution cannot be drawn");
    if (md.has_zero_dim() || md.is_zero()) return invalid("layout: a tensor without elements cannot be drawn");
    auto by = colored_dims(md, limits.color_by);
    if (!by) return Refusal(by.error());
    const MemoryMap map(md);
    const Painter painter(md, *by);

    Picture picture;
    const std::string canonical = tag_of(md);
    picture.title = given_tag;
    if (!canonical.empty() && canonical != given_tag) picture.title += fmt::format(" = {}", canonical);
    picture.title += fmt::format(" of {}, {}", to_string(md.dims_span()), name(md.type));
    const int64_t elements = md.nelems(), padded = md.nelems(true), places = map.places();
    if (md.is_padded())
        picture.facts.push_back(
            fmt::format("padded to {}", to_string(std::span<const int64_t>(md.padded_dims.data(), size_t(md.ndims)))));
    Layout layout = layout_of(md);
    picture.facts.push_back(fmt::format("as extent:stride {}", to_string(layout)));
    std::string share = fmt::format("{} places in {} bytes: {} elements", places, size_of(md), elements);
    if (padded > elements)
        share += fmt::format(", {} padding ({:.1f} %)", padded - elements,
                             100. * double(padded - elements) / double(places));
    if (places > padded)
        share +=
            fmt::format(", {} in gaps ({:.1f} %)", places - padded, 100. * double(places - padded) / double(places));
    picture.facts.push_back(share);
    picture.panels.push_back(memory_panel(md, map, painter, limits));
    picture.panels.push_back(tensor_panel(md, painter, limits));
    picture.legend_title = painter.title();
    picture.legend = painter.legend();
    picture.has_padding = padded > elements;
    picture.has_gaps = places > padded;
    return picture;
}

} // namespace tessera
