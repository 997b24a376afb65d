// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/check.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "gpu/header.hpp"

namespace tessera::gpu {

namespace {

constexpr int bytes_of_k = 32;

// Rows of A, or columns of B, as whole numbers, and as the words of fragments.
struct Matrix {
    std::vector<std::array<int, bytes_of_k>> lines; // the first 32 / bytes_of(form) are used
    std::vector<uint32_t> words;                    // of all work-items
};

int element(int line, int k, int seed) { return (line * 5 + k * 3 + seed) % 13 - 6; }
uint32_t code(int value, Form form) {
    return form == Form::s8 ? uint32_t(value) & 255u : std::bit_cast<uint32_t>(float(value)) >> 16;
}

// Byte `at` of 32 of a line, as it is stored.
uint32_t byte_of(const std::array<int, bytes_of_k>& line, int at, Form form) {
    return code(line[size_t(at / bytes_of(form))], form) >> at % bytes_of(form) * 8 & 255u;
}

Matrix matrix(const Tile& tile, bool left, Form form, int seed) {
    Matrix m;
    m.lines.resize(size_t(left ? tile.rows : tile.columns));
    for (size_t line = 0; line < m.lines.size(); ++line)
        for (int k = 0; k < bytes_of_k; ++k) m.lines[line][size_t(k)] = element(int(line), k, seed);
    const int words = int(left ? tile.left_words() : tile.right_words()), of_row = bytes_of_k / int(tile.lanes);
    for (int lane = 0; lane < tile.lanes; ++lane)
        for (int byte = 0; byte < words * 4; ++byte) {
            if (byte % 4 == 0) m.words.push_back(0);
            const uint32_t stored = left ? byte_of(m.lines[size_t(byte / of_row)], lane * of_row + byte % of_row, form)
                                         : byte_of(m.lines[size_t(lane)], byte, form);
            m.words.back() |= stored << byte % 4 * 8;
        }
    return m;
}

std::string source(const DeviceRow& row, const Tile& tile, Form form) {
    return source_in_front(false, row.converts_f16()) + source_of_fragments(row, tile, form, form, 0) +
           fmt::format(R"cl(
{0}__attribute__((reqd_work_group_size({1}, 1, 1)))
kernel void {2}(global const uint* a, global const uint* b, global {3}* c) {{
    const int lane = (int)get_local_id(0);
{4}    uint x[{5}], y[{6}];
    {3} sum[8] = {{0, 0, 0, 0, 0, 0, 0, 0}};
    for (int w = 0; w < {5}; ++w) x[w] = a[in_warp * {5} + w];
    for (int w = 0; w < {6}; ++w) y[w] = b[in_warp * {6} + w];
    MULTIPLY(sum, x, y);
    MULTIPLY(sum, x, y);
    for (int i = 0; i < 8; ++i) c[i * {1} + in_warp] = sum[i];
}}
)cl",
                       attribute_of_fragments(row, tile), tile.lanes, kernel_name, form == Form::s8 ? "uint" : "float",
                       source_of_exchange(row, tile, tile.lanes), tile.left_words(), tile.right_words());
}

Result<std::vector<uint32_t>> product(Device& device, const std::string& source, const Tile& tile, const Matrix& a,
                                      const Matrix& b) {
    auto program = device.program(source);
    if (!program) return Refusal(program.error());
    auto kernel = device.kernel(program->get(), kernel_name.data());
    if (!kernel) return Refusal(kernel.error());
    std::vector<uint32_t> results(size_t(tile.rows * tile.columns));
    auto left = device.buffer(a.words.size() * 4, a.words.data()),
         right = device.buffer(b.words.size() * 4, b.words.data()), to = device.buffer(results.size() * 4);
    cl_uint number = 0;
    for (const auto* memory : {&left, &right, &to}) {
        if (!*memory) return Refusal(memory->error());
        if (auto ok = device.set_argument(kernel->get(), number++, (*memory)->get()); !ok) return Refusal(ok.error());
    }
    const auto items = size_t(tile.lanes);
    cl_int error = device.cl.clEnqueueNDRangeKernel(device.queue(), kernel->get(), 1, nullptr, &items, &items, 0,
                                                    nullptr, nullptr);
    if (error != CL_SUCCESS) return failed("clEnqueueNDRangeKernel", error);
    error = device.cl.clEnqueueReadBuffer(device.queue(), to->get(), CL_TRUE, 0, results.size() * 4, results.data(), 0,
                                          nullptr, nullptr);
    if (auto ok = device.copied("clEnqueueReadBuffer", error); !ok) return Refusal(ok.error());
    return results;
}

} // namespace

std::string wrong_in_matrices(Device& device, const DeviceRow& row, const Tile& tile) {
    for (const Form form : {Form::s8, Form::bf16}) {
        const Matrix a = matrix(tile, true, form, 1), b = matrix(tile, false, form, 4);
        const auto got = product(device, source(row, tile, form), tile, a, b);
        if (!got) return got.error().reason;
        for (int64_t i = 0; i < tile.rows; ++i)
            for (int64_t j = 0; j < tile.columns; ++j) {
                int64_t want = 0;
                for (size_t k = 0; k < size_t(bytes_of_k / bytes_of(form)); ++k)
                    want += 2 * a.lines[size_t(i)][k] * b.lines[size_t(j)][k]; // multiplied twice
                const uint32_t stored = (*got)[size_t(i * tile.columns + j)];
                const double found = form == Form::s8 ? double(int32_t(stored)) : double(std::bit_cast<float>(stored));
                if (found != double(want))
                    return fmt::format("of a product of {} in sub-groups of {}, result {}, {} is {}, not {}",
                                       name(form), tile.lanes, i, j, found, want);
            }
    }
    return "";
}

} // namespace tessera::gpu
