#include "arguments.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace tessera {

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

void Command::when_given(std::function<void()> call) { app_->callback(std::move(call)); }

CommandLine::CommandLine(const char* description, const char* name) : Arguments(new CLI::App(description, name)) {
    app_->get_formatter()->column_width(34);
}
CommandLine::~CommandLine() { delete app_; }

Command CommandLine::command(const char* name, const char* description) {
    app_->require_subcommand(1);
    return Command(app_->add_subcommand(name, description));
}

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }

std::optional<int> CommandLine::parse(int argc, char** argv) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& e) { return app_->exit(e) == 0 ? 0 : 2; }
    return std::nullopt;
}

} // namespace tessera
