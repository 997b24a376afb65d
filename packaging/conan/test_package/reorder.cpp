// SPDX-License-Identifier: Apache-2.0
// Moves a matrix from rows to columns; ends with 1 if an element is wrong.
#include <iostream>

#include "oneapi/dnnl/dnnl.hpp"

int main() {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    float rows[6] = {0, 1, 2, 3, 4, 5}, columns[6] = {};
    const memory from({{2, 3}, memory::data_type::f32, memory::format_tag::ab}, cpu, rows);
    const memory to({{2, 3}, memory::data_type::f32, memory::format_tag::ba}, cpu, columns);
    reorder(from, to).execute(s, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    s.wait();
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            if (columns[j * 2 + i] != rows[i * 3 + j]) return 1;
    const dnnl_version_t* v = dnnl_version();
    std::cout << "moved by the interface " << v->major << "." << v->minor << "." << v->patch << "\n";
}
