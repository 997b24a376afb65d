// tessera: the library from the command line. Exit codes: 0 done, 1 failed, 2 wrong usage.
#include <exception>

#include "commands/commands.hpp"
#include "oneapi/dnnl/dnnl_version.h"

int main(int argc, char** argv) {
    using namespace tessera;
    CLI::App app{"Moves tensors between layouts and data types, and shows how.", "tessera"};
    app.set_version_flag("--version",
                         fmt::format("tessera {}.{}.{}", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH));
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer("Examples:\n"
               "  tessera reorder photo.ppm out.npy --to nChw16c --type f32 --scale 0.00392157\n"
               "  tessera shuffle in.npy out.npy --axis 1 --groups 4\n"
               "  tessera layout aBcd16b 2x17x2x2\n"
               "  tessera run \"reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5\"\n"
               "  tessera doctor\n"
               "`tessera COMMAND --help` explains a command. Exit codes: 0 done, 1 failed, 2 wrong usage.");
    commands::Action action;
    commands::add_reorder(app, action);
    commands::add_shuffle(app, action);
    commands::add_layout(app, action);
    commands::add_explain(app, action);
    commands::add_run(app, action);
    commands::add_bench(app, action);
    commands::add_doctor(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
    try {
        const Result<int> done = action();
        if (done) return *done;
        fmt::print(stderr, "tessera: {}\n", done.error().reason);
    } catch (const std::exception& e) { fmt::print(stderr, "tessera: {}\n", e.what()); }
    return 1;
}
