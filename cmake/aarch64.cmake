# SPDX-License-Identifier: Apache-2.0
# AArch64 from Debian's cross compiler; qemu-aarch64 runs what it makes, with the libraries that came with it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# fmt, tl::expected and CLI11 are headers, the same for every processor: those of the machine that builds, whose packages
# may lie in its own folder of libraries.
file(GLOB CMAKE_PREFIX_PATH /usr/lib/*-linux-gnu/cmake)
