// SPDX-License-Identifier: Apache-2.0
#include "line/literal.hpp"

#include <charconv>

namespace tessera {
namespace {

constexpr int max_depth = 32;

struct Parser {
    std::string_view text;
    size_t at = 0;

    bool done() const { return at >= text.size(); }
    char peek() const { return done() ? '\0' : text[at]; }
    void skip_space() {
        while (!done() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) ++at;
    }
    bool accept(char c) {
        if (done() || text[at] != c) return false;
        ++at;
        return true;
    }
    Refusal refuse(std::string_view wanted) const {
        std::string found = done() ? "the end" : "\"";
        if (!done()) {
            for (const char c : text.substr(at, 12))
                found += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", uint8_t(c));
            found += '"';
        }
        return invalid("expected {} at character {}, found {}", wanted, at, found);
    }

    Result<std::string> parse_string() {
        const char quote = text[at++];
        std::string value;
        while (!done() && text[at] != quote) {
            // \" and the like become their character; \n, \u and so on stay as they are, since no key, type or tag that
            // is looked up contains one.
            if (text[at] == '\\' && at + 1 < text.size() &&
                (text[at + 1] == '\\' || text[at + 1] == '\'' || text[at + 1] == '"'))
                ++at;
            value += text[at++];
        }
        if (!accept(quote)) return refuse("a closing quote");
        return value;
    }

    Literal parse_word() { // a number or a name
        const size_t begin = at;
        while (!done() && text.find_first_of(" \t\r\n,:]})", at) != at) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        Literal value;
        if (word == "True" || word == "true" || word == "False" || word == "false") {
            value.kind = Literal::Kind::boolean;
            value.boolean = word[0] == 'T' || word[0] == 't';
            return value;
        }
        const char* end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, value.integer);
        // Python 2 wrote long extents as 3L.
        if (error == std::errc() && (stop == end || (stop + 1 == end && *stop == 'L')))
            value.kind = Literal::Kind::integer;
        return value;
    }

    Result<Literal> parse_items(char close, bool keyed, int depth) {
        Literal value;
        value.kind = keyed ? Literal::Kind::dictionary : Literal::Kind::list;
        for (skip_space(); !accept(close); skip_space()) {
            if (keyed) {
                if (peek() != '"' && peek() != '\'') return refuse("a quoted key or a closing brace");
                auto key = parse_string();
                if (!key) return Refusal(std::move(key.error()));
                value.keys.push_back(std::move(*key));
                skip_space();
                if (!accept(':')) return refuse("a colon");
            }
            auto item = parse_value(depth + 1);
            if (!item) return item;
            value.items.push_back(std::move(*item));
            skip_space();
            if (!accept(',') && peek() != close) return refuse(fmt::format("a comma or '{}'", close));
        }
        return value;
    }

    Result<Literal> parse_value(int depth) {
        if (depth > max_depth) return invalid("nested deeper than {} levels at character {}", max_depth, at);
        skip_space();
        const char c = peek();
        if (accept('{')) return parse_items('}', true, depth);
        if (accept('[')) return parse_items(']', false, depth);
        if (accept('(')) return parse_items(')', false, depth);
        if (c == '"' || c == '\'') {
            auto string = parse_string();
            if (!string) return Refusal(std::move(string.error()));
            Literal value;
            value.kind = Literal::Kind::string;
            value.string = std::move(*string);
            return value;
        }
        const size_t before = at;
        Literal value = parse_word();
        if (at == before) return refuse("a value");
        return value;
    }
};

} // namespace

const Literal* Literal::find(std::string_view key) const {
    for (size_t i = keys.size(); i-- > 0;)
        if (keys[i] == key) return &items[i];
    return nullptr;
}

Result<Literal> parse_literal(std::string_view text) {
    Parser parser{text};
    auto value = parser.parse_value(0);
    if (!value) return value;
    parser.skip_space();
    if (!parser.done()) return parser.refuse("nothing more");
    return value;
}

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

} // namespace tessera
