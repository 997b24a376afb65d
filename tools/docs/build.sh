#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the site into build/docs/html: `make docs`. Needs the Debian packages DOCS_PACKAGES of the Makefile.
#
#   tools/docs/build.sh [BUILD]     BUILD is where the library and the program were built: build, unless given
#
# build/docs/source is a copy of doc/ together with the generated pages; examples/ lies beside it, so that the paths of
# `literalinclude` are the same in both. Warnings of Doxygen and Sphinx are errors, and so are broken links.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/docs

rm -rf "$out/source" "$out/doxygen" "$out/examples"
mkdir -p "$out"
cp -r doc "$out/source"
ln -s ../../examples "$out/examples"
{ cat tools/docs/Doxyfile; echo "OUTPUT_DIRECTORY = $out/doxygen"; } | doxygen -
tools/docs/api.py "$out/doxygen/xml" "$out/source/api"
tools/docs/primitives.py "$out/source/primitives"
tools/docs/examples.py "$out/source/examples"
tools/docs/errors.py "$out/source/topics/error_list.md"
tools/docs/pages.py "$out/source"
TESSERA_ROOT=$PWD TESSERA_XML=$PWD/$out/doxygen/xml \
    sphinx-build -W --keep-going -q -j auto -d "$out/doctrees" "$out/source" "$out/html"
tools/docs/links.py "$out/html"
echo "docs: $out/html/index.html"
