#!/usr/bin/env bash
# Installs the rival's binaries from PyPI, to be used as oracle and yardstick only:
# nothing here is needed to build, run or test the library.
#
#   tools/peer/install.sh [DIR]          DIR defaults to build/peer
#
# Afterwards any program linked against libdnnl.so.3 runs on a rival with
#   DIR/run-3.13 PROGRAM ARGS...         onednn 2026.1.0, v3.13.2 (SYCL CPU run time: milliseconds a call)
#   DIR/run-3.2  PROGRAM ARGS...         onednn-cpu-gomp 2023.2.0, v3.2 (OpenMP: fair for overheads)
# and `. DIR/env-3.13.sh` sets the same environment in a shell. Running it again costs nothing.
set -euo pipefail

fail() { echo "peer: $*" >&2; exit 1; }

dir=${1:-build/peer}
mkdir -p "$dir" || fail "cannot create '$dir'; name a writable folder as first argument"
dir=$(cd "$dir" && pwd)
python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python'; install Python 3 with venv or set PYTHON"

# install VERSION PACKAGE...: one virtual environment per version, since both ship libdnnl.so.3.
install() {
    local version=$1; shift
    local venv=$dir/venv-$version stamp=$dir/venv-$version/installed
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$*" ]; then return; fi
    "$python" -m venv --clear "$venv" || fail "'$python -m venv $venv' failed; is python3-venv installed?"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" \
        || fail "pip could not install '$*'; is PyPI (or the mirror in pip.conf) reachable?"
    echo "$*" > "$stamp"
}

# locate VENV PATTERN: the folder inside the environment that holds the library.
locate() {
    local found
    found=$(find "$1" -name "$2" -print -quit)
    [ -n "$found" ] || fail "no $2 under $1; delete that folder and run again"
    dirname "$found"
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

install 3.13 onednn==2026.1.0 onednn-devel==2026.1.0
lib=$(locate "$dir/venv-3.13" libdnnl.so.3)
ocl=$(locate "$dir/venv-3.13" libintelocl.so)
write 3.13 "export LD_LIBRARY_PATH=\"$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\"
export OCL_ICD_FILENAMES=\"$ocl/libintelocl.so\""
check 3.13 3.13.2

install 3.2 onednn-cpu-gomp==2023.2.0
lib=$(locate "$dir/venv-3.2" libdnnl.so.3)
write 3.2 "export LD_LIBRARY_PATH=\"$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\""
check 3.2 3.2.0

echo "peer: ready: $dir/run-3.13 and $dir/run-3.2"
