#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs programs that use oneDNN, to be run on this library instead: nothing here is needed to build, run or test it.
#
#   tools/clients/install.sh [DIR]       DIR defaults to build/clients
#
# Afterwards
#   DIR/torch/python PROGRAM             runs Python with PyTorch 2.6 and torchvision of Debian 13, unpacked, with Debian
#                                        13's own C library; LIBDNNL=FOLDER has the libdnnl.so.3.6 in FOLDER loaded
#   DIR/paddle/python PROGRAM            runs Python with PaddlePaddle 3.3.1 of PyPI; LIBDNNL=FOLDER puts the
#                                        libdnnl.so.3 in FOLDER before the one that comes with it
# One that cannot be had is skipped, with a line that says why. Running it again costs nothing.
set -uo pipefail

dir=${1:-build/clients}
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || { echo "clients: cannot create '$dir'; name a writable folder" >&2; exit 1; }

skip() { echo "clients: skipped: $*" >&2; return 1; }

# Unpacks the packages and all they depend on, without their scripts: no root, nothing outside of the folder.
install_torch() {
    local to=$dir/torch root=$dir/torch/debian packages=(python3 python3-torch python3-torchvision libopenblas0-pthread)
    [ -x "$to/python" ] && return
    [ "$(uname -m)" = x86_64 ] || { skip "PyTorch: the script knows Debian's packages for x86-64"; return; }
    command -v apt-get dpkg-deb >/dev/null || { skip "PyTorch: no apt-get and dpkg-deb here"; return; }
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f $keys ] || { skip "PyTorch: no $keys (package debian-archive-keyring)"; return; }
    mkdir -p "$to"/apt/{state/lists/partial,cache/archives/partial} "$root"
    echo "deb [signed-by=$keys] ${DEBIAN_MIRROR:-http://deb.debian.org/debian} trixie main" > "$to/apt/sources.list"
    : > "$to/apt/status" # no package is there: apt-get names them all
    local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$to/apt/sources.list" -o Dir::Etc::sourceparts=- \
               -o "Dir::State=$to/apt/state" -o "Dir::State::status=$to/apt/status" -o "Dir::Cache=$to/apt/cache" \
               -o APT::Install-Recommends=0 -o Debug::NoLocking=1 -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=2)
    "${apt[@]}" update && "${apt[@]}" install --yes --download-only "${packages[@]}" </dev/null >/dev/null \
        || { skip "PyTorch: the packages of Debian 13 cannot be had (DEBIAN_MIRROR names another mirror)"; return; }
    local deb
    for deb in "$to"/apt/cache/archives/*.deb; do
        dpkg-deb --extract "$deb" "$root" || { skip "PyTorch: $deb cannot be unpacked"; return; }
    done
    rm -rf "$to/apt/cache"
    # Its libraries need its C library, and that its loader. What links in /etc/alternatives would name is in the path.
    cat > "$to/python" <<'PYTHON'
#!/bin/sh
files=$(cd "$(dirname "$0")/debian" && pwd) libs=$(cd "$(dirname "$0")/debian/usr/lib/x86_64-linux-gnu" && pwd)
export PYTHONHOME="$files/usr" PYTHONPATH="$files/usr/lib/python3/dist-packages" UCX_LOG_LEVEL=fatal
exec "$libs/ld-linux-x86-64.so.2" \
    --library-path "${LIBDNNL:+$LIBDNNL:}$libs:$libs/openblas-pthread:$libs/lapack:$files/usr/lib" "$files/usr/bin/python3" "$@"
PYTHON
    chmod +x "$to/python"
}

install_paddle() {
    local to=$dir/paddle package=paddlepaddle==3.3.1 python=${PYTHON:-python3}
    [ -x "$to/python" ] && return
    command -v "$python" >/dev/null || { skip "PaddlePaddle: no '$python'; set PYTHON"; return; }
    "$python" -m venv --clear "$to/venv" || { skip "PaddlePaddle: '$python -m venv' failed; is python3-venv there?"; return; }
    "$to/venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 60 $package \
        || { skip "PaddlePaddle: pip could not install $package; is PyPI (or the mirror in pip.conf) reachable?"; return; }
    cat > "$to/python" <<'PYTHON'
#!/bin/sh
[ -z "${LIBDNNL:-}" ] || export LD_PRELOAD="$LIBDNNL/libdnnl.so.3"
exec "$(dirname "$0")/venv/bin/python" "$@"
PYTHON
    chmod +x "$to/python"
}

install_torch && echo "clients: ready: $dir/torch/python"
install_paddle && echo "clients: ready: $dir/paddle/python"
exit 0
