// SPDX-License-Identifier: Apache-2.0
// tessera: the library from the command line. Exit codes: 0 done, 1 failed, 2 wrong usage.
#include <cerrno>
#include <cstring>
#include <exception>

#include "commands/commands.hpp"
#include "core/shown.hpp"
#include "files/unfinished_files.hpp"
#include "line/problem_line_words.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "oneapi/dnnl/dnnl_version.h"

// If stdout could not be written (a full disk), the command has failed.
static int printed(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "tessera: the standard output cannot be written: {}\n", std::strerror(errno));
    return 1;
}

int main(int argc, char** argv) {
    using namespace tessera;
    remove_unfinished_on_signals();
    CommandLine program("Moves tensors between layouts and data types, and shows how.", "tessera");
    program.version(fmt::format("tessera {}, interface of oneDNN {}.{}.{}", dnnl_tessera_version(), DNNL_VERSION_MAJOR,
                                DNNL_VERSION_MINOR, DNNL_VERSION_PATCH));
    program.footer("Examples:\n"
                   "  tessera reorder photo.ppm out.npy --to nChw16c --type f32 --scale 0.00392157\n"
                   "  tessera shuffle in.npy out.npy --axis 1 --groups 4\n"
                   "  tessera layout aBcd16b 2x17x2x2\n"
                   "  tessera run \"reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5\"\n"
                   "  tessera doctor\n"
                   "`tessera help COMMAND` explains a command, and so does `tessera COMMAND --help`. Exit codes: 0 "
                   "done, 1 failed, 2 wrong usage.");
    program.meant_by_others([](const std::string& word) {
        const std::string primitive = words::primitive_like(word);
        return primitive.empty() ? "" : "run " + primitive;
    });
    commands::Action action;
#define COMMAND(name) commands::add_##name(program, action);
#include "commands/commands.def"
#undef COMMAND
    if (const auto code = program.parse(argc, argv)) return printed(*code);
    try {
        const Result<int> done = action();
        if (done) return printed(*done);
        fmt::print(stderr, "tessera: {}\n", shown(done.error().reason, 4096));
    } catch (const std::exception& e) { fmt::print(stderr, "tessera: {}\n", shown(e.what(), 4096)); }
    return 1;
}
