// SPDX-License-Identifier: Apache-2.0
#include "guarded_local.hpp"

#include <array>
#include <cstdint>
#include <new>
#include <regex>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/mman.h>

namespace tessera::test {

namespace {

// Where arrays lie is part of the source, so it is the same in each process: else PoCL's cache would grow with each
// one.
constexpr uintptr_t first_array = 0x200000000000, usable = 4 << 20, guard = 1 << 20;
constexpr size_t most_arrays = 8; // of a kernel

uintptr_t start_of(size_t number) { return first_array + number * (usable + guard) + guard; }

void make_pages() {
    static const bool made = [] {
        constexpr size_t all = most_arrays * (usable + guard) + guard;
        void* const at = mmap(reinterpret_cast<void*>(first_array), all, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (at != reinterpret_cast<void*>(first_array)) throw std::bad_alloc();
        for (size_t i = 0; i < most_arrays; ++i)
            if (mprotect(reinterpret_cast<void*>(start_of(i)), usable, PROT_READ | PROT_WRITE) != 0)
                throw std::bad_alloc();
        return true;
    }();
    (void)made;
}

} // namespace

std::string with_guarded_arrays(std::string_view source, bool guard_in_front) {
    make_pages();
    static const std::regex declaration(R"(\n *local (\w+) ([^;(*]*\[[^;]*);)"), array(R"((\w+)\[([^\]]*)\])"),
        alignment(R"(aligned\((\d+)\))");
    std::string text(source), result = "#define local global\n";
    size_t number = 0;
    for (std::smatch found; std::regex_search(text, found, declaration); text = found.suffix()) {
        const std::string type = found[1], arrays = found[2];
        std::smatch aligned;
        // Kernels have vectors of 16 floats, and of 16 bytes in arrays of less.
        const std::string by = std::regex_search(arrays, aligned, alignment)
                                   ? std::string(aligned[1])
                                   : fmt::format("(sizeof({}) > 16 ? 64 : 16)", type);
        result += std::string(found.prefix()) + "\n";
        const std::string names = arrays.substr(0, arrays.find("__attribute__"));
        for (std::sregex_iterator one(names.begin(), names.end(), array), end; one != end; ++one, ++number) {
            if (number == most_arrays) throw std::runtime_error("a kernel with more local arrays than expected");
            const uintptr_t start = start_of(number);
            result += fmt::format("global {0}* const {1} = (global {0}*)({2});\n", type, std::string((*one)[1]),
                                  guard_in_front ? fmt::format("{:#x}ul", start)
                                                 : fmt::format("({:#x}ul - sizeof({}) * ({})) & ~({} - 1ul)",
                                                               start + usable, type, std::string((*one)[2]), by));
        }
    }
    return result + text;
}

} // namespace tessera::test
