#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a SYCL run time from PyPI: headers and libsycl.so of intel-sycl-rt, and the OpenCL run time for CPUs that it
# runs on here. Builds with DNNL_WITH_SYCL=ON need it, or another SYCL with the same headers; no others do.
#
#   tools/sycl/install.sh [DIR]          DIR defaults to build/sycl-rt; afterwards DIR/venv has include/ and lib/
#
# Programs of such a build find CPU devices with OCL_ICD_FILENAMES=DIR/venv/lib/libintelocl.so. Running it again costs
# nothing.
set -euo pipefail

fail() { echo "sycl: $*" >&2; exit 1; }

dir=${1:-build/sycl-rt}
packages=(intel-sycl-rt==2026.2.0 intel-opencl-rt==2026.2.0)
mkdir -p "$dir" || fail "cannot create '$dir'; name a writable folder as first argument"
python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python'; install Python 3 with venv or set PYTHON"

venv=$dir/venv stamp=$dir/venv/installed
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "${packages[*]}" ]; then
    "$python" -m venv --clear "$venv" || fail "'$python -m venv $venv' failed; is python3-venv installed?"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 20 "${packages[@]}" \
        || fail "pip could not install '${packages[*]}'; is PyPI (or the mirror in pip.conf) reachable?"
    echo "${packages[*]}" > "$stamp"
fi
[ -f "$venv/include/sycl/sycl.hpp" ] && [ -e "$venv/lib/libsycl.so" ] && [ -e "$venv/lib/libintelocl.so" ] \
    || fail "no sycl/sycl.hpp, libsycl.so or libintelocl.so under $venv; delete that folder and run again"
echo "sycl: ready: $venv"
