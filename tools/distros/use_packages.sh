#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs in a new folder of a suite, with the packages in /packages: installs them, builds a C program by pkg-config and a C++
# program by CMake against them, runs both and the program tessera, and removes the packages without a trace.
set -euo pipefail
cd /packages
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./*.deb
tessera --version
tessera reorder --help >/dev/null
tessera run "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5"

apt-get install -y -qq --no-install-recommends gcc g++ cmake make pkgconf
# shellcheck disable=SC2046 # flags are words
gcc c_consumer.c $(pkg-config --cflags --libs dnnl) -o c_consumer
./c_consumer
cmake -S cpp_consumer -B cpp_build -DLIBRARY=dnnl -DWANTED="OMP;SHARED"
cmake --build cpp_build
cpp_build/cpp_consumer
echo "note: $(stat -L -c %s /usr/lib/*/libdnnl.so.3) bytes of libdnnl.so.3"

dpkg --remove libtessera-dev tessera-tools libtessera
dpkg --purge libtessera-dev tessera-tools libtessera
left=$(find /usr \( -name '*dnnl*' -o -name '*tessera*' \))
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
