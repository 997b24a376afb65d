// SPDX-License-Identifier: Apache-2.0
// Terminal output.
#include "terminal.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera {

bool use_color(ColorChoice choice) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    const char *no_color = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
    if (no_color != nullptr && *no_color != 0) return false;
    return isatty(STDOUT_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

int terminal_columns(int fallback) {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return fallback;
}

std::string styled(std::string_view text, Style style, bool color) {
    if (!color || style == Style::plain) return std::string(text);
    const char* code = style == Style::good ? "32" : style == Style::bad ? "1;31" : style == Style::dim ? "2" : "1";
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string human_bytes(double bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string human_cache(int64_t bytes) {
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
    return bytes >= 1 << 20 ? fmt::format("{:.4g} MiB", double(bytes) / (1 << 20)) : fmt::format("{} KiB", bytes >> 10);
}

std::string human_seconds(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    if (seconds >= 1e-6) return fmt::format("{:.3g} us", seconds * 1e6);
    return fmt::format("{:.3g} ns", seconds * 1e9);
}

Progress::Progress(std::string what, size_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO)), start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() { pause(); }

void Progress::step(size_t done) {
    if (!terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    fmt::print(stderr, "\r\033[K{} {} of {}", what_, done, total_);
    std::fflush(stderr);
}

void Progress::pause() {
    if (!drawn_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    drawn_ = false;
}

} // namespace tessera
