// SPDX-License-Identifier: Apache-2.0
// differential_worker: runs problems on whatever libdnnl.so.3 the loader finds. One line in, one line out:
//   PROBLEM      the answer of execute.hpp          ! PROBLEM    the same with the bytes of dst
//   tags         the names of all format tags       version      version, and the path of the loaded library
// Example: echo 'reorder --sdt=f32 --ddt=s8 --stag=ab --dtag=ba 2x3' | build/peer/run-3.13 differential_worker
// It uses v3 calls that all libraries of this ABI export, so the same binary asks ours and the rival's.
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

#include "execute.hpp"
#include "layout.hpp"

using namespace differential;

namespace {

std::string version() {
    const dnnl_version_t* v = dnnl_version();
    Dl_info where{};
    dladdr(reinterpret_cast<const void*>(dnnl_version), &where);
    // In a program that is not position independent the address may be a stub here: ask for the definition.
    if (void* definition = dlsym(RTLD_DEFAULT, "dnnl_version")) dladdr(definition, &where);
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) + " " +
           (where.dli_fname ? where.dli_fname : "unknown");
}

std::string answer(const std::string& line) {
    if (line == "version") return version();
    if (line == "tags") {
        std::string all;
        for (const auto& name : tag_names()) all += name + " ";
        return all;
    }
    const bool with_bytes = line[0] == '!';
    std::string complaint;
    const auto problem = parse(with_bytes ? line.substr(1) : line, complaint);
    return problem ? execute(*problem, with_bytes) : "parse: " + complaint;
}

} // namespace

int main() {
    // The library logs to stdout: keep the answers on a descriptor of their own.
    const int out = dup(STDOUT_FILENO);
    if (!std::getenv("DNNL_VERBOSE") && !std::getenv("ONEDNN_VERBOSE")) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        close(null);
    } else {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    for (std::string line; std::getline(std::cin, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::string text = answer(line) + "\n";
        for (size_t done = 0; done < text.size();) {
            const ssize_t n = write(out, text.data() + done, text.size() - done);
            if (n <= 0) return 1;
            done += size_t(n);
        }
    }
}
