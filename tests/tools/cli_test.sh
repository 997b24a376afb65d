#!/usr/bin/env bash
# The program as its users meet it: files in and out, exit codes, messages, nothing half written.
#   cli_test.sh PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
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
absent() { if [ -e "$1" ]; then echo "FAILED: $1 should not exist" && failures=$((failures + 1)); fi; }
same() { cmp -s "$1" "$2" || { echo "FAILED: $1 and $2 differ"; failures=$((failures + 1)); }; }

# Help, version, usage.
expect 0 "tessera 3." --version
for command in reorder shuffle layout explain run bench doctor; do expect 0 "Usage:" $command --help; done
expect 2 "" frobnicate
expect 2 ""
expect 2 "" reorder only_one.npy
expect 2 "" run "reorder 2x3" --no-such-option

# A photograph of 6x4 points there and back, through every kind of file.
{ printf 'P6\n# a comment\n6 4\n255\n'; for i in $(seq 72); do printf "\\$(printf %03o $((i * 3)))"; done; } >photo.ppm
expect 0 "passed" reorder photo.ppm nhwc.npy --no-time
expect 0 "passed" reorder nhwc.npy f32.npy --from nhwc --to nchw --type f32 --scale 1/255 --no-time
expect 0 "padded to 1x16x4x6" reorder nhwc.npy blocked.npy --from nhwc --to nChw16c --type bf16 --no-time
[ -e blocked.npy.layout.json ] || { echo "FAILED: no sidecar of a blocked file"; failures=$((failures + 1)); }
expect 0 "passed" reorder f32.npy back1.npy --from nchw --to nhwc --type u8 --dst-scale 1/255 --no-time
expect 0 "passed" reorder blocked.npy back2.npy --to nhwc --type u8 --no-time
same nhwc.npy back1.npy
same nhwc.npy back2.npy
expect 0 "passed" reorder back2.npy back.ppm --from nhwc --no-time
cmp -s <(tail -c 72 photo.ppm) <(tail -c 72 back.ppm) || { echo "FAILED: the photograph changed"; failures=$((failures + 1)); }
expect 0 "4x3x2x3" reorder photo.ppm tiles.npy --tile 2x3 --no-time
expect 0 "passed" shuffle tiles.npy shuffled.npy --layout nhwc --axis 0 --groups 2 --no-time
expect 0 "passed" shuffle shuffled.npy restored.npy --layout nhwc --axis 0 --groups 2 --backward --no-time
same tiles.npy restored.npy

# Malformed and missing files, contradictions: a message, exit code 1, no output file.
expect 1 "missing.npy" reorder missing.npy out.npy --to nhwc
printf 'not numpy' >bad.npy
expect 1 "bad.npy" reorder bad.npy out.npy
head -c 60 nhwc.npy >short.npy
expect 1 "short.npy" reorder short.npy out.npy
printf 'P6\n6000 4000\n255\nxx' >bad.ppm
expect 1 "72000000 bytes" reorder bad.ppm out.npy
printf 'RIFFxxxxWAVEdata\377\377\377\177' >bad.wav
expect 1 "bad.wav" reorder bad.wav out.npy
expect 1 "--from" reorder nhwc.npy out.npy --from nhc
expect 1 "sidecar" reorder blocked.npy out.npy --from nhwc
expect 1 "zero points" reorder f32.npy out.npy --from nchw --type s8 --zero-point 3
expect 1 "does not divide" shuffle nhwc.npy out.npy --layout nhwc --axis 1 --groups 2
expect 1 "scale 'x'" reorder nhwc.npy out.npy --from nhwc --scale x
expect 1 "" reorder nhwc.npy no/such/folder/out.npy --from nhwc
absent out.npy
absent out.npy.layout.json

# Problems.
expect 0 "1 passed, 0 failed, 0 skipped" run "reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5"
expect 0 "refused: " run "reorder --stag=any --expect=invalid_arguments 2x3"
expect 1 "failed: refused with invalid_arguments" run "reorder --stag=any 2x3"
expect 1 "should have been refused" run "reorder --expect=unimplemented 2x3"
expect 1 "instead of unimplemented" run "reorder --stag=any --expect=unimplemented 2x3"
expect 1 "malformed line" run "reorder --sdt=f33 2x3"
expect 1 "no/such/file" run -f no/such/file
expect 0 "skipped" run "reorder 100000x100000"
expect 0 "plan" explain "reorder --stag=ab --dtag=ba 16x16"
expect 1 "refused with invalid_arguments" explain "reorder --stag=any 2x3"
expect 0 "memcpy=1" bench "reorder --stag=ab --dtag=ba 16x16"
expect 0 "one cache line" layout aBcd16b 2x17x2x2
expect 0 "picture.svg" layout ABcd4b16a4b 32x32x1x1 -o picture.svg
expect 1 "" layout nonsense 2x3
[ "$("$program" layout ab 2x3 --color always | grep -c $'\033')" -gt 0 ] || { echo "FAILED: no colours"; failures=$((failures + 1)); }
[ "$("$program" layout ab 2x3 | grep -c $'\033')" -eq 0 ] || { echo "FAILED: colours in a pipe"; failures=$((failures + 1)); }

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
