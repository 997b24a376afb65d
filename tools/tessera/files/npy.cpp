// SPDX-License-Identifier: Apache-2.0
#include "files/npy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include <fmt/ranges.h>
#include <unistd.h>

#include "files/layout_sidecar.hpp"
#include "files/npy_header.hpp"
#include "files/unfinished_files.hpp"

namespace tessera {
namespace {

Refusal in_file(const std::string& path, Error error) {
    error.reason = path + ": " + error.reason;
    return Refusal(std::move(error));
}

// Elements of `type` that `bytes` hold.
int64_t elements_in(DataType type, int64_t bytes) {
    return bits(type) == 4 ? (bytes > INT64_MAX / 2 ? INT64_MAX : bytes * 2) : bytes / (bits(type) / 8);
}

// The layout that header and sidecar describe together.
Result<NpyLayout> combine(const NpyHeader& header, const Sidecar& sidecar, const std::string& beside) {
    NpyLayout layout;
    layout.type = sidecar.type.value_or(header.type);
    layout.tag = sidecar.tag;
    if (layout.type == DataType::undef) return invalid("{}", no_counterpart(header, beside));
    if (!sidecar.dims) {
        if (!layout.tag.empty()) return invalid("the sidecar has a tag but no \"dims\"; give both");
        if (bits(layout.type) != header.element_bytes * 8)
            return invalid("the sidecar says {}, an element of '{}' has {:byte}; give \"dims\" for other sizes",
                           name(layout.type), header.descr, counted(header.element_bytes));
        layout.dims = header.dims;
        layout.strides = header.fortran_order ? fortran_strides(layout.dims) : c_strides(layout.dims);
        return layout;
    }
    layout.dims = *sidecar.dims;
    if (header.dims.size() != 1)
        return invalid("the sidecar says dims {}, the array has shape {}; with dims in the sidecar it has to be 1-D",
                       layout.dims, header.dims);
    if (layout.tag.empty()) layout.strides = sidecar.strides.value_or(c_strides(layout.dims));
    const auto needed = layout.tag.empty() ? span_of(layout) : volume_of(layout.dims, 0);
    if (!needed) return Refusal(needed.error());
    if (*needed > elements_in(layout.type, header.bytes))
        return invalid("the sidecar needs {:element} of {}, the array holds {:byte}", counted(*needed),
                       name(layout.type), counted(header.bytes));
    return layout;
}

// Whether strides are those of `dense`; an extent of 1 may have any.
bool same_order(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
                const std::vector<int64_t>& dense) {
    for (size_t i = 0; i < dims.size(); ++i)
        if (dims[i] > 1 && strides[i] != dense[i]) return false;
    return true;
}

Result<void> check_layout(const NpyLayout& layout, int64_t bytes) {
    if (!valid(layout.type)) return invalid("{} is no data type", static_cast<int>(layout.type));
    if (layout.dims.size() > size_t(max_ndims))
        return invalid("{} dims; at most {} are possible", layout.dims.size(), max_ndims);
    if (auto volume = volume_of(layout.dims, 1); !volume) return Refusal(std::move(volume.error()));
    if (!layout.tag.empty() && !layout.strides.empty())
        return invalid("tag {} and strides {}: give one of them", layout.tag, layout.strides);
    if (layout.tag.empty() && layout.strides.size() != layout.dims.size())
        return invalid("{:dim} with {:stride}", counted(layout.dims.size()), counted(layout.strides.size()));
    const auto needed = layout.tag.empty() ? span_of(layout) : volume_of(layout.dims, 0);
    if (!needed) return Refusal(needed.error());
    if (bytes < 0 || *needed > elements_in(layout.type, bytes))
        return invalid("dims {} of {} need at least {:element}, which {:byte} do not hold", layout.dims,
                       name(layout.type), counted(*needed), counted(bytes));
    return {};
}

} // namespace

std::vector<int64_t> c_strides(const std::vector<int64_t>& dims) {
    std::vector<int64_t> strides(dims.size());
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0; stride *= std::max<int64_t>(dims[i], 1)) strides[i] = stride;
    return strides;
}

std::vector<int64_t> fortran_strides(const std::vector<int64_t>& dims) {
    std::vector<int64_t> strides(dims.size());
    int64_t stride = 1;
    for (size_t i = 0; i < dims.size(); stride *= std::max<int64_t>(dims[i], 1), ++i) strides[i] = stride;
    return strides;
}

Result<NpyReader> NpyReader::open(const std::string& path) {
    auto file = map_file(path);
    if (!file) return Refusal(std::move(file.error()));
    return read(path, std::move(*file));
}

