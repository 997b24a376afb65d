// The CPU engine: compiles plans for the machine it runs on.
#pragma once

#include <memory>

#include "core/engine.hpp"

namespace tessera::cpu {

const Machine& this_machine();         // read once from CPUID and the operating system
std::shared_ptr<Engine> make_engine(); // all CPU engines are interchangeable

} // namespace tessera::cpu
