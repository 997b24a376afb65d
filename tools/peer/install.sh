#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the rivals' binaries from PyPI, to be used as oracle and yardstick only:
# nothing here is needed to build, run or test the library.
#
#   tools/peer/install.sh [DIR]          DIR defaults to build/peer
#
# Afterwards any program linked against libdnnl.so.3 runs on a rival with
#   DIR/run-3.13 PROGRAM ARGS...         onednn 2026.1.0, v3.13.2 (SYCL CPU run time: milliseconds a call)
#   DIR/run-3.2  PROGRAM ARGS...         onednn-cpu-gomp 2023.2.0, v3.2 (OpenMP: fair for overheads)
# and `. DIR/env-3.13.sh` sets the same environment in a shell. Two libraries of BLAS are yardsticks of products in f32;
# a file says where each lies, for `dot --blas "$(cat DIR/mkl.lib)"`:
#   DIR/mkl.lib       mkl 2026.2.0 (1 GB)
#   DIR/openblas.lib  OpenBLAS with 64-bit integers, as it comes inside numpy 2.4.6
# Running it again costs nothing.
set -euo pipefail

fail() { echo "peer: $*" >&2; exit 1; }

dir=${1:-build/peer}
mkdir -p "$dir" || fail "cannot create '$dir'; name a writable folder as first argument"
dir=$(cd "$dir" && pwd)
python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python'; install Python 3 with venv or set PYTHON"

# install NAME PACKAGE...: one virtual environment each, since two of them ship libdnnl.so.3.
install() {
    local name=$1; shift
    local venv=$dir/venv-$name stamp=$dir/venv-$name/installed
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$*" ]; then return; fi
    "$python" -m venv --clear "$venv" || fail "'$python -m venv $venv' failed; is python3-venv installed?"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" \
        || fail "pip could not install '$*'; is PyPI (or the mirror in pip.conf) reachable?"
    echo "$*" > "$stamp"
}

# locate VENV PATTERN: the library inside the environment.
locate() {
    local found
    found=$(find "$1" -name "$2" -print -quit)
    [ -n "$found" ] || fail "no $2 under $1; delete that folder and run again"
    echo "$found"
}

# write VERSION EXPORTS: env-VERSION.sh and the wrapper run-VERSION.
write() {
    printf '%s\n' "$2" > "$dir/env-$1.sh"
    printf '#!/bin/sh\n. "%s/env-%s.sh"\nexec "$@"\n' "$dir" "$1" > "$dir/run-$1"
    chmod +x "$dir/run-$1"
}

# check VERSION: a wrapper that loads another library than it says would make every comparison void.
check() {
    "$dir/run-$1" "$python" - "$2" <<'PYTHON' || fail "run-$1 does not load v$2; delete $dir and run again"
import ctypes, sys
lib = ctypes.CDLL("libdnnl.so.3")
lib.dnnl_version.restype = ctypes.POINTER(ctypes.c_int * 3)
found = ".".join(str(n) for n in lib.dnnl_version().contents)
if found != sys.argv[1]:
    sys.exit(f"peer: loaded v{found}, expected v{sys.argv[1]}")
PYTHON
}

# write_blas NAME PATTERN SYMBOL: NAME.lib, of a library whose SYMBOL multiplies 1x1 by 1x1.
write_blas() {
    local lib
    lib=$(locate "$dir/venv-$1" "$2")
    "$python" - "$lib" "$3" <<'PYTHON' || fail "$lib has no $3 that multiplies; delete $dir and run again"
import ctypes, os, sys
os.environ["MKL_THREADING_LAYER"] = "GNU"  # as bench/dot has it
sgemm = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])
sgemm.restype, size, scalar = None, ctypes.c_int64, ctypes.c_float
a, b, c, one = scalar(2), scalar(3), scalar(0), size(1)
row_major, plain = 101, 111
sgemm(row_major, plain, plain, one, one, one, scalar(1), ctypes.byref(a), one, ctypes.byref(b), one, scalar(0),
      ctypes.byref(c), one)
if c.value != 6:
    sys.exit(f"peer: 2 x 3 = {c.value}")
PYTHON
    echo "$lib" > "$dir/$1.lib"
}

install 3.13 onednn==2026.1.0 onednn-devel==2026.1.0
lib=$(locate "$dir/venv-3.13" libdnnl.so.3)
ocl=$(locate "$dir/venv-3.13" libintelocl.so)
write 3.13 "export LD_LIBRARY_PATH=\"${lib%/*}\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\"
export OCL_ICD_FILENAMES=\"$ocl\""
check 3.13 3.13.2

install 3.2 onednn-cpu-gomp==2023.2.0
lib=$(locate "$dir/venv-3.2" libdnnl.so.3)
write 3.2 "export LD_LIBRARY_PATH=\"${lib%/*}\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\""
check 3.2 3.2.0

install mkl mkl==2026.2.0
write_blas mkl 'libmkl_rt.so.*' cblas_sgemm_64

install openblas numpy==2.4.6
write_blas openblas 'libscipy_openblas64_*.so' scipy_cblas_sgemm64_

echo "peer: ready: $dir/run-3.13 and run-3.2, mkl.lib and openblas.lib"
