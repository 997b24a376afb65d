// SPDX-License-Identifier: Apache-2.0
// Which primitives take the time, measured from inside a program: verbose lines, switched on for a part of it.
//
// dnnl_set_verbose(1) makes the library write a line to stdout for each execution. This program sends its stdout to a
// file meanwhile, then reads the lines: field 6 is the primitive, field 7 the implementation, the last one the time in
// milliseconds. It prints one of the lines, and for each primitive how often it ran and its share of the time.

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;

// [capture]
// What is written to stdout while `work` runs.
template <typename Work> std::string lines_of(Work work) {
    std::FILE* file = std::tmpfile();
    if (!file) return "";
    std::fflush(stdout);
    const int terminal = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    dnnl_set_verbose(1);
    work();
    dnnl_set_verbose(0);
    std::fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);

    std::string text(size_t(std::ftell(file)), ' ');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}
// [/capture]

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc md({256, 256}, memory::data_type::f32, memory::format_tag::ab);
    const memory a(md, cpu), b(md, cpu), c(md, cpu);
    for (const memory& m : {a, b})
        for (int i = 0; i < 256 * 256; ++i) static_cast<float*>(m.get_data_handle())[i] = float(i % 11);
    const dnnl::matmul product({cpu, md, md, md});
    const dnnl::softmax_forward softmax(
        {cpu, dnnl::prop_kind::forward_inference, dnnl::algorithm::softmax_accurate, md, md, 1});

    const std::string text = lines_of([&] {
        for (int i = 0; i < 5; ++i)
            product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
        for (int i = 0; i < 3; ++i) softmax.execute(stream, {{DNNL_ARG_SRC, c}, {DNNL_ARG_DST, c}});
        stream.wait();
    });

    // [read]
    struct Row {
        int count = 0;
        double ms = 0;
    };
    std::map<std::string, Row> rows;
    double all = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> fields;
        std::istringstream of_line(line);
        for (std::string field; std::getline(of_line, field, ',');) fields.push_back(field);
        if (fields.size() < 7 || fields[2] != "primitive" || fields[3] != "exec") continue; // others: info, create, ...
        Row& row = rows[fields[5]];
        if (row.count++ == 0) std::printf("%s\n", line.c_str());
        row.ms += std::stod(fields.back());
        all += std::stod(fields.back());
    }
    for (const auto& [name, row] : rows)
        std::printf("%-8s %d times, %.3f ms, %.0f %%\n", name.c_str(), row.count, row.ms, 100 * row.ms / all);
    // [/read]
    const bool good = rows.size() == 2 && rows["matmul"].count == 5 && rows["softmax"].count == 3;
    if (!good) std::printf("NOT THE LINES THAT WERE EXPECTED\n%s", text.c_str());
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
