// SPDX-License-Identifier: Apache-2.0
// Arguments of a program, described once for parsing and for --help. CLI11 does both; this header hides it, because
// each of the ten files that included CLI11 took 5 s to compile instead of 2.
//
//   CommandLine program("Copies files.", "copy");
//   program.option("--turns", turns, "How often").range(1, 9).shows_default();
//   program.flag("-q,--quiet", quiet, "Print only what failed");
//   if (const auto code = program.parse(argc, argv)) return *code;
//
// Commands and options that do not exist are refused with the nearest one that does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tessera {

class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option required();
    Option range(int least, int most);
    Option range(double least, double most);
    Option one_of(const std::vector<std::string>& words);
    Option shows_default();
    Option type_name(const char* name);
    Option excludes(Option other);

private:
    CLI::Option* option_;
};

// The arguments of a program or of one of its commands. Names are like "-o,--output"; one without dashes is positional.
class Arguments {
public:
    Option option(const char* names, std::string& value, const char* help);
    Option option(const char* names, int& value, const char* help);
    Option option(const char* names, double& value, const char* help);
    Option option(const char* names, std::optional<int32_t>& value, const char* help);
    Option option(const char* names, std::vector<std::string>& values, const char* help);
    // An option whose value is one of some words.
    template <typename T> using Choices = std::vector<std::pair<std::string, T>>;
    template <typename T> Option choice(const char* names, T& value, const Choices<T>& choices, const char* help) {
        std::vector<std::string> words;
        for (const auto& [word, meaning] : choices) words.push_back(word);
        return choice(
            names, words, [&value, choices](size_t i) { value = choices[i].second; }, help);
    }
    void flag(const char* names, bool& value, const char* help);
    void flag(const char* names, std::function<void()> given, const char* help);
    void footer(const std::string& text);

protected:
    explicit Arguments(CLI::App* app) : app_(app) {}
    CLI::App* app_;

private:
    Option choice(const char* names, const std::vector<std::string>& words, std::function<void(size_t)> chosen,
                  const char* help);
};

class CommandLine;

class Command : public Arguments {
public:
    Command(CLI::App* app, CommandLine& program) : Arguments(app), program_(program) {}
    // All arguments that are no options of the command, joined by blanks, so that quoting makes no difference. Those
    // that begin with -- must be among `words`.
    Option rest(const char* name, std::string& value, const char* help, std::vector<std::string_view> words);
    void when_given(std::function<void()> call); // after everything was parsed

private:
    CommandLine& program_;
};

class CommandLine : public Arguments {
public:
    CommandLine(const char* description, const char* name);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    Command command(const char* name, const char* description); // of commands exactly one must be given
    void version(const std::string& text);                      // what --version prints
    // What may have been meant by a word that is no command and like none: "" or "run eltwise".
    void meant_by_others(std::function<std::string(const std::string&)> meant) { meant_ = std::move(meant); }
    // The exit code if the arguments end the program: 0 after help, 2 after wrong usage; both were printed.
    std::optional<int> parse(int argc, char** argv);

private:
    friend class Command;
    std::map<const CLI::App*, std::vector<std::string_view>> rests_; // words of the commands with a rest
    std::function<std::string(const std::string&)> meant_;
};

} // namespace tessera
