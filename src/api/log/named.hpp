// SPDX-License-Identifier: Apache-2.0
// Numbers of the C API as messages speak of them: the enumerator's word, or the number where none has it.
//
//   named(dnnl_engine_kind2str(dnnl_gpu), dnnl_gpu)  "gpu"      named_query(255)  "exec_arg_md"      named_query(99)
//   "99"
#pragma once

#include <string>

namespace tessera {

std::string named(const char* word, int number); // `word`: what dnnl_debug.h makes of the number
std::string named_query(int what);               // of dnnl_query_t

} // namespace tessera
