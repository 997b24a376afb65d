// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/lists.hpp"

#include <algorithm>
#include <atomic>

#include "core/division.hpp"
#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t elements_of_part = 1 << 15; // some 20 us
constexpr int64_t line = 64;

// Without a sign, negative numbers are larger than all others.
TESSERA_LEVELS bool all_below(const int32_t* numbers, int64_t count, uint32_t limit) {
    uint32_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) wrong |= uint32_t(uint32_t(numbers[i]) >= limit);
    return !wrong;
}

// numbers[i] <= numbers[i + 1] for all i < count.
TESSERA_LEVELS bool ascend(const int32_t* numbers, int64_t count) {
    uint32_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) wrong |= uint32_t(numbers[i] > numbers[i + 1]);
    return !wrong;
}

// The caller's lists, of the sparse factor's rows and columns.
struct Lists {
    Lists(const SparseProduct& p, std::span<void* const> pointers)
        : values(pointers[size_t(p.values)]), rows(static_cast<const int32_t*>(pointers[size_t(p.row_numbers)])),
          columns(static_cast<const int32_t*>(pointers[size_t(p.column_numbers)])), has_pointers(p.has_pointers),
          elements(p.elements), all_rows(p.is_src ? p.rows : p.depth), all_columns(p.is_src ? p.depth : p.columns) {}

    const void* values;
    const int32_t *rows, *columns; // csr: row pointers
    bool has_pointers;
    int64_t elements, all_rows, all_columns;
};

class Check {
public:
    explicit Check(const Lists& l) : l_(l) {}
    void part(int64_t part, int64_t parts) {
        const auto begin = [&](int64_t all, int64_t n) { return all * n / parts; };
        const int64_t first = begin(l_.elements, part), count = begin(l_.elements, part + 1) - first;
        if (!all_below(l_.columns + first, count, limit(l_.all_columns))) fits_ = false;
        if (l_.has_pointers) {
            const int64_t row = begin(l_.all_rows, part);
            if (!ascend(l_.rows + row, begin(l_.all_rows, part + 1) - row)) fits_ = false;
            if (l_.rows[0] < 0 || l_.rows[l_.all_rows] > l_.elements) fits_ = false;
        } else if (count) { // up to the first of the next part
            if (!ascend(l_.rows + first, std::min(count, l_.elements - 1 - first))) ordered_ = false;
        }
    }
    // After all parts. Rows in order lie between the first and the last.
    bool fits() const {
        if (!fits_ || l_.has_pointers || !l_.elements) return fits_;
        if (!ordered_) return all_below(l_.rows, l_.elements, limit(l_.all_rows));
        return l_.rows[0] >= 0 && l_.rows[l_.elements - 1] < l_.all_rows;
    }
    bool ordered() const { return ordered_; }

private:
    static uint32_t limit(int64_t extent) { return uint32_t(std::min(extent, int64_t(1) << 31)); }

    const Lists& l_;
    std::atomic<bool> fits_{true}, ordered_{true}; // columns and pointers; rows of coo
};

// Where the rows that begin in first .. last - 1 of an ordered list do; others are left alone. From the back: the last
// number that is stored for a row is that of its first element, and no branch depends on where rows end.
void find_starts(const int32_t* rows, int64_t first, int64_t last, int32_t* starts) {
    constexpr int64_t some = 16;
    if (first) first = std::upper_bound(rows + first, rows + last, rows[first - 1]) - rows;
    while (last > first) {
        const int64_t from = std::max(first, last - some);
        if (from == 0 || rows[last - 1] != rows[from - 1]) // else none of them is the first
            for (int64_t i = last; i-- > from;) starts[rows[i]] = int32_t(i);
        last = from;
    }
}

// A counting sort in parts, which several threads count and place.
class Sort {
public:
    Sort(const Lists& l, bool by_rows, int64_t parts)
        : l_(l), keys_(by_rows ? l.rows : l.columns), others_(by_rows ? l.columns : l.rows),
          groups_(by_rows ? l.all_rows : l.all_columns), parts_(parts), first_(l.has_pointers ? l.rows[0] : 0),
          count_(l.has_pointers ? l.rows[l.all_rows] - first_ : l.elements) {}

