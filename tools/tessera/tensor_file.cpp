// Reading and writing tensor files.
#include "tensor_file.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "core/desc/tags.hpp"
#include "ppm.hpp"
#include "problem_line.hpp"
#include "wav.hpp"

namespace tessera {
namespace {

bool ends_with(const std::string& path, std::string_view ending) {
    if (path.size() < ending.size()) return false;
    return std::equal(ending.rbegin(), ending.rend(), path.rbegin(),
                      [](char e, char p) { return e == std::tolower(p); });
}

bool is_photograph(const std::string& path) { return ends_with(path, ".ppm") || ends_with(path, ".pgm"); }

std::string plain_tag(size_t rank) { return expand_tag("abx", rank); }

Result<Tag> parse_file_tag(const std::string& tag, const char* option) {
    auto parsed = parse_tag(tag);
    if (!parsed) return invalid("{} {}: {}", option, tag, parsed.error().reason);
    return parsed;
}

// What the caller says has to agree with what the file says.
Result<void> agree(const std::string& path, const LoadOptions& options, const MemoryDesc& md, const char* source) {
    if (options.tag.empty() || matches_tag(md, options.tag)) return {};
    return invalid("{}: --from {} contradicts {}, which says {}", path, options.tag, source,
                   tag_of(md).empty() ? to_token(md) : tag_of(md));
}

Result<void> fits(const std::string& path, const MemoryDesc& md, int64_t bytes) {
    if (int64_t(size_of(md)) <= bytes) return {};
    return invalid("{}: {} {} needs {} bytes, the file holds {}", path, to_string(md.dims_span()), tag_of(md),
                   size_of(md), bytes);
}

Result<LoadedTensor> load_npy(const std::string& path, const LoadOptions& options) {
    auto opened = NpyReader::open(path);
    if (!opened) return Refusal(opened.error());
    auto reader = std::make_shared<NpyReader>(std::move(*opened));
    LoadedTensor tensor;
    tensor.data = reader->data();
    tensor.owner = reader;
    NpyLayout layout = reader->layout();
    if (layout.dims.empty()) layout.dims = layout.strides = {1};

    if (access((path + ".layout.json").c_str(), F_OK) == 0) {
        const auto md = layout.tag.empty() ? make_desc_with_strides(layout.dims, layout.type, layout.strides)
                                           : make_desc_with_tag(layout.dims, layout.type, layout.tag);
        if (!md) return invalid("{}.layout.json: {}", path, md.error().reason);
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
            return invalid("{}: --from {} is blocked and the file has no sidecar; give the logical dims with --dims",
                           path, tensor.tag);
        const auto md = make_desc_with_tag(options.dims, layout.type, tensor.tag);
        if (!md) return Refusal(md.error());
        if (auto ok = fits(path, *md, reader->bytes()); !ok) return Refusal(ok.error());
        tensor.md = *md;
        return tensor;
    }
    const size_t rank = layout.dims.size();
    if (size_t(tag->ndims) != rank)
        return invalid("{}: the file has {} dims ({}), but --from {} names {}", path, rank, join_dims(layout.dims),
                       tensor.tag, tag->ndims);
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

Result<LoadedTensor> load_photograph(const std::string& path, const LoadOptions& options) {
    const auto image = read_ppm(path);
    if (!image) return Refusal(image.error());
    const auto tile = options.tile.empty() ? std::vector{image->height, image->width} : options.tile;
    if (auto ok = check_tile(path, tile, {image->height, image->width}); !ok) return Refusal(ok.error());
    const int64_t count = image->height / tile[0] * (image->width / tile[1]);
    return finish_media(path, options,
                        cut(image->samples.data(), image->height, image->width, image->channels, tile[0], tile[1]),
                        {count, image->channels, tile[0], tile[1]}, DataType::u8, "nhwc");
}

Result<LoadedTensor> load_recording(const std::string& path, const LoadOptions& options) {
    const auto sound = read_wav(path);
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
    if (is_photograph(path)) return load_photograph(path, options);
    if (ends_with(path, ".wav")) return load_recording(path, options);
    if (!options.tile.empty()) return invalid("{}: --tile cuts photographs and recordings, not .npy files", path);
    return load_npy(path, options);
}

Result<OutputFile> OutputFile::create(const std::string& path, const MemoryDesc& md, const std::string& tag) {
    OutputFile file;
    file.path_ = path;
    file.md_ = md;
    if (is_photograph(path)) {
        if (md.type != DataType::u8 || md.ndims != 4 || !matches_tag(md, "nhwc") || md.dims[0] != 1 ||
            (md.dims[1] != 3 && md.dims[1] != 1))
            return invalid("{}: a photograph is u8, nhwc, 1x3xHxW or 1x1xHxW; this is {} {}", path, to_token(md),
                           to_string(md.dims_span()));
        file.image_.resize(size_of(md));
        return file;
    }
    auto writer = NpyWriter::create(path, file_layout(md, tag), int64_t(size_of(md)));
    if (!writer) return Refusal(writer.error());
    file.npy_ = std::make_unique<NpyWriter>(std::move(*writer));
    return file;
}

void* OutputFile::data() { return npy_ ? npy_->data() : image_.data(); }

Result<void> OutputFile::commit() {
    if (npy_) return npy_->commit();
    return write_ppm(path_, {md_.dims[2], md_.dims[3], md_.dims[1], std::move(image_)});
}

} // namespace tessera
