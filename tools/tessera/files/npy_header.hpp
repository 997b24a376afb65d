// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file, as text: format versions 1.0, 2.0 and 3.0.
//
//   magic "\x93NUMPY", major, minor, header length (2 bytes; from version 2 on 4), the header, the data
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 17, 5, 5), }   padded with spaces, ending in a newline
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/desc/memory_desc.hpp" // max_ndims
#include "core/status.hpp"
#include "core/types/types.hpp"

namespace tessera {

struct NpyHeader {
    std::string descr;               // "<f4"
    DataType type = DataType::undef; // undef: NumPy has this dtype, the library does not ("<u2", "|V1")
    int64_t element_bytes = 0;       // 1..8
    bool fortran_order = false;
    std::vector<int64_t> dims;     // at most 12
    int64_t offset = 0, bytes = 0; // of the data in the file, checked against its size
};

// `file`: the whole file. A refusal does not name the file.
Result<NpyHeader> parse_npy_header(std::string_view file);

// For a dtype without counterpart: why it cannot be read, and how to convert it or which sidecar would help ("" if none
// can).
std::string no_counterpart(const NpyHeader& header, const std::string& sidecar);

// The dtype of a type, "<f4"; empty for types that NumPy does not have.
std::string_view dtype_of(DataType type);

// Magic, version 1.0 and header, padded so that the data begins at a multiple of 64 bytes.
std::string make_npy_header(std::string_view descr, bool fortran_order, const std::vector<int64_t>& dims);

// Elements of dims, unless a dim is negative or the product passes int64_t; zero dims count as `zero_as`.
Result<int64_t> volume_of(const std::vector<int64_t>& dims, int64_t zero_as);

inline constexpr size_t max_header_bytes = 1 << 20; // NumPy itself warns beyond 10000; bounds the parser's memory

} // namespace tessera
