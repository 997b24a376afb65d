#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/deps.sh by stand-ins of dpkg, apt and sudo: who installs what, and what is only named.
#
#   tests/tools/deps_test.sh SCRIPT
set -uo pipefail
script=$(readlink -f "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bin=$folder/bin
mkdir "$bin"
put() { printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }
put dpkg-query '[ "${*: -1}" = there ] && echo -n installed'
put apt-get 'echo "apt-get $*" >>"$LOG"'
put apt-cache '[ "$2" = nowhere ] && echo "  Candidate: (none)" || echo "  Candidate: 1.0"; sleep 0.2; echo "  Version table:"'
put sudo 'echo sudo >>"$LOG"; exec "$@"'
put id 'echo "$AS"'
export LOG=$folder/log
failures=0

# expect USER ANSWER 'TEXT of the output' 'CALLS' PACKAGE...
expect() {
    local user=$1 answer=$2 text=$3 calls=$4 output got
    shift 4
    : >"$LOG"
    output=$(AS=$user INSTALL=$answer PATH=$bin:$PATH "$script" "$@" 2>&1 </dev/null) || { echo "FAILED: $* ends with $?"; failures=1; }
    got=$(tr '\n' ';' <"$LOG")
    if [[ $output != *"$text"* ]] || [ "$got" != "$calls" ]; then
        echo "FAILED: user $user, answer '$answer', $*: '$text' and '$calls' wanted, got: $output | $got"
        failures=1
    fi
}
update="apt-get update -qq;" install="apt-get install -y -qq --no-install-recommends"
expect 0 "" "" "" there
expect 0 "" "installing lacking" "$update$install lacking;" there lacking
expect 0 "" "this release has no nowhere" "$update" nowhere
expect 0 "" "this release has no nowhere" "$update$install lacking;" nowhere lacking
expect 1000 "" "as root: apt-get install lacking other" "" lacking there other
expect 1000 no "missing, and not installed: lacking" "" lacking
expect 1000 yes "installing lacking" "sudo;${update}sudo;$install lacking;" lacking
exit $failures
