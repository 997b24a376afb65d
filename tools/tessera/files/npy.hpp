// SPDX-License-Identifier: Apache-2.0
// Tensors in NumPy files: reading through mmap, writing through a temporary file and an atomic rename.
//
// Types that NumPy names (f16 f32 f64 s8 u8 s32 s64 boolean) in dense C or Fortran order are ordinary .npy files.
// Everything else is a 1-D array of the elements in the order of memory (u2 for bf16, bytes for the types below 16
// bits that NumPy lacks) plus a sidecar `<file>.layout.json`, without which NumPy still loads the raw values:
//
//   {"dims": [2, 17, 5, 5], "type": "s8", "tag": "aBcd16b", "strides": [], "checksum": "0123456789abcdef"}
//
// A sidecar without "dims" only names the type of an array of any shape: {"type": "bf16"} beside an array of u2. Where
// it has a "checksum", as all that are written here, data with another one are refused: they are of another file.
//
//   auto in = NpyReader::open("a.npy");                                   // Result: says what is wrong with the file
//   auto out = NpyWriter::create("b.npy", {in->layout().dims, DataType::s8, {}, "aBcd16b"}, md_size);
//   ... fill out->data() ...
//   if (auto done = out->commit(); !done) fmt::print(stderr, "{}\n", done.error().reason);   // until here: no b.npy
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "core/types/types.hpp"
#include "files/new_file.hpp"

namespace tessera {

// The layout of a tensor in its payload: strides (in elements, one per dim) with an empty `tag`, or the `tag` of a
// blocked layout with empty strides. This code does not interpret tags: its callers must compare the size of the layout
// with bytes() before they read.
struct NpyLayout {
    std::vector<int64_t> dims; // empty: one element (a 0-d array)
    DataType type = DataType::undef;
    std::vector<int64_t> strides;
    std::string tag;

    bool operator==(const NpyLayout&) const = default;
};

// Strides of dense dims, last dim fastest (C order) or first dim fastest (Fortran order). The product of the dims
// has to fit int64_t; zero dims count as 1.
std::vector<int64_t> c_strides(const std::vector<int64_t>& dims);
std::vector<int64_t> fortran_strides(const std::vector<int64_t>& dims);

// A file that is mapped read-only; pages come in as they are touched, so files larger than memory are fine. The
// file must not shrink while it is open (the system answers SIGBUS then). Movable.
class NpyReader {
public:
    // Format versions 1.0, 2.0, 3.0; a sidecar next to the file is used when present (a stream has none). Every stride
    // has been checked against the payload: with an empty tag all elements of the layout lie inside
    // data()..data() + bytes().
    static Result<NpyReader> open(const std::string& path);
    static Result<NpyReader> read(const std::string& path, Mapping file); // `path`, mapped before

    const NpyLayout& layout() const { return layout_; }
    bool has_sidecar() const { return has_sidecar_; }
    // Aligned to the element; data that are not aligned in the file are copied.
    const void* data() const { return aligned_ ? aligned_.get() : file_.data() + offset_; }
    int64_t bytes() const { return bytes_; }

private:
    NpyReader() = default;
    NpyLayout layout_;
    Mapping file_;
    std::unique_ptr<char[]> aligned_; // null: the mapping serves
    int64_t offset_ = 0, bytes_ = 0;
    bool has_sidecar_ = false;
};

// A file being written. `path` does not exist (or is the old file) until commit() has succeeded; a writer destroyed
// before that removes its temporary file, also on a signal. Only SIGKILL leaves one: `<path>.tmp-<pid>-<n>`.
class NpyWriter {
public:
    // `bytes`: the size of the payload, for a plain layout at least the span of its strides. The space is reserved
    // on the disk here, so that a full disk is an error of create() and not a signal while data() is filled.
    // The payload starts as zeros. A layout that needs a sidecar is refused if `path` is a stream.
    static Result<NpyWriter> create(const std::string& path, const NpyLayout& layout, int64_t bytes);

    void* data() const { return file_.data() + offset_; } // 64-byte aligned; invalid after commit()
    int64_t bytes() const { return bytes_; }

    // Renames into place, the sidecar last; a sidecar of an older file under this name is removed. If that fails, the
    // older file and its sidecar are as they were. Once only.
    Result<void> commit();

private:
    NpyWriter() = default;
    std::string path_;
    std::optional<NpyLayout> beside_; // what a sidecar has to say
    NewFile file_;
    int64_t offset_ = 0, bytes_ = 0;
};

} // namespace tessera
