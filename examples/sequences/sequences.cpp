// SPDX-License-Identifier: Apache-2.0
#include "sequences.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sequences {
namespace {

constexpr int least_ink = 24; // of a row: one and a half pixels in black

// Copies the row of each sequence's last step from or to its place among all states.
void copy_last(const memory& states, std::span<const Sequence> of_batch, const memory& last, bool to_last) {
    const auto row_bytes = last.get_desc().get_size() / of_batch.size();
    auto* all = static_cast<std::byte*>(states.get_data_handle());
    auto* rows = static_cast<std::byte*>(last.get_data_handle());
    for (size_t n = 0; n < of_batch.size(); ++n) {
        std::byte* state = all + (size_t(of_batch[n].length() - 1) * of_batch.size() + n) * row_bytes;
        std::byte* row = rows + n * row_bytes;
        std::memcpy(to_last ? row : state, to_last ? state : row, row_bytes);
    }
}

} // namespace

std::vector<Sequence> sequences_of(const Samples& samples) {
    std::vector<Sequence> found;
    for (size_t i = 0; i < samples.labels.size(); ++i) {
        const auto image = std::span(samples.images).subspan(i * size_t(pixels), size_t(pixels));
        const auto has_ink = [&](int64_t row) {
            const auto of_row = image.subspan(size_t(row * row_pixels), size_t(row_pixels));
            return std::accumulate(of_row.begin(), of_row.end(), 0) >= least_ink;
        };
        int64_t first = 0, end = most_rows;
        while (first < end && !has_ink(first)) ++first;
        while (first < end && !has_ink(end - 1)) --end;
        if (first == end) first = 0, end = most_rows; // faint all over: a sequence has a step at least
        found.push_back(
            {image.subspan(size_t(first * row_pixels), size_t((end - first) * row_pixels)), samples.labels[i]});
    }
    return found;
}

std::vector<Sequence> by_length(std::vector<Sequence> unsorted) {
    std::ranges::stable_sort(unsorted, {}, &Sequence::length);
    return unsorted;
}

void fill_padded(std::span<const Sequence> of_batch, std::span<float> inputs) {
    std::ranges::fill(inputs, 0.0f);
    for (size_t n = 0; n < of_batch.size(); ++n)
        for (size_t p = 0; p < of_batch[n].pixels.size(); ++p) {
            const size_t step = p / size_t(row_pixels), column = p % size_t(row_pixels);
            inputs[(step * of_batch.size() + n) * size_t(row_pixels) + column] = input_of(of_batch[n].pixels[p]);
        }
}

void take_last(const memory& states, std::span<const Sequence> of_batch, const memory& last) {
    copy_last(states, of_batch, last, true);
}

void put_last(const memory& last, std::span<const Sequence> of_batch, const memory& states) {
    std::memset(states.get_data_handle(), 0, states.get_desc().get_size());
    copy_last(states, of_batch, last, false);
}

} // namespace sequences
