// SPDX-License-Identifier: Apache-2.0
// Whether a thread's jobs follow each other so closely that the team of threads is awake, or worth waking: then jobs
// are shared that take less time than waking takes.
#pragma once

namespace tessera::cpu {

// Notes a job of the calling thread, and whether its last one began less than 200 us ago and no other thread's since.
// Callers side by side have work enough for the processors.
bool in_quick_succession();

} // namespace tessera::cpu
