#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Statics of functions that are filled in at run time have locks that fork() does not find (src/core/at_fork.hpp).
#   guards.sh libtessera.a
symbols=$(nm -C "$1") || exit 1
case $symbols in *dnnl_version*) ;; *) echo "guards: $1 has no dnnl_version: is it the library?" >&2; exit 1 ;; esac
# Those of PerOperand are of a member, made while the library is loaded.
found=$(printf '%s\n' "$symbols" | grep -o 'guard variable for \(tessera::\|dnnl\).*' | grep -v 'tessera::PerOperand<' | sort -u)
[ -z "$found" ] || { printf 'guards: %s\n' "$found: use core/made_once.hpp, a constant or an atomic" >&2; exit 1; }
