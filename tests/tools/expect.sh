# SPDX-License-Identifier: Apache-2.0
# For tests of the command line, which set $program and end with $failures.
# shellcheck shell=bash
failures=0

# expect CODE TEXT ARGUMENTS...: the exit code, and TEXT somewhere in both outputs
expect() {
    local code=$1 text=$2 output got
    shift 2
    output=$("$program" "$@" 2>&1)
    got=$?
    if [ $got -ne "$code" ] || [[ $output != *"$text"* ]]; then
        echo "FAILED: tessera $*: exit code $got, expected $code, and '$text' in:"
        echo "$output"
        failures=$((failures + 1))
    fi
}
