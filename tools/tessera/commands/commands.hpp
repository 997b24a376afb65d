// SPDX-License-Identifier: Apache-2.0
// The commands of the command line: each add_ function describes one with its help text.
//
// A command that fails returns a refusal, which main() prints to stderr with exit code 1. Wrong usage, which the
// arguments alone show, is exit code 2. Results go to stdout.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "core/shown.hpp"
#include "core/status.hpp"
#include "terminal.hpp"

namespace tessera::commands {

// The work of a command, which main() runs after parsing; the int is the exit code of a completed run.
using Action = std::function<Result<int>()>;

// For wrong usage found after parsing: prints it and returns the exit code.
inline int wrong_usage(const std::string& reason) {
    fmt::print(stderr, "tessera: {}\n", shown(reason, 4096));
    return 2;
}

#define COMMAND(name) void add_##name(CommandLine& program, Action& action);
#include "commands/commands.def"
#undef COMMAND

// --color auto|always|never of commands that use colours.
inline void add_color(Arguments& command, ColorChoice& choice) {
    static const Arguments::Choices<ColorChoice> choices = {
        {"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}};
    command.choice("--color", choice, choices, "Colours: auto (on a terminal, unless NO_COLOR is set), always or never")
        .type_name("WHEN");
}

} // namespace tessera::commands
