// SPDX-License-Identifier: Apache-2.0
// The run time that a test program is linked with; compiled once for each, so that the tests themselves are compiled
// once for all.
#pragma once

namespace tessera::test {

unsigned built_for();          // DNNL_CPU_RUNTIME of the generated header: one of DNNL_RUNTIME_*
void set_threads(int threads); // of the calling thread's calls from now on, where the run time has such a setting
bool threads_can_be_set();     // whether it has
void make_team(int threads);   // set, and have the run time make them now

} // namespace tessera::test
