// SPDX-License-Identifier: Apache-2.0
#include "core/verbose/verbose.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/made_once.hpp"
#include "core/nearest.hpp"
#include "core/shown.hpp"

namespace tessera::verbose {

std::atomic<uint32_t> topics{unread};

namespace {

struct Log {
    bool read = false; // the environment
    std::atomic<bool> stamped{false};
    std::atomic<bool> header_written{false};
    std::optional<std::regex> filter;
};

constinit std::mutex lock;
const bool known = at_fork(lock);
constinit MadeOnce<Log> the_log;

Log& log() { return the_log.get(); }

struct Word {
    std::string_view text;
    uint32_t add;
    bool reset; // replaces the topics named before
};
constexpr Word words[] = {
    {"none", 0, true},
    {"error", error, false},
    {"warn", warn, false},
    {"check", check, false},
    {"profile_create", profile_create, false},
    {"profile_exec", profile_exec, false},
    {"profile", profile_create | profile_exec, false},
    {"dispatch", dispatch, false},
    {"all", error | warn | check | profile_create | profile_exec | dispatch, false},
    {"0", 0, true},
    {"1", error | profile_exec, false},
    {"2", error | profile_exec | profile_create, false},
};

// The C++ library reads nested expressions recursively: 60000 parentheses overflowed the stack.
constexpr size_t longest_filter = 1000;

// Returns false for a filter that is no regular expression, which then hides nothing.
bool set_filter(Log& l, const std::string& text) {
    l.filter.reset();
    if (text.empty()) return true;
    if (text.size() > longest_filter) return false;
    try {
        l.filter.emplace(text, std::regex::extended | std::regex::nosubs);
    } catch (const std::regex_error&) { return false; }
    return true;
}

std::string known_words() {
    std::string text;
    for (const Word& word : words) text += (text.empty() ? "" : " ") + std::string(word.text);
    return text;
}

// For the first of the unknown words that resembles one.
std::string meant(std::string_view unknown) {
    std::vector<std::string_view> known{"filter="};
    for (const Word& word : words) known.push_back(word.text);
    while (!unknown.empty()) {
        const std::string_view word = unknown.substr(0, unknown.find(' '));
        if (std::string text = did_you_mean(word, known); !text.empty()) return text;
        unknown.remove_prefix(std::min(word.size() + 1, unknown.size()));
    }
    return "";
}

const char* variable(const std::string& name) { return std::getenv(name.c_str()); }

void put_warning(std::string_view text) {
    std::fputs(fmt::format("onednn_verbose,v1,common,warn,{}\n", as_field(text)).c_str(), stdout);
    std::fflush(stdout);
}

} // namespace

const char* environment(const char* name) {
    if (const char* value = std::getenv(("ONEDNN_" + std::string(name)).c_str())) return value;
    return std::getenv(("DNNL_" + std::string(name)).c_str());
}

Settings parse(std::string_view text) {
    Settings s;
    while (!text.empty()) {
        // A filter reaches to the end: regular expressions contain commas.
        if (text.starts_with("filter=")) {
            s.filter = text.substr(7);
            break;
        }
        const size_t end = std::min(text.find(','), text.size());
        const std::string_view item = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto word = std::ranges::find(words, item, &Word::text);
        if (word != std::end(words))
            s.topics = word->reset ? word->add : s.topics | word->add;
        else if (!item.empty() &&
                 !item.starts_with("debuginfo=")) // accepted without effect: this build has no such lines
            s.unknown += (s.unknown.empty() ? "" : " ") + std::string(item);
    }
    return s;
}

uint32_t read_environment() {
    Log& l = log();
    const std::lock_guard guard(lock);
    if (l.read) return topics.load();
    const char* text = environment("VERBOSE");
    const Settings s = parse(text ? text : "");
    const bool filter_read = set_filter(l, s.filter);
    const char* stamp = environment("VERBOSE_TIMESTAMP");
    l.stamped = stamp && std::atoi(stamp) != 0;
    topics = s.topics;
    l.read = true; // last: if the lines above ran out of memory, the next call reads again
    if (!s.unknown.empty())
        setting("VERBOSE", fmt::format("unknown words: {}; known are {} filter=REGEX debuginfo=N{}", s.unknown,
                                       known_words(), meant(s.unknown)));
    if (!filter_read)
        setting("VERBOSE", fmt::format("filter={}: no regular expression of up to {} characters; nothing is hidden",
                                       s.filter, longest_filter));
    if (stamp && std::string_view(stamp).find_first_not_of("0123456789") != std::string_view::npos)
        setting("VERBOSE_TIMESTAMP", fmt::format("'{}' is neither 0 nor 1; lines have no time stamps", stamp));
    return s.topics;
}

void setting(const char* name, std::string_view what) {
    if (!on(error | warn)) return;
    const std::string current = "ONEDNN_" + std::string(name);
    const bool own = std::string_view(name).starts_with("TESSERA_");
    put_warning(fmt::format("{}{}: {}", own ? "" : variable(current) ? "ONEDNN_" : "DNNL_", name, what));
}

int64_t environment_number(const char* name, int64_t otherwise, int64_t least) {
    const char* text = environment(name);
    if (!text) return otherwise;
    char* end;
    errno = 0;
    const long long value = std::strtoll(text, &end, 0);
    if (end != text && *end == 0 && errno == 0 && value >= least) return value;
    setting(name, least == INT64_MIN ? fmt::format("'{}' is no number; it is ignored and {} is used", text, otherwise)
                                     : fmt::format("'{}' is no number from {} on; it is ignored and {} is used", text,
                                                   least, otherwise));
    return otherwise;
}

void warning(std::string_view text) {
    if (on(warn)) put_warning(text);
}

bool set_level(int level) {
    if (level < 0 || level > 2) return false;
    read_environment(); // now, so that a later reading does not override this call
    topics = parse(level == 0 ? "0" : level == 1 ? "1" : "2").topics;
    return true;
}

bool timestamps() {
    on(error); // reads the environment
    return log().stamped;
}

double milliseconds() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string as_field(std::string_view text) {
    std::string field = shown(text, 2048);
    std::ranges::replace(field, ',', ';');
    std::ranges::replace(field, '\n', ' ');
    return field;
}

void write(std::string_view component, std::string_view kind, std::string_view rest,
           std::vector<std::string> (*header)()) {
    Log& l = log();
    // Made before the lock is taken: it asks for the machine, which has a lock of its own.
    const std::vector<std::string> head = l.header_written ? std::vector<std::string>() : header();
    const std::lock_guard guard(lock);
    if (l.filter && !std::regex_search(component.begin(), component.end(), *l.filter) &&
        (kind.empty() || !std::regex_search(kind.begin(), kind.end(), *l.filter)))
        return;
    std::string text;
    if (!l.header_written)
        for (const std::string& line : head) text += "onednn_verbose,v1," + line + "\n";
    std::string stamp;
    if (l.stamped)
        stamp = fmt::format(
            "{:.6f},",
            std::chrono::duration<double, std::milli>(std::chrono::system_clock::now().time_since_epoch()).count());
    text += fmt::format("onednn_verbose,v1,{}{},{}\n", stamp, component, rest);
    l.header_written = true;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

} // namespace tessera::verbose
