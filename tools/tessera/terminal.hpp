// SPDX-License-Identifier: Apache-2.0
// Terminal output: colours, progress, sizes and times in readable units.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

// When colours are used: never, always, or (automatic) on a terminal unless NO_COLOR is set or TERM is dumb.
enum class ColorChoice { automatic, always, never };
bool use_color(ColorChoice choice);       // for the standard output
int terminal_columns(int fallback = 120); // of the standard output

enum class Style { plain, good, bad, dim, strong };
std::string styled(std::string_view text, Style style, bool color);

std::string human_bytes(double bytes);     // "19.9 MB", decimal like GB/s
std::string human_cache(int64_t bytes);    // "32 KiB"
std::string human_seconds(double seconds); // "1.23 ms"

// A progress line on stderr that overwrites itself: only on a terminal, only after a second.
class Progress {
public:
    Progress(std::string what, size_t total);
    ~Progress();
    void step(size_t done);
    void pause(); // wipes the line before other output

private:
    std::string what_;
    size_t total_;
    bool terminal_, drawn_ = false;
    std::chrono::steady_clock::time_point start_, last_;
};

} // namespace tessera
