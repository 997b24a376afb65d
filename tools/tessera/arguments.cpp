// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "core/nearest.hpp"
#include "core/shown.hpp"

namespace tessera {

namespace {

constexpr size_t longest_word = 256; // of the caller's, in a message

std::vector<std::string> names_of_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names,
                       const std::vector<std::string_view>& words = {}) {
    std::vector<std::string_view> known(names.begin(), names.end());
    known.insert(known.end(), words.begin(), words.end());
    return did_you_mean(word, known);
}

// The option that an argument names ("--file=x", "-fx"); null if it is no option, or one dash with unknown letters.
const CLI::Option* option_of(const CLI::App& app, const std::string& argument) {
    if (argument.size() < 2 || argument[0] != '-') return nullptr;
    const bool is_long = argument[1] == '-';
    return app.get_option_no_throw(is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2));
}

// The arguments of a command that takes the rest of the line, split into options and the rest.
struct Parted {
    std::vector<std::string> kept; // options and their values; everything for commands without a rest
    std::string rest;
    std::string unknown; // the first unknown option
};

Parted part(const CLI::App& app, const std::vector<std::string>& arguments, const std::vector<std::string_view>* rest) {
    Parted parted;
    const auto is_word = [&](std::string name) {
        std::replace(name.begin() + 2, name.end(), '_', '-');
        return rest && std::find(rest->begin(), rest->end(), name) != rest->end();
    };
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (!rest && argument == "--") { // only positional arguments follow
            parted.kept.insert(parted.kept.end(), arguments.begin() + long(i), arguments.end());
            return parted;
        }
        const std::string name = argument.substr(0, argument.find('='));
        const bool one_word = argument.find(' ') == std::string::npos;
        if (const CLI::Option* option = option_of(app, argument)) {
            parted.kept.push_back(argument);
            const bool attached = argument.size() > 2 && (argument[1] != '-' || name != argument);
            if (!attached && option->get_items_expected_max() > 0 && i + 1 < arguments.size())
                parted.kept.push_back(arguments[++i]);
        } else if (argument.starts_with("--") && argument.size() > 2 && one_word && !is_word(name)) {
            if (parted.unknown.empty()) parted.unknown = name;
        } else if (rest) {
            parted.rest += (parted.rest.empty() ? "" : " ") + argument;
        } else {
            parted.kept.push_back(argument);
        }
    }
    return parted;
}

} // namespace

Option Option::required() { return Option(option_->required()); }
Option Option::range(int least, int most) { return Option(option_->check(CLI::Range(least, most))); }
Option Option::range(double least, double most) { return Option(option_->check(CLI::Range(least, most))); }
Option Option::one_of(const std::vector<std::string>& words) { return Option(option_->check(CLI::IsMember(words))); }
Option Option::shows_default() { return Option(option_->capture_default_str()); }
Option Option::type_name(const char* name) { return Option(option_->type_name(name)); }
Option Option::excludes(Option other) { return Option(option_->excludes(other.option_)); }

Option Arguments::option(const char* names, std::string& value, const char* help) {
    return Option(app_->add_option(names, value, help));
}
Option Arguments::option(const char* names, int& value, const char* help) {
    return Option(app_->add_option(names, value, help));
}
Option Arguments::option(const char* names, double& value, const char* help) {
    return Option(app_->add_option(names, value, help));
}
Option Arguments::option(const char* names, std::optional<int32_t>& value, const char* help) {
    return Option(app_->add_option(names, value, help));
}
Option Arguments::option(const char* names, std::vector<std::string>& values, const char* help) {
    return Option(app_->add_option(names, values, help));
}

Option Arguments::choice(const char* names, const std::vector<std::string>& words, std::function<void(size_t)> chosen,
                         const char* help) {
    const auto choose = [words, chosen](const std::string& word) {
        chosen(size_t(std::find(words.begin(), words.end(), word) - words.begin()));
    };
    return Option(
        app_->add_option_function<std::string>(names, choose, help)->check(CLI::IsMember(words).description("")));
}

void Arguments::flag(const char* names, bool& value, const char* help) { app_->add_flag(names, value, help); }
void Arguments::flag(const char* names, std::function<void()> given, const char* help) {
    app_->add_flag_callback(names, given, help);
}
void Arguments::footer(const std::string& text) { app_->footer(text); }

Option Command::rest(const char* name, std::string& value, const char* help, std::vector<std::string_view> words) {
    program_.rests_[app_] = std::move(words);
    return option(name, value, help);
}

void Command::when_given(std::function<void()> call) { app_->callback(std::move(call)); }

CommandLine::CommandLine(const char* description, const char* name) : Arguments(new CLI::App(description, name)) {
    app_->get_formatter()->column_width(34);
}
CommandLine::~CommandLine() { delete app_; }

Command CommandLine::command(const char* name, const char* description) {
    app_->require_subcommand(1);
    return Command(app_->add_subcommand(name, description), *this);
}

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }

std::optional<int> CommandLine::parse(int argc, char** argv) {
    std::vector<std::string> before(argv + std::min(argc, 1), argv + argc), after;
    const CLI::App* command = app_;
    const auto commands = app_->get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty() && !before.empty() && before.front() == "help") { // `help run` is `run --help`
        before.erase(before.begin());
        before.emplace_back("--help");
    }
    const auto first =
        std::find_if(before.begin(), before.end(), [](const std::string& text) { return !text.starts_with('-'); });
    if (!commands.empty() && first != before.end()) {
        command = nullptr;
        for (const CLI::App* known : commands)
            if (known->get_name() == *first) command = known;
        if (!command) {
            std::vector<std::string> names;
            std::string list;
            for (const CLI::App* known : commands) {
                names.push_back(known->get_name());
                list += " " + known->get_name();
            }
            std::string meant = suggestion(*first, names);
            if (meant.empty() && meant_)
                if (const std::string other = meant_(*first); !other.empty()) meant = "; did you mean " + other + "?";
            std::cerr << app_->get_name() << ": '" << shown(*first, longest_word) << "' is no command" << meant
                      << (meant.empty() ? "; there are" : " There are") << list << "\n";
            return 2;
        }
        after.assign(first + 1, before.end());
        before.erase(first + 1, before.end());
    } else {
        after.swap(before);
    }
    const auto words = rests_.find(command);
    const Parted parted = part(*command, after, words == rests_.end() ? nullptr : &words->second);
    if (!parted.unknown.empty()) {
        const std::string where = command == app_ ? app_->get_name() : app_->get_name() + " " + command->get_name();
        std::cerr << where << ": unknown option '" << shown(parted.unknown, longest_word) << "'"
                  << suggestion(parted.unknown, names_of_options(*command),
                                words == rests_.end() ? std::vector<std::string_view>() : words->second)
                  << "\n`" << where << " --help` lists all.\n";
        return 2;
    }
    std::vector<std::string> all = before;
    all.insert(all.end(), parted.kept.begin(), parted.kept.end());
    if (!parted.rest.empty()) {
        all.emplace_back("--");
        all.push_back(parted.rest);
    }
    std::reverse(all.begin(), all.end()); // CLI11 wants them in reverse order
    try {
        app_->parse(all);
    } catch (const CLI::ParseError& e) {
        std::ostringstream refusal;
        const int code = app_->exit(e, std::cout, refusal) == 0 ? 0 : 2;
        std::cerr << shown(refusal.str(), 4096);
        return std::cout.flush() ? code : 1;
    }
    return std::nullopt;
}

} // namespace tessera
