// SPDX-License-Identifier: Apache-2.0
// Files as tensors: .npy (with or without sidecar), photographs (.ppm, .pgm) and recordings (.wav). The format follows
// from the suffix or, for other suffixes, pipes and "-" (stdin), from the first bytes.
//
// A plain .npy stores its shape in physical order: with tag nhwc a file of shape 8,480,640,3 is the tensor of logical
// dims n 8, c 3, h 480, w 640. A file with a sidecar says its logical dims and its layout itself. A photograph is u8
// nhwc of 1xCxHxW, a recording s32 nwc of 1xCxT; `tile` cuts them into a batch of equal pieces (what is left over at
// the edges is dropped).
//
//   auto in = load_tensor("photo.ppm", {.tile = {64, 64}});      // Result; in->md: u8 of 72x3x64x64, nhwc
//   auto out = OutputFile::create("out.npy", md, "nChw16c");     // fill out->data(), then out->commit()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/desc/memory_desc.hpp"
#include "files/npy.hpp"

namespace tessera {

struct LoadOptions {
    std::string tag;           // empty: what the file says, else a, ab, abc, ...
    std::vector<int64_t> dims; // of a raw file in a blocked layout without sidecar
    std::vector<int64_t> tile; // HxW of photographs, T of recordings
};

struct LoadedTensor {
    MemoryDesc md;
    std::string tag;            // a plain tag's order also orders the shape of a plain output
    const void* data = nullptr; // owned by `owner`
    std::shared_ptr<const void> owner;
    bool scalar = false; // a 0-d array; md has one dim of 1
};

Result<LoadedTensor> load_tensor(const std::string& path, const LoadOptions& options);

// A tensor file being written: complete after commit(), absent before. Plain tensors of NumPy's types are stored in the
// physical shape of `tag`; everything else keeps its logical dims in a sidecar. A name ending in .ppm or .pgm makes a
// photograph: u8, nhwc, one image of 3 or 1 channels. Streams without such a name are .npy.
class OutputFile {
public:
    // `scalar`: of one element, written as a 0-d array.
    static Result<OutputFile> create(const std::string& path, const MemoryDesc& md, const std::string& tag,
                                     bool scalar);
    void* data();
    Result<void> commit();

private:
    std::unique_ptr<NpyWriter> npy_; // or
    NewFile photograph_;
    size_t header_bytes_ = 0; // of the photograph
};

// Refuses names of outputs with an unknown suffix or that of a format that is only read.
Result<void> check_output_name(const std::string& path);

} // namespace tessera
