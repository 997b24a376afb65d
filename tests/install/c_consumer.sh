#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs c_consumer.c against an installed tree, by pkg-config alone.
#
#   tests/install/c_consumer.sh PREFIX CC FOLDER_FOR_THE_PROGRAM [NAME]    ($CFLAGS: more options)
set -euo pipefail
source=$(dirname "$0")/c_consumer.c
name=${4:-dnnl}
pc=$(find "$1" -name "$name.pc")
export PKG_CONFIG_PATH=${pc%/*}
mkdir -p "$3"
# shellcheck disable=SC2046
"$2" -std=c11 -Wall -Wextra -Werror ${CFLAGS:-} "$source" -o "$3/c_consumer" $(pkg-config --cflags --libs "$name")
LD_LIBRARY_PATH=$(pkg-config --variable=libdir "$name") "$3/c_consumer"