Result<NpyReader> NpyReader::read(const std::string& path, Mapping file) {
    auto header = parse_npy_header(file.text());
    if (!header) return in_file(path, std::move(header.error()));

    NpyReader reader;
    Sidecar sidecar;
    const std::string beside = is_stream(path) ? "" : sidecar_path(path);
    if (!beside.empty() && file_exists(beside)) {
        const auto text = map_file(beside);
        if (!text) return Refusal(text.error());
        auto parsed = parse_sidecar(text->text());
        if (!parsed) return in_file(beside, std::move(parsed.error()));
        sidecar = std::move(*parsed);
        reader.has_sidecar_ = true;
    }
    auto layout = combine(*header, sidecar, beside);
    if (!layout) return in_file(path, std::move(layout.error()));
    const auto data = file.text().substr(size_t(header->offset), size_t(header->bytes));
    if (sidecar.checksum && *sidecar.checksum != checksum_of(data))
        return invalid(
            "{}: the data are not those that {} was written with; remove it if an older file left it behind, or "
            "its \"checksum\" if the data were changed on purpose",
            path, beside);

    reader.layout_ = std::move(*layout);
    reader.file_ = std::move(file);
    reader.offset_ = header->offset;
    reader.bytes_ = header->bytes;
    // NumPy itself aligns, but the format allows any offset. Mappings begin at a page, so the offset decides.
    if (reader.bytes_ > 0 && reader.offset_ % std::max(bits(reader.layout_.type) / 8, 1) != 0) {
        reader.aligned_.reset(new (std::nothrow) char[size_t(reader.bytes_)]);
        if (!reader.aligned_)
            return out_of_memory("{}: the data begin at byte {}, which takes an aligned copy of {} bytes; not enough "
                                 "memory for it",
                                 path, reader.offset_, reader.bytes_);
        std::memcpy(reader.aligned_.get(), reader.file_.data() + reader.offset_, size_t(reader.bytes_));
    }
    return reader;
}

Result<NpyWriter> NpyWriter::create(const std::string& path, const NpyLayout& layout, int64_t bytes) {
    if (auto ok = check_layout(layout, bytes); !ok) return in_file(path, std::move(ok.error()));
    NpyWriter writer;
    std::string_view descr = dtype_of(layout.type);
    const bool dense =
        layout.tag.empty() && !descr.empty() && bytes == bytes_of(layout.type, *volume_of(layout.dims, 0));
    std::string header;
    if (dense && same_order(layout.dims, layout.strides, c_strides(layout.dims))) {
        header = make_npy_header(descr, false, layout.dims);
    } else if (dense && same_order(layout.dims, layout.strides, fortran_strides(layout.dims))) {
        header = make_npy_header(descr, true, layout.dims);
    } else {
        int64_t element = std::max(bits(layout.type) / 8, 1);
        if (descr.empty() && element == 2) descr = "<u2"; // bf16
        if (descr.empty() || bytes % element != 0) descr = "|u1", element = 1;
        header = make_npy_header(descr, false, {bytes / element});
        writer.beside_ = layout;
        if (is_stream(path))
            return invalid("{}: {} {} is no plain array of NumPy's and needs a sidecar beside its file, which a stream "
                           "does not have; name a file, or ask for a plain layout of f16 f32 f64 s8 u8 s32 s64 boolean",
                           path, name(layout.type), layout.tag.empty() ? "with these strides" : layout.tag);
    }
    int64_t total;
    if (__builtin_add_overflow(bytes, static_cast<int64_t>(header.size()), &total))
        return invalid("{}: {} bytes are more than a file can have", path, bytes);
    auto file = NewFile::create(path, total);
    if (!file) return Refusal(std::move(file.error()));
    std::memcpy(file->data(), header.data(), header.size());
    writer.path_ = path;
    writer.file_ = std::move(*file);
    writer.offset_ = static_cast<int64_t>(header.size());
    writer.bytes_ = bytes;
    return writer;
}

Result<void> NpyWriter::commit() {
    if (!file_.data()) return invalid("{}: commit() was called before", path_);
    std::string text; // of the sidecar
    if (beside_) text = make_sidecar(*beside_, checksum_of({file_.data() + offset_, size_t(bytes_)}));
    if (auto ok = file_.close(); !ok) return ok;
    if (is_stream(path_)) return file_.put_in_place();
    std::string beside = sidecar_path(path_);
    NewFile sidecar;
    if (beside_) {
        auto created = NewFile::create(beside, static_cast<int64_t>(text.size()));
        if (!created) return Refusal(std::move(created.error()));
        sidecar = std::move(*created);
        std::memcpy(sidecar.data(), text.data(), text.size());
        if (auto ok = sidecar.close(); !ok) return ok;
        beside = sidecar.place();
    }
    if (std::filesystem::is_directory(beside))
        return invalid("{}: is a folder where the sidecar would be; rename one of them", beside);
    const SignalsWait until_all_is_in_place;
    // The old sidecar is moved away first: data without a sidecar are raw numbers, data with a wrong one are wrong
    // numbers. Both old files keep a temporary name until the new ones are in place, so that they can be restored.
    // That holds for files with one name alone: of others the bytes are written over, and the checksum tells.
    const std::string old_file = fmt::format("{}.tmp-{}-old", file_.place(), ::getpid());
    const std::string old_sidecar = fmt::format("{}.tmp-{}-old", beside, ::getpid());
    const bool moved = file_exists(beside) && !sidecar.overwrites();
    if (moved && ::rename(beside.c_str(), old_sidecar.c_str()) != 0)
        return runtime_error("{}: cannot be removed: {}", beside, std::strerror(errno));
    const bool kept = beside_ && !file_.overwrites() && ::link(file_.place().c_str(), old_file.c_str()) == 0;
    auto ok = file_.put_in_place();
    if (ok && beside_) {
        ok = sidecar.put_in_place();
        if (!ok && !file_.overwrites())
            kept ? ::rename(old_file.c_str(), file_.place().c_str()) : ::unlink(file_.place().c_str());
    }
    if (!ok && moved) ::rename(old_sidecar.c_str(), beside.c_str());
    if (ok && moved) ::unlink(old_sidecar.c_str());
    if (kept) ::unlink(old_file.c_str());
    return ok;
}

} // namespace tessera
