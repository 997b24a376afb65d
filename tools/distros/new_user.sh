#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs in a new folder of a suite, where /source holds the sources: what a new user does. As root the two commands of the
# first page, one after the other; as another user, who can install nothing, its lines for an installation and its program.
set -euo pipefail
apt-get update -qq
apt-get install -y -qq --no-install-recommends git make
cp -r /source ~/tessera && cd ~/tessera
git init -q && git add -A && git -c user.name=new -c user.email=new@user commit -qm sources
start=$SECONDS
make run
ran=$((SECONDS - start))
make test
echo "note: make run $ran s, make test $((SECONDS - start - ran)) s"

useradd -m other
cat >/tmp/other.sh <<'EOF'
set -euo pipefail
cp -r /source ~/tessera && cd ~/tessera
sed -n '/^```sh$/,/^```$/p' README.md | sed '/^```$/q' | grep -v '^```' >install.sh
sed -n '/^```cpp$/,/^```$/p' README.md | grep -v '^```' >~/first.cpp
. ./install.sh
cd ~
c++ first.cpp $(pkg-config --cflags --libs dnnl) -o first
[ "$(./first)" = "$(printf '4 0\n10 0')" ]
tessera run "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5"
EOF
chmod -R a+rX /source && su other -c "bash /tmp/other.sh"
