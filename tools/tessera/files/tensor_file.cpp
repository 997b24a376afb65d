// SPDX-License-Identifier: Apache-2.0
// Reading and writing tensor files.
#include "files/tensor_file.hpp"

#include <algorithm>
#include <cstring>

#include "core/desc/tags.hpp"
#include "files/layout_sidecar.hpp"
#include "line/problem_line.hpp"
#include "media/ppm.hpp"
#include "media/wav.hpp"

namespace tessera {
namespace {

enum class Format { npy, photograph, recording, unknown };

struct Form {
    Format format;
    std::string_view suffix, magic;
};
constexpr Form forms[] = {{Format::npy, ".npy", "\x93NUMPY"},
                          {Format::npy, ".npz", "PK\3\4"}, // refused by its reader
                          {Format::photograph, ".ppm", "P6"},
                          {Format::photograph, ".pgm", "P5"},
                          {Format::recording, ".wav", "RIFF"}};

std::string suffix_of(const std::string& path) {
    const size_t dot = path.rfind('.'), slash = path.rfind('/');
    if (dot == path.npos || (slash != path.npos && dot < slash)) return "";
    std::string suffix = path.substr(dot);
    for (char& c : suffix) c = char(std::tolower(static_cast<unsigned char>(c)));
    return suffix;
}

Format format_of(const std::string& path) {
    const std::string suffix = suffix_of(path);
    for (const Form& form : forms)
        if (form.suffix == suffix) return form.format;
    return Format::unknown;
}

Format format_of(const std::string& path, std::string_view file) {
    const Format said = format_of(path);
    if (said != Format::unknown) return said;
    for (const Form& form : forms)
        if (file.starts_with(form.magic)) return form.format;
    return said;
}

std::string plain_tag(size_t rank) { return expand_tag("abx", rank); }

Result<Tag> parse_file_tag(const std::string& tag, const char* option) {
    auto parsed = parse_tag(tag);
    if (!parsed) return invalid("{} {}: {}", option, tag, parsed.error().reason);
    return parsed;
}

// The caller's options must agree with the file.
Result<void> agree(const std::string& path, const LoadOptions& options, const MemoryDesc& md, const char* source) {
    if (options.tag.empty() || matches_tag(md, options.tag)) return {};
    return invalid("{}: --from {} contradicts {}, which says {}", path, options.tag, source,
                   tag_of(md).empty() ? to_token(md) : tag_of(md));
}

Result<void> fits(const std::string& path, const MemoryDesc& md, int64_t bytes) {
    if (int64_t(size_of(md)) <= bytes) return {};
    return invalid("{}: {} {} needs {:byte}, the file holds {}", path, to_string(md.dims_span()), tag_of(md),
                   counted(size_of(md)), bytes);
}

// The path of the sidecar that an array of raw elements seems to have lost.
std::string without_sidecar(const std::string& path, const NpyLayout& layout) {
    if (is_stream(path)) return "a stream has no sidecar";
    return fmt::format("there is no sidecar {}{}", sidecar_path(path),
                       layout.dims.size() == 1 ? ", which belongs beside the file if this program wrote it" : "");
}

Result<LoadedTensor> load_npy(const std::string& path, Mapping file, const LoadOptions& options) {
    auto opened = NpyReader::read(path, std::move(file));
    if (!opened) return Refusal(opened.error());
    auto reader = std::make_shared<NpyReader>(std::move(*opened));
    LoadedTensor tensor;
    tensor.data = reader->data();
    tensor.owner = reader;
    NpyLayout layout = reader->layout();
    tensor.scalar = layout.dims.empty() && options.dims.empty();
    if (layout.dims.empty()) layout.dims = layout.strides = {1};

    if (reader->has_sidecar()) {
        const auto md = layout.tag.empty() ? make_desc_with_strides(layout.dims, layout.type, layout.strides)
                                           : make_desc_with_tag(layout.dims, layout.type, layout.tag);
        if (!md) return invalid("{}: {}", sidecar_path(path), md.error().reason);
        if (auto ok = fits(path, *md, reader->bytes()); !ok) return Refusal(ok.error());
        if (auto ok = agree(path, options, *md, "the sidecar"); !ok) return Refusal(ok.error());
        tensor.md = *md;
        tensor.tag = !options.tag.empty() ? options.tag : md->is_plain() ? to_string(closest_tag(*md)) : layout.tag;
        return tensor;
    }

    tensor.tag = !options.tag.empty()
                     ? expand_tag(options.tag, options.dims.empty() ? layout.dims.size() : options.dims.size())
                     : plain_tag(layout.dims.size());
    const auto tag = parse_file_tag(tensor.tag, "--from");
    if (!tag) return Refusal(tag.error());
    if (tag->inner_nblks > 0 || !options.dims.empty()) { // raw elements
        if (options.dims.empty())
            return invalid("{}: --from {} is blocked and {}; give the logical dims with --dims", path, tensor.tag,
                           without_sidecar(path, layout));
        const auto md = make_desc_with_tag(options.dims, layout.type, tensor.tag);
        if (!md) return Refusal(md.error());
        if (auto ok = fits(path, *md, reader->bytes()); !ok) return Refusal(ok.error());
        tensor.md = *md;
        return tensor;
    }
    const size_t rank = layout.dims.size();
    if (size_t(tag->ndims) != rank)
        return invalid("{}: the file has {:dim} ({}), but --from {} names {}; {}", path, counted(rank),
                       join_dims(layout.dims), tensor.tag, tag->ndims, without_sidecar(path, layout));
    std::vector<int64_t> dims(rank), strides(rank);
    for (size_t i = 0; i < rank; ++i) {
        dims[size_t(tag->order[i])] = layout.dims[i];
        strides[size_t(tag->order[i])] = layout.strides[i];
    }
    const auto md = make_desc_with_strides(dims, layout.type, strides);
    if (!md) return invalid("{}: {}", path, md.error().reason);
    tensor.md = *md;
    return tensor;
}

// Cuts `from` (rows x columns points of `point` bytes) into a batch of tiles, each stored densely.
std::vector<uint8_t> cut(const uint8_t* from, int64_t rows, int64_t columns, int64_t point, int64_t high,
                         int64_t wide) {
    std::vector<uint8_t> tiles;
    tiles.reserve(size_t(rows / high * high * (columns / wide) * wide * point));
    for (int64_t y = 0; y + high <= rows; y += high)
        for (int64_t x = 0; x + wide <= columns; x += wide)
            for (int64_t r = 0; r < high; ++r) {
                const uint8_t* row = from + ((y + r) * columns + x) * point;
                tiles.insert(tiles.end(), row, row + wide * point);
            }
    return tiles;
}

Result<void> check_tile(const std::string& path, const std::vector<int64_t>& tile, const std::vector<int64_t>& whole) {
    if (tile.size() != whole.size())
        return invalid("{}: --tile {}: {} numbers are wanted", path, join_dims(tile), whole.size());
    for (size_t i = 0; i < tile.size(); ++i)
        if (tile[i] < 1 || tile[i] > whole[i])
            return invalid("{}: --tile {} does not fit into {}", path, join_dims(tile), join_dims(whole));
    return {};
}

Result<LoadedTensor> finish_media(const std::string& path, const LoadOptions& options, std::vector<uint8_t> bytes,
                                  const std::vector<int64_t>& dims, DataType type, const char* tag) {
    const auto md = make_desc_with_tag(dims, type, tag);
    if (!md) return Refusal(md.error());
    if (auto ok = agree(path, options, *md, "its format"); !ok) return Refusal(ok.error());
    auto owner = std::make_shared<std::vector<uint8_t>>(std::move(bytes));
    return LoadedTensor{*md, tag, owner->data(), owner};
}

Result<LoadedTensor> load_photograph(const std::string& path, const Mapping& file, const LoadOptions& options) {
    const auto image = read_ppm(path, file.text());
    if (!image) return Refusal(image.error());
    const auto tile = options.tile.empty() ? std::vector{image->height, image->width} : options.tile;
    if (auto ok = check_tile(path, tile, {image->height, image->width}); !ok) return Refusal(ok.error());
    const int64_t count = image->height / tile[0] * (image->width / tile[1]);
    return finish_media(path, options,
                        cut(image->samples, image->height, image->width, image->channels, tile[0], tile[1]),
                        {count, image->channels, tile[0], tile[1]}, DataType::u8, "nhwc");
}

Result<LoadedTensor> load_recording(const std::string& path, const Mapping& file, const LoadOptions& options) {
    const auto sound = read_wav(path, file.text());
    if (!sound) return Refusal(sound.error());
    const auto tile = options.tile.empty() ? std::vector{sound->frames} : options.tile;
    if (auto ok = check_tile(path, tile, {sound->frames}); !ok) return Refusal(ok.error());
    const auto* bytes = reinterpret_cast<const uint8_t*>(sound->samples.data());
    return finish_media(path, options, cut(bytes, 1, sound->frames, 4 * sound->channels, 1, tile[0]),
                        {sound->frames / tile[0], sound->channels, tile[0]}, DataType::s32, "nwc");
}

bool numpy_has(DataType type) {
    static constexpr DataType types[] = {DataType::f16, DataType::f32, DataType::f64, DataType::s8,
                                         DataType::u8,  DataType::s32, DataType::s64, DataType::boolean};
    return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

NpyLayout file_layout(const MemoryDesc& md, const std::string& tag) {
    const std::vector<int64_t> dims(md.dims.begin(), md.dims.begin() + md.ndims);
    if (!md.is_plain()) return {dims, md.type, {}, tag_of(md)};
    const std::vector<int64_t> strides(md.strides.begin(), md.strides.begin() + md.ndims);
    const auto order = parse_tag(tag);
    if (numpy_has(md.type) && order && order->ndims == md.ndims) {
        NpyLayout physical{{}, md.type, {}, ""};
        for (int i = 0; i < md.ndims; ++i) {
            physical.dims.push_back(dims[size_t(order->order[size_t(i)])]);
            physical.strides.push_back(strides[size_t(order->order[size_t(i)])]);
        }
        if (physical.strides == c_strides(physical.dims) || physical.strides == fortran_strides(physical.dims))
            return physical;
    }
    return {dims, md.type, strides, ""};
}

} // namespace

Result<LoadedTensor> load_tensor(const std::string& path, const LoadOptions& options) {
    auto file = map_file(path);
    if (!file) return Refusal(file.error());
    const Format format = format_of(path, file->text());
    if (format == Format::photograph) return load_photograph(path, *file, options);
    if (format == Format::recording) return load_recording(path, *file, options);
    if (format == Format::unknown)
        return invalid("{}: begins like no .npy, .ppm, .pgm or .wav file, and its name does not say what it is; "
                       "np.save writes .npy, djpeg -pnm makes .ppm of a JPEG",
                       path);
    if (!options.tile.empty()) return invalid("{}: --tile cuts photographs and recordings, not .npy files", path);
    return load_npy(path, std::move(*file), options);
}

Result<void> check_output_name(const std::string& path) {
    const std::string suffix = suffix_of(path);
    const Format format = format_of(path);
    if (format == Format::photograph || suffix == ".npy" || (is_stream(path) && format == Format::unknown)) return {};
    return invalid("{}: {}; .npy, .ppm and .pgm are written, and .npy to a stream", path,
                   suffix.empty() ? "a name without suffix does not say what to write"
                                  : fmt::format("a file ending in {} is not written", suffix));
}

Result<OutputFile> OutputFile::create(const std::string& path, const MemoryDesc& md, const std::string& tag,
                                      bool scalar) {
    OutputFile file;
    if (format_of(path) != Format::photograph) {
        NpyLayout layout = file_layout(md, tag);
        if (scalar) layout.dims.clear(), layout.strides.clear();
        auto writer = NpyWriter::create(path, layout, int64_t(size_of(md)));
        if (!writer) return Refusal(writer.error());
        file.npy_ = std::make_unique<NpyWriter>(std::move(*writer));
        return file;
    }
    if (md.type != DataType::u8 || md.ndims != 4 || !matches_tag(md, "nhwc") || md.dims[0] != 1 ||
        (md.dims[1] != 3 && md.dims[1] != 1))
        return invalid("{}: a photograph is u8, nhwc, 1x3xHxW or 1x1xHxW; this is {} {}", path, to_token(md),
                       to_string(md.dims_span()));
    const std::string header = ppm_header({md.dims[2], md.dims[3], md.dims[1], nullptr});
    auto created = NewFile::create(path, int64_t(header.size() + size_of(md)));
    if (!created) return Refusal(created.error());
    file.photograph_ = std::move(*created);
    file.header_bytes_ = header.size();
    std::memcpy(file.photograph_.data(), header.data(), header.size());
    return file;
}

void* OutputFile::data() { return npy_ ? npy_->data() : photograph_.data() + header_bytes_; }

Result<void> OutputFile::commit() {
    if (npy_) return npy_->commit();
    if (auto ok = photograph_.close(); !ok) return ok;
    return photograph_.put_in_place();
}

} // namespace tessera
