// SPDX-License-Identifier: Apache-2.0
#include "files/npy_header.hpp"

#include <charconv>

#include <fmt/ranges.h>

#include "line/literal.hpp"

namespace tessera {
namespace {

struct Dtype {
    std::string_view code; // kind and bytes
    DataType type;
};
// The first row of a type is the one that is written. ml_dtypes saves bfloat16 as two bytes without meaning (V2); no
// other type of two bytes is saved so. One byte without meaning (V1) may be any of six f8 types: it needs a sidecar.
constexpr Dtype dtypes[] = {
    {"f2", DataType::f16}, {"f4", DataType::f32},     {"f8", DataType::f64},
    {"i1", DataType::s8},  {"u1", DataType::u8},      {"i4", DataType::s32},
    {"i8", DataType::s64}, {"b1", DataType::boolean}, {"V2", DataType::bf16},
};

Refusal missing(std::string_view key, std::string_view wanted) {
    return invalid("the .npy header has no '{}' that is {}", key, wanted);
}

Result<void> read_descr(const Literal& descr, NpyHeader& header) {
    if (descr.kind == Literal::Kind::list)
        return invalid(
            "structured dtype with {:field}: a tensor has one type; save one field, np.save('field.npy', a['name'])",
            counted(descr.items.size()));
    if (descr.kind != Literal::Kind::string) return missing("descr", "a string such as '<f4'");
    const std::string& text = header.descr = descr.string;
    if (text.find('O') != std::string::npos)
        return invalid("dtype '{}' holds Python objects, which would have to be unpickled; convert them to numbers, "
                       "a.astype(np.float32)",
                       text);
    const bool has_order = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
    const std::string_view code = std::string_view(text).substr(has_order ? 1 : 0);
    int64_t size = 0;
    const char* end = code.data() + code.size();
    if (code.size() < 2 || std::string_view("biufcVSUmM").find(code[0]) == std::string_view::npos ||
        std::from_chars(code.data() + 1, end, size).ptr != end || size < 1)
        return invalid("dtype '{}' is not one this reader knows; '<f4', '<f2', '|i1', '|u1' and '<i4' are examples",
                       text);
    if (text[0] == '>' && size > 1)
        return invalid("dtype '{}' is big-endian; convert it with NumPy: np.save('little.npy', "
                       "a.astype(a.dtype.newbyteorder('<')))",
                       text);
    if (size > 8 || (size & (size - 1)) != 0 || std::string_view("cSUmM").find(code[0]) != std::string_view::npos)
        return invalid("dtype '{}' holds no numbers of 1, 2, 4 or 8 bytes; convert it, a.astype(np.float32)", text);
    header.element_bytes = size;
    for (const Dtype& row : dtypes)
        if (row.code == code) header.type = row.type;
    return {};
}

Result<void> read_shape(const Literal& shape, NpyHeader& header) {
    if (shape.items.size() > size_t(max_ndims))
        return invalid("{} dims; at most {} are possible: merge some with a.reshape()", shape.items.size(), max_ndims);
    for (const Literal& item : shape.items) {
        if (item.kind != Literal::Kind::integer || item.integer < 0)
            return invalid("extent {} of the shape in the .npy header is not an integer from 0 to 2^63 - 1",
                           header.dims.size());
        header.dims.push_back(item.integer);
    }
    return {};
}

uint32_t little_endian(std::string_view bytes) {
    uint32_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
}

} // namespace

Result<int64_t> volume_of(const std::vector<int64_t>& dims, int64_t zero_as) {
    int64_t volume = 1;
    for (int64_t dim : dims) {
        if (dim < 0) return invalid("dims {}: {} is negative", dims, dim);
        if (__builtin_mul_overflow(volume, dim == 0 ? zero_as : dim, &volume))
            return invalid("dims {}: more than 2^63 - 1 elements", dims);
    }
    return volume;
}

Result<NpyHeader> parse_npy_header(std::string_view file) {
    if (file.substr(0, 4) == "PK\3\4")
        return invalid("this is a .npz archive; save one array: np.save('a.npy', np.load('a.npz')['name'])");
    if (file.substr(0, 6) != "\x93NUMPY")
        return invalid("this is no .npy file: it does not begin with \\x93NUMPY; write one with np.save()");
    if (file.size() < 10) return invalid("the .npy file ends after {:byte}, within its header", counted(file.size()));
    const int major = static_cast<uint8_t>(file[6]), minor = static_cast<uint8_t>(file[7]);
    if (major < 1 || major > 3 || minor != 0)
        return invalid(".npy format {}.{} is not supported; 1.0, 2.0 and 3.0 are", major, minor);
    const size_t begin = major == 1 ? 10 : 12;
    if (file.size() < begin)
        return invalid("the .npy file ends after {:byte}, within its header", counted(file.size()));
    const size_t length = little_endian(file.substr(8, begin - 8));
    if (length > file.size() - begin)
        return invalid("the .npy header should have {} bytes, but only {} follow; the file is truncated", length,
                       file.size() - begin);

    if (length > max_header_bytes)
        return invalid("the .npy header has {} bytes; more than {} are not read", length, max_header_bytes);
    const auto literal = parse_literal(file.substr(begin, length));
    if (!literal) return invalid("the .npy header is damaged: {}", literal.error().reason);
    const Literal* descr = literal->find("descr");
    const Literal* order = literal->find("fortran_order");
    const Literal* shape = literal->find("shape");
    if (!descr) return missing("descr", "a string such as '<f4'");
    if (!order || order->kind != Literal::Kind::boolean) return missing("fortran_order", "True or False");
    if (!shape || shape->kind != Literal::Kind::list) return missing("shape", "a tuple");

    NpyHeader header;
    header.fortran_order = order->boolean;
    header.offset = static_cast<int64_t>(begin + length);
    if (auto ok = read_descr(*descr, header); !ok) return Refusal(std::move(ok.error()));
    if (auto ok = read_shape(*shape, header); !ok) return Refusal(std::move(ok.error()));
    // Also with zero dims counted as 1, because strides are products of the other dims.
    if (auto spread = volume_of(header.dims, 1); !spread) return Refusal(std::move(spread.error()));
    const int64_t present = static_cast<int64_t>(file.size()) - header.offset;
    if (__builtin_mul_overflow(*volume_of(header.dims, 0), header.element_bytes, &header.bytes) ||
        header.bytes > present)
        return invalid("dims {} of '{}' need more data than the {:byte} after the header; the file is truncated",
                       header.dims, header.descr, counted(present));
    return header;
}

std::string no_counterpart(const NpyHeader& header, const std::string& sidecar) {
    constexpr std::string_view sidecar_types[] = {"", "f8_e4m3", "bf16"};
    if (header.element_bytes <= 2 && !sidecar.empty())
        return fmt::format("dtype '{}' has no counterpart here; convert it, a.astype(np.int32), or say with a sidecar, "
                           "{}, what the bits are: {{\"type\": \"{}\"}} (if this program wrote the file, that sidecar "
                           "is missing)",
                           header.descr, sidecar, sidecar_types[header.element_bytes]);
    return fmt::format("dtype '{}' has no counterpart here; convert it, a.astype(np.int64)", header.descr);
}

std::string_view dtype_of(DataType type) {
    switch (type) {
    case DataType::f16:
        return "<f2";
    case DataType::f32:
        return "<f4";
    case DataType::f64:
        return "<f8";
    case DataType::s8:
        return "|i1";
    case DataType::u8:
        return "|u1";
    case DataType::s32:
        return "<i4";
    case DataType::s64:
        return "<i8";
    case DataType::boolean:
        return "|b1";
    default:
        return "";
    }
}

std::string make_npy_header(std::string_view descr, bool fortran_order, const std::vector<int64_t>& dims) {
    std::string shape;
    for (int64_t dim : dims) shape += fmt::format("{}, ", dim);
    if (dims.size() > 1) shape.resize(shape.size() - 2); // (3,) keeps its comma
    if (dims.size() == 1) shape.resize(shape.size() - 1);
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", descr,
                                   fortran_order ? "True" : "False", shape);
    const size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
    text.resize(total - 10 - 1, ' ');
    text += '\n';
    std::string header = "\x93NUMPY";
    header += '\1';
    header += '\0';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

} // namespace tessera