    void run(DataType type, const Team& team, GroupedList& list) const {
        const int64_t starts_bytes = round_up((groups_ + 1) * 4, line), numbers_bytes = round_up(count_ * 4, line),
                      places_bytes = round_up(parts_ * groups_ * 4, line);
        list.memory =
            std::make_unique<Scratch>(size_t(starts_bytes + numbers_bytes + places_bytes + count_ * bits(type) / 8));
        char* at = list.memory->data();
        auto* starts = reinterpret_cast<int32_t*>(at);
        auto* numbers = reinterpret_cast<int32_t*>(at += starts_bytes);
        auto* places = reinterpret_cast<int32_t*>(at += numbers_bytes);
        char* values = at + places_bytes;
        team.run(parts_, [&](int64_t part) { count_part(part, places); });
        add_up(places, starts);
        team.run(parts_, [&](int64_t part) {
            if (bits(type) == 32)
                place_part(part, places, numbers, reinterpret_cast<uint32_t*>(values));
            else
                place_part(part, places, numbers, reinterpret_cast<uint16_t*>(values));
        });
        list.values = values, list.numbers = numbers, list.starts = starts;
    }

private:
    int64_t begin(int64_t part) const { return first_ + count_ * part / parts_; }

    void count_part(int64_t part, int32_t* places) const {
        int32_t* own = places + part * groups_;
        std::fill_n(own, groups_, 0);
        for (int64_t i = begin(part); i < begin(part + 1); ++i) ++own[keys_[i]];
    }
    // Numbers of elements become the places where they go.
    void add_up(int32_t* places, int32_t* starts) const {
        int32_t sum = 0;
        for (int64_t g = 0; g < groups_; ++g) {
            starts[g] = sum;
            for (int64_t part = 0; part < parts_; ++part) {
                int32_t& place = places[part * groups_ + g];
                const int32_t own = place;
                place = sum, sum += own;
            }
        }
        starts[groups_] = sum;
    }
    template <typename T> void place_part(int64_t part, int32_t* places, int32_t* numbers, T* values) const {
        int32_t* next = places + part * groups_;
        const auto put = [&](int64_t i, int32_t number) {
            const int32_t to = next[keys_[i]]++;
            numbers[to] = number, values[to] = static_cast<const T*>(l_.values)[i];
        };
        int64_t i = begin(part);
        const int64_t end = begin(part + 1);
        if (!l_.has_pointers) {
            for (; i < end; ++i) put(i, others_[i]);
            return;
        }
        int64_t row = std::upper_bound(l_.rows, l_.rows + l_.all_rows + 1, i) - l_.rows - 1;
        for (; i < end; ++row)
            for (const int64_t last = std::min<int64_t>(l_.rows[row + 1], end); i < last; ++i) put(i, int32_t(row));
    }

    const Lists& l_;
    const int32_t *keys_, *others_;
    const int64_t groups_, parts_, first_, count_;
};

void add_starts(const Lists& l, int64_t parts, const Team& team, GroupedList& list) {
    list.memory = std::make_unique<Scratch>(size_t(l.all_rows + 1) * 4);
    auto* starts = reinterpret_cast<int32_t*>(list.memory->data());
    std::fill_n(starts, l.all_rows, -1);
    team.run(parts, [&](int64_t part) {
        find_starts(l.rows, l.elements * part / parts, l.elements * (part + 1) / parts, starts);
    });
    starts[l.all_rows] = int32_t(l.elements);
    for (int64_t r = l.all_rows; r-- > 0;) starts[r] = starts[r] < 0 ? starts[r + 1] : starts[r]; // empty ones
    list.starts = starts;
}

} // namespace

int64_t GroupedList::begin(int64_t part, int64_t parts) const {
    if (part == parts) return groups;
    const int64_t all = int64_t(starts[groups]) - starts[0] + groups, before = all * part / parts + starts[0];
    int64_t low = 0, high = groups;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        starts[middle] + middle < before ? low = middle + 1 : high = middle;
    }
    return low;
}

std::optional<GroupedList> grouped(const SparseProduct& p, DataType type, std::span<void* const> pointers, bool by_rows,
                                   const Team& team) {
    const Lists l(p, pointers);
    const int64_t parts = std::clamp<int64_t>(l.elements / elements_of_part, 1, team.most);
    Check check(l);
    team.run(parts, [&](int64_t part) { check.part(part, parts); });
    if (!check.fits()) return {};
    GroupedList list{l.values, l.columns, l.rows, by_rows ? l.all_rows : l.all_columns, nullptr};
    if (!by_rows || !check.ordered())
        Sort(l, by_rows, parts).run(type, team, list);
    else if (!l.has_pointers)
        add_starts(l, parts, team, list);
    return list;
}

} // namespace tessera::cpu
