#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program as its users meet it: files in and out, exit codes, messages, nothing half written.
#   cli_test.sh PROGRAM
set -u
program=$1
. "$(dirname "$0")/expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
absent() { if [ -e "$1" ]; then echo "FAILED: $1 should not exist" && failures=$((failures + 1)); fi; }
same() { cmp -s "$1" "$2" || { echo "FAILED: $1 and $2 differ"; failures=$((failures + 1)); }; }

# Help, version, usage.
expect 0 "interface of oneDNN 3." --version
for command in reorder shuffle layout explain run bench doctor; do
    expect 0 "Usage: tessera $command" $command --help
    expect 0 "Usage: tessera $command" help $command
done
expect 0 "Subcommands:" help
expect 2 "'rnu' is no command; did you mean run" help rnu
TESSERA_MACHINE=l1_ways=0 expect 0 "TESSERA_MACHINE: l1_ways: '0' is no number from 1 to 64; all of it is ignored" \
    explain "reorder --stag=ab --dtag=ba 1024x64"
TESSERA_MACHINE=l1_ways=64 expect 0 "transpose 4B" explain "reorder --stag=ab --dtag=ba 1024x64"
expect 2 "'frobnicate' is no command; there are reorder shuffle" frobnicate
# Words of any length and any bytes: the message stays one that a terminal can show.
long=$(head -c 100000 /dev/zero | tr '\0' b)
for arguments in "$long" "run --$long" "run $long" "explain $long" "layout $long 2x3" "layout ab $long"; do
    answer=$("$program" $arguments 2>&1 >/dev/null)
    [ $? = 2 ] && [ ${#answer} -le 4200 ] || { echo "FAILED: ${#answer} letters for ${arguments:0:20}"; failures=$((failures + 1)); }
done
expect 2 "'m?[31m' is no command; there are reorder" $'m\e[31m'
expect 2 "unknown option '--?[2Jx'" run $'--\e[2Jx' "reorder 2x3"
expect 2 "'m?ul' is no primitive" run $'m\xfful 2x3:3x4'
expect 2 "'mätmul' is no primitive" run "mätmul 2x3:3x4"
expect 1 "13 dimensions; a tensor has at most 12" run "reorder 1x1x1x1x1x1x1x1x1x1x1x2x3"
expect 2 "did you mean reorder?" reodrer in.npy out.npy
expect 2 "did you mean --from?" reorder in.npy out.npy --form nhwc
expect 2 "did you mean --check?" shuffle in.npy out.npy --chek
expect 2 "did you mean --quiet?" run --quite "reorder 2x3"
expect 2 "did you mean --stag?" explain --matmul --stga=ab 2x3:3x4
expect 2 "did you mean --stag?" explain "reorder --stga=ab 2x3"
expect 2 "did you mean --bars?" bench "reorder 2x3" --bar always
expect 2 "'relu' is no command; did you mean run eltwise --alg=relu?" relu 2x3
expect 2 "did you mean run convolution?" conv 2x3
expect 2 "did you mean eltwise --alg=relu?" run relu 2x3
expect 2 "did you mean eltwise --alg=relu?" run eltwise_rleu 2x3
expect 2 "did you mean rnn --alg=lstm?" run lstm 2x3
expect 2 "did you mean inner_product?" run inner_prodct 2x3
expect 2 "'rely' is no function of eltwise; there are relu, tanh" run eltwise --alg=rely 2x3
expect 2 "did you mean relu?" run eltwise --alg=rely 2x3
expect 2 "did you mean add?" run binary --alg=addd 2x3:2x3
expect 2 "--alg is missing: the functions of softmax are accurate, log" run softmax --axis=1 2x3
expect 2 "'--sdt=s8' comes before the primitive; a line is PRIMITIVE" run --sdt=s8 reorder 2x3
expect 2 "did you mean relu?" run matmul --attr-post-ops=rellu 2x3:3x4
expect 2 "did you mean f32?" run reorder --sdt=float32 2x3
expect 2 "did you mean bf16?" run reorder --sdt=bf61 2x3
expect 2 "did you mean FWD_D?" run eltwise --alg=relu --dir=FWD 2x3
expect 2 "did you mean nhwc?" layout nhwcc 2x3x4x5
expect 2 "--from nhwv: tag 'nhwv': the letters" reorder in.npy out.npy --from nhwv
ONEDNN_VERBOSE=dispatsh expect 0 "unknown words: dispatsh; known are none error" run --quiet reorder 2x3
ONEDNN_VERBOSE=dispatsh expect 0 "did you mean dispatch?" run --quiet reorder 2x3
ONEDNN_MAX_CPU_ISA=AVX22 expect 0 "did you mean avx2?" explain reorder 2x3
TESSERA_MACHINE=l1_byte=48K expect 0 "did you mean l1_bytes?" explain reorder 2x3
expect 2 ""
expect 2 "" reorder only_one.npy
expect 2 "" run "reorder 2x3" --no-such-option
for command in run bench; do expect 2 "give a problem line" $command; done
for command in run bench explain; do
    expect 2 "malformed line" $command "reorder --sdt=f33 2x3"
    expect 2 "'2xx3' is not a list" $command "reorder 2xx3"
    expect 2 "--sdt was given already" $command "reorder --sdt=f32 --sdt=s8 2x3"
done
for scale in nan inf -inf 1/0 0/0 1e39 x 1/; do
    expect 2 "--scale '$scale'" reorder in.npy out.npy --scale=$scale
    expect 2 "--dst-scale '$scale'" reorder in.npy out.npy --dst-scale=$scale
done
expect 2 "cannot be 0" reorder in.npy out.npy --dst-scale 0
expect 2 "--dims: '2x' is not a list" reorder in.npy out.npy --dims 2x
expect 2 "--tile: 'x4' is not a list" shuffle in.npy out.npy --tile x4 --groups 2
expect 2 "--type: unknown data type 'f31'; known are" reorder in.npy out.npy --type f31
expect 2 "did you mean f32?" layout ab 2x3 --type fp32
expect 2 "--from nhc" reorder in.npy out.npy --from nhc
expect 2 "--to nonsense" reorder in.npy out.npy --to nonsense
expect 2 "--layout nonsense" shuffle in.npy out.npy --layout nonsense --groups 2

# A photograph of 6x4 points there and back, through every kind of file.
{ printf 'P6\n# a comment\n6 4\n255\n'; for i in $(seq 72); do printf "\\$(printf %03o $((i * 3)))"; done; } >photo.ppm
expect 0 "passed" reorder photo.ppm nhwc.npy --check
expect 0 "passed" reorder nhwc.npy f32.npy --from nhwc --to nchw --type f32 --scale 1/255 --check
expect 0 "padded to 1x16x4x6" reorder nhwc.npy blocked.npy --from nhwc --to nChw16c --type bf16 --check
[ -e blocked.npy.layout.json ] || { echo "FAILED: no sidecar of a blocked file"; failures=$((failures + 1)); }
expect 0 "passed" reorder f32.npy back1.npy --from nchw --to nhwc --type u8 --dst-scale 1/255 --check
expect 0 "passed" reorder blocked.npy back2.npy --to nhwc --type u8 --check
same nhwc.npy back1.npy
same nhwc.npy back2.npy
expect 0 "passed" reorder back2.npy back.ppm --from nhwc --check
cmp -s <(tail -c 72 photo.ppm) <(tail -c 72 back.ppm) || { echo "FAILED: the photograph changed"; failures=$((failures + 1)); }
expect 0 "4x3x2x3" reorder photo.ppm tiles.npy --tile 2x3
expect 0 "passed" shuffle tiles.npy shuffled.npy --layout nhwc --axis 0 --groups 2 --check
expect 0 "passed" shuffle shuffled.npy restored.npy --layout nhwc --axis 0 --groups 2 --backward --check
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
# wav FORMAT CHANNELS BITS: one digit each, octal
wav() { printf "RIFFxxxxWAVEfmt \\20\\0\\0\\0\\$1\\0\\$2\\0\\100\\37\\0\\0\\0\\0\\0\\0\\0\\0\\$3\\0data\\4\\0\\0\\0\\1\\0\\2\\0"; }
wav 1 0 20 >bad.wav
expect 1 "0 channels" reorder bad.wav out.npy
wav 3 1 20 >bad.wav
expect 1 "samples of format 3 with 16 bits" reorder bad.wav out.npy
printf 'RIFFxxxxWAVEdata\4\0\0\0\1\0\2\0' >bad.wav
expect 1 "no 'fmt ' chunk" reorder bad.wav out.npy
absent out.npy
wav 1 2 20 >good.wav
expect 0 "1x2x1" reorder good.wav sound.npy
expect 1 "--from abc" reorder nhwc.npy out.npy --from abc
expect 1 "sidecar" reorder blocked.npy out.npy --from nhwc
expect 1 "zero points" reorder f32.npy out.npy --from nchw --type s8 --zero-point 3
expect 1 "does not divide" shuffle nhwc.npy out.npy --layout nhwc --axis 1 --groups 2
expect 1 "" reorder nhwc.npy no/such/folder/out.npy --from nhwc
absent out.npy
absent out.npy.layout.json

# The work alone, and what is asked for beside it.
fails() { echo "FAILED: $*"; failures=$((failures + 1)); }
[[ $("$program" reorder nhwc.npy plain.npy --from nhwc --to nchw) != *@(passed|memcpy)* ]] || fails "checked or timed unasked"
expect 0 "of memcpy" reorder nhwc.npy plain.npy --from nhwc --to nchw --time
expect 0 "passed" shuffle nhwc.npy plain.npy --layout nhwc --axis 2 --groups 2 --check

# A sidecar of an older file is not believed; modes and links of what is replaced stay.
cp blocked.npy stale.npy && cp blocked.npy.layout.json stale.npy.layout.json
expect 0 "" reorder stale.npy plain.npy --to nhwc
{ head -c -2 blocked.npy; printf '\377\177'; } >stale.npy
expect 1 "stale.npy: the data are not those that stale.npy.layout.json was written with" reorder stale.npy out.npy --to nhwc
absent out.npy
cp nhwc.npy kept.npy && chmod 640 kept.npy && ln -s kept.npy link.npy && ln kept.npy name.npy
expect 0 "" reorder nhwc.npy link.npy --from nhwc --to nchw
[ -L link.npy ] && [ "$(stat -c %a:%h kept.npy)" = 640:2 ] || fails "links or mode are lost: $(ls -l link.npy kept.npy)"
same name.npy link.npy

# Suffixes, sidecars that are missing, arrays without dims.
for name in out.txt out.npz out.wav out folder.npy/out; do expect 2 "$name: " reorder nhwc.npy $name --from nhwc; done
cp nhwc.npy nhwc.data && expect 0 "" reorder nhwc.data plain.npy # its first bytes say what it is
printf '\377\330\377' >photo.jpg && expect 1 "photo.jpg: begins like no .npy" reorder photo.jpg out.npy
cp blocked.npy alone.npy
expect 1 "alone.npy.layout.json" reorder alone.npy out.npy --from nChw16c
expect 1 "alone.npy.layout.json" reorder alone.npy out.npy
expect 0 "" reorder f32.npy s8.npy --from nchw --to nChw16c --type s8 && mv s8.npy s8_alone.npy
expect 1 "s8_alone.npy.layout.json" reorder s8_alone.npy out.npy --from nchw
absent out.npy
printf '\223NUMPY\1\0\166\0%-117s\n\0\0\40\100' "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" >scalar.npy
expect 0 "" reorder scalar.npy copy.npy && same scalar.npy copy.npy
expect 0 "" reorder scalar.npy bf16.npy --type bf16
expect 0 "" reorder bf16.npy copy.npy --type f32 && same scalar.npy copy.npy
expect 0 "" shuffle scalar.npy copy.npy --axis 0 --groups 1 && same scalar.npy copy.npy

# Streams: "-" and pipes in and out; what is printed goes elsewhere.
"$program" reorder nhwc.npy nchw.npy --from nhwc --to nchw >/dev/null || fails "no nchw.npy"
"$program" reorder - - --from nhwc --to nchw <nhwc.npy 2>report | cmp -s - nchw.npy || fails "standard input to standard output"
grep -q "u8 nchw" report || fails "the report is not on the standard error"
cat nhwc.npy | ONEDNN_VERBOSE=all "$program" reorder - - --from nhwc --to nchw --check 2>report | cmp -s - nchw.npy || fails "a pipe, with the library's log"
grep -q "onednn_verbose" report || fails "no log of the library in: $(cat report)"
(read -r -n 10 _; "$program" reorder - - --from nhwc --to nchw 2>/dev/null) <photo.ppm | cmp -s - nchw.npy && fails "half a photograph was read"
"$program" reorder - - <photo.ppm 2>/dev/null | cmp -s - nhwc.npy || fails "a photograph on the standard input"
mkfifo in.fifo out.fifo
cat nhwc.npy >in.fifo & "$program" reorder in.fifo out.fifo --from nhwc --to nchw >/dev/null 2>&1 & cmp -s out.fifo nchw.npy || fails "named pipes"
wait
expect 0 "" reorder <(cat nhwc.npy) copy.npy --from nhwc --to nchw && same copy.npy nchw.npy
expect 1 "a stream" reorder nhwc.npy /dev/null --from nhwc --to nChw16c
expect 1 "nothing came" reorder - out.npy </dev/null
"$program" layout ab 2x3 -o - 2>/dev/null | grep "</svg>" >/dev/null || fails "a picture on the standard output"
# A full disk, or a file beyond its limit: an error, and the old file stays.
{ printf 'P5\n64 64\n255\n'; head -c 4096 /dev/zero; } >large.pgm
expect 1 "No space left" reorder large.pgm /dev/full
"$program" reorder large.pgm - >/dev/full 2>report && fails "success on a full disk"
grep -q "No space left" report || fails "no reason in: $(cat report)"
for arguments in "layout ab 2x3" "--help" "--version" "run reorder\ 2x3"; do
    eval "\"\$program\" $arguments" >/dev/full 2>/dev/null && fails "tessera $arguments: success on a full disk"
done
for type in u8 bf16; do
    cp nhwc.npy kept.npy
    (ulimit -f 1 && exec "$program" reorder large.pgm kept.npy --type $type) >report 2>&1 && fails "a file beyond its limit"
    grep -q "File too large" report || fails "no reason in: $(cat report)"
    same nhwc.npy kept.npy
done
# Signals leave neither a temporary file nor half of the result.
if env --default-signal=INT true 2>/dev/null; then
    { printf 'P5\n1024 1024\n255\n'; head -c 1048576 /dev/zero; } >huge.pgm # 1000 turns take seconds
    for signal in INT TERM; do
        env --default-signal=INT "$program" reorder huge.pgm kept.npy --type f64 --time --turns 1000 >/dev/null &
        for _ in $(seq 500); do compgen -G 'kept.npy.tmp-*' >/dev/null && break || sleep 0.01; done
        compgen -G 'kept.npy.tmp-*' >/dev/null || fails "no temporary file to be removed"
        kill -$signal $!
        wait $! && fails "success after SIG$signal"
        compgen -G 'kept.npy.tmp-*' >/dev/null && fails "SIG$signal left $(echo kept.npy.tmp-*)"
        same nhwc.npy kept.npy
    done
else
    echo "not tested: signals; env knows no --default-signal"
fi

# Problems.
expect 0 "1 passed, 0 failed, 0 skipped" run "reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5"
expect 0 "refused: " run "reorder --stag=any --expect=invalid_arguments 2x3"
expect 1 "failed: refused with invalid_arguments" run "reorder --stag=any 2x3"
expect 1 "should have been refused" run "reorder --expect=unimplemented 2x3"
expect 1 "instead of unimplemented" run "reorder --stag=any --expect=unimplemented 2x3"
printf 'reorder --sdt=f33 2x3\nreorder 2x3\n' >problems.txt
expect 1 "malformed line" run -f problems.txt
expect 1 "1 passed, 1 failed" run -f problems.txt
printf 'reorder --sdt=f32\033[31m 2x3\n' >coloured.txt # what a line holds does not reach the terminal
expect 1 "unknown data type 'f32?[31m'; " run -f coloured.txt
expect 1 "| reorder --sdt=f32?[31m 2x3" run -f coloured.txt
expect 1 "no/such/file" run -f no/such/file
expect 0 "skipped" run "reorder 100000x100000"
# Engines; tests/gpu has those of devices.
expect 0 "1 passed" run --engine=cpu "reorder 2x3"
expect 0 "1 passed" run "--reorder --engine=cpu --stag=ab --dtag=ba 2x3"
for command in run bench explain; do
    expect 2 "'fpga' is no engine; there are cpu, gpu and gpu:INDEX" $command --engine=fpga "reorder 2x3"
    expect 2 "malformed line: --engine: 'gpu:' is no engine" $command "reorder --engine=gpu: 2x3"
    expect 1 "there is no GPU engine 99: " $command --engine=gpu:99 "reorder 2x3"
    expect 1 "there is no GPU engine 99: " $command "reorder --engine=gpu:99 2x3"
done
expect 1 "failed: " run --engine=cpu "reorder --engine=gpu:99 --expect=invalid_arguments 2x3" # no refusal of the problem
expect 1 "outside of 0..0" run --engine=cpu:1 "reorder 2x3"
expect 0 "plan" explain "reorder --stag=ab --dtag=ba 16x16"
expect 1 "refused with invalid_arguments" explain "reorder --stag=any 2x3"
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    expect 0 "vzeroupper" explain --code "reorder --stag=ab --dtag=ba 160x160"
    expect 0 "end_loop" explain --code "reorder --stag=ab --dtag=ba 160x160"
    expect 0 "c5 f8 77 " explain --bytes "reorder --stag=ab --dtag=ba 160x160"
fi
expect 0 "no code was generated" explain --code "reorder --sdt=f64 --ddt=f32 --stag=ab --dtag=ba 9x9"
# With quotes or without, and in the words of others.
expect 0 "1 passed" run reorder --sdt=f32 --ddt=s8 --dtag=aBcd16b 2x17x5x5
expect 0 "1 passed" run -q --matmul --dt=u8:s8:f32 --stag=ab --wtag=any --dtag=ab --attr-scales=wei:per_oc 16x32:32x64
expect 0 "1 passed" run "--matmul --dt=u8:s8:f32 --attr-scales=wei:per_oc 16x32:32x64" --color never
expect 0 "1 timed" bench --reorder --ddt=s8 --turns 5 16x16
expect 0 "matmul --sdt=u8:s8 --ddt=f32 --stag=any --dtag=any --attr-scales=wei:2 16x32:32x64" \
    explain --code --matmul --dt=u8:s8:f32 --attr-scales=wei:per_oc 16x32:32x64
expect 2 "malformed line: '--graph' belongs to a primitive that is not built" run --graph l1t3mb2sic4
# What the library logs of a problem is that problem.
while read -r line; do
    log=$(ONEDNN_VERBOSE=profile_exec "$program" run "$line" | grep exec, | tail -n 1)
    [ "$("$program" explain "$log" | sed -n 2p)" = "$("$program" explain "$line" | sed -n 2p)" ] ||
        fails "$line is logged as $log, which is read as: $("$program" explain "$log" 2>&1 | sed -n 2p)"
done <<'LINES'
reorder --ddt=s8 --dtag=aBcd16b --attr-scales=src:0+dst:2 --attr-post-ops=sum:0.5 2x17x5x5
shuffle --dir=BWD_D --stag=axb --dtag=axb --axis=1 --group=4 2x16x5x5
eltwise --dir=FWD_I --alg=clip --alpha=-1 --beta=1 --stag=abx --dtag=axb 2x16x5x5
eltwise --dir=BWD_D --alg=tanh --stag=axb --dtag=axb 2x16x5x5
binary --alg=mul --sdt=u8:f32 --ddt=f32 --dtag=axb --attr-scales=src:0+src1:0 2x16x5x5:1x16x1x1
binary --alg=select --stag=axb --dtag=axb 2x16x5x5:2x16x5x5
prelu --dir=FWD_D --stag=axb:abx --dtag=axb 2x16x5x5:1x16x1x1
prelu --dir=BWD_DW --stag=axb:abx --dtag=axb 2x16x5x5:1x16x1x1
sum --scales=1:1 --sdt=f32:bf16 --stag=abx:axb --dtag=abx 2x16x5x5
concat --axis=1 --dtag=any 2x16x5x5:2x8x5x5
resampling --dir=FWD_D --alg=linear --dtag=abx 2x3x5x7:2x3x10x14
resampling --dir=BWD_D --alg=nearest --dtag=abx 2x3x5:2x3x10
reduction --alg=norm_lp_sum --p=3 --eps=0.5 --sdt=bf16 --ddt=f32 --stag=axb --dtag=axb --attr-post-ops=relu 2x16x5x5:2x16x1x1
reduction --alg=mean --dtag=any 2x16x5x5:1x16x5x5
batch_normalization --dir=BWD_DW --eps=0.001 --flags=CHR --sdt=bf16 --stag=axb --dtag=any 2x16x5x5
layer_normalization --dir=FWD_D --eps=1e-05 --flags=CHM --ss-dt=bf16:f32 --stat-tag=ba --sdt=bf16 --ddt=s8 --stag=abx --dtag=any 2x5x16
group_normalization --dir=FWD_D --eps=0.001 --flags=G --sdt=bf16 --stag=axb --dtag=any --group=4 2x16x5x5
softmax --dir=FWD_I --alg=log --axis=3 --sdt=bf16 --ddt=f32 --stag=axb --dtag=axb --attr-post-ops=relu 2x16x5x5
pooling --dir=FWD_I --alg=avg_exclude_padding --kernel=3x2 --stride=2x1 --dilation=1x0 --padding=1x1 --padding-r=1x0 --sdt=bf16 --ddt=f32 --stag=axb --dtag=axb --attr-post-ops=relu 2x16x5x5:2x16x2x5
lrn --dir=BWD_D --alg=within_channel --alpha=0.5 --beta=0.75 --size=4 --k=2 --sdt=bf16 --stag=axb --dtag=axb 2x16x5x5
pooling --dir=BWD_D --alg=max --kernel=3 --stride=2 --padding=1 --dtag=abx 2x16x5x5:2x16x3x3
matmul --sdt=bf16:s4 --ddt=bf16 --stag=abc:acb --dtag=abc --attr-fpmath=bf16:true --attr-scales=wei:6:bf16:32x1 2x16x64:1x64x32
matmul --sdt=f32:f32:bf16 --sstrides=40x1:: --stag=:ba:ab --dtag=ba --attr-deterministic=true --rt=1 4x32:32x8:4x1
inner_product --dir=FWD_I --stag=axb:any:a --dtag=any --attr-post-ops=relu:0.5+add:f32:2 2x16x5x5:32x16x5x5:32
inner_product --dir=BWD_D --stag=abx:any --dtag=any 2x16x5x5:32x16x5x5
inner_product --dir=BWD_W --stag=abx:any:a --dtag=any 2x16x5x5:32x16x5x5:32
convolution --dir=FWD_I --stride=2 --padding=1 --stag=axb:any:a --dtag=any --attr-post-ops=relu:0.5 2x16x5x5:2x16x8x3x3:32
convolution --dir=FWD_I --stag=axb:any:a --dtag=any --sdt=bf16:bf16:f32 --ddt=bf16 --attr-post-ops=relu+dw:k3s2p1:f32 2x16x5x5:32x16x1x1:32
convolution --dir=BWD_W --dilation=1x0 --padding=2x1 --padding-r=1x0 --stag=abx:any:a --dtag=any 2x16x5x5:32x16x3x3:32
deconvolution --dir=BWD_D --stride=2 --padding=1 --stag=axb:any --dtag=any 2x16x5x5:32x16x4x4
rnn --dir=FWD_I --alg=lstm --direction=concat --with-peephole=true --with-projection=true --stag=abc:abcd:abcd:any:abcd --dtag=abc l1t2mb3sic4slc5dhc6dic4
rnn --dir=BWD_DW --alg=lbr_augru --direction=left2right --with-src-iter=false --flags=O --stag=abc:abcd:any:abcde:abcd --dtag=abc l1t2mb3sic4slc5dhc4dic4
LINES
# Portable code says why, and the line that says so is the problem.
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    expect 0 "portable code: step 1 (map): no kernels of f64" explain "reorder --ddt=f64 --dtag=ba 9x31"
    log=$(ONEDNN_VERBOSE=dispatch "$program" run "reorder --ddt=f64 --dtag=ba 9x31" | grep create:dispatch)
    expect 0 "no kernels of f64" explain "$log"
    ONEDNN_MAX_CPU_ISA=SSE41 expect 0 "kernels need the instructions of avx2" explain "reorder --dtag=ba 9x31"
    # Each kernel has a file, also one whose name, which holds its program, has more than 255 characters.
    mkdir dumps
    (cd dumps && ONEDNN_JIT_DUMP=1 "$program" run -q "softmax --alg=accurate --axis=1 8x100" >/dev/null)
    [ -n "$(ls dumps/dnnl_dump_cpu_*.bin 2>/dev/null)" ] || { echo "FAILED: no dump of softmax"; failures=$((failures + 1)); }
fi
# Wildcards are shown, and the plan for the dims given.
expect 0 "f32::blocked:ab::f0 *x3" explain "reorder --rt=1 2x3"
expect 0 "map           loops(" explain "reorder --rt=1 --dtag=ba 16x16"
expect 0 "memcpy=1" bench "reorder --stag=ab --dtag=ba 16x16"
# Bars: asked for or on a terminal, never in what other programs read; the picture holds every problem, escaped.
problem="reorder --stag=ab --dtag=ba 16x16"
"$program" bench --bars always "$problem" | grep -E '[│█▏▎▍▌▋▊▉▶]' >/dev/null || { echo "FAILED: no bars"; failures=$((failures + 1)); }
for arguments in "" "--bars never" "--csv --bars always"; do
    "$program" bench $arguments "$problem" | grep -E '[│█▏▎▍▌▋▊▉▶]' >/dev/null && { echo "FAILED: bars with '$arguments'"; failures=$((failures + 1)); }
done
printf '%s\n' "$problem" "reorder --sdt=f32 --ddt=s8 2x3" >two.txt
expect 0 "2 timed" bench -f two.txt --svg bars.svg
[ "$(grep -c '<rect x=' bars.svg)" = 2 ] || { echo "FAILED: not two bars"; failures=$((failures + 1)); }
grep -q ">reorder .*--dtag=ba 16x16</text>" bars.svg || { echo "FAILED: a bar without its problem"; failures=$((failures + 1)); }
expect 1 "cannot be created" bench "$problem" --svg no/such/folder/bars.svg
expect 1 "needs more than" bench "reorder 9999999x9999999" --svg nothing.svg
absent nothing.svg
expect 2 "" bench "$problem" --bars sometimes
# A machine that has more to do than processors is called noisy, beside the table: within some runs, because a run of a
# few milliseconds may come before the others have started.
busy=()
for _ in $(seq $((8 * $(nproc)))); do timeout 60 sh -c 'while :; do :; done' & busy+=($!); done
for _ in $(seq 40); do
    noise=$("$program" bench "$problem" 2>&1 >/dev/null)
    case $noise in *"this machine is too noisy to believe these times: "*) break ;; esac
done
case $noise in *"this machine is too noisy to believe these times: "*) ;; *) fails "40 runs on a busy machine are not noisy" ;; esac
"$program" bench --csv "$problem" 2>/dev/null | grep noisy >/dev/null && fails "a table with words in it"
kill "${busy[@]}" && wait "${busy[@]}"
# A table has a head only when it has a row.
expect 1 "needs more than" bench "reorder 9999999x9999999"
printf 'reorder 2x3\nreorder 0y3\n' >two.txt
expect 1 "tessera: two.txt:2: " bench --turns 5 -f two.txt
for csv in "" --csv; do
    [ -z "$("$program" bench $csv "reorder 9999999x9999999" 2>/dev/null)" ] || { echo "FAILED: a table of nothing"; failures=$((failures + 1)); }
done
# The yardstick does not wait for a team, so nothing is many times as fast as memcpy.
fraction=$(OMP_NUM_THREADS=32 "$program" bench --csv "reorder --stag=nchw --dtag=nhwc 2x60x8x8" | tail -n 1 | cut -d, -f4)
awk -v f="$fraction" 'BEGIN { exit !(f > 0 && f < 10) }' || { echo "FAILED: '$fraction' of memcpy"; failures=$((failures + 1)); }
expect 0 "one cache line" layout aBcd16b 2x17x2x2
expect 0 "picture.svg" layout ABcd4b16a4b 32x32x1x1 -o picture.svg
expect 2 "nonsense" layout nonsense 2x3
expect 2 "one says the layout" layout ab 3x4 --strides 4x1
expect 2 "give --strides" layout strides 3x4
expect 2 "3 strides for 2 dims" layout strides 3x4 --strides 4x2x1
expect 2 "the dims are empty" layout ab ''
expect 2 "'3y4' is not a list" layout ab 3y4
expect 2 "unknown data type 'f31'" layout ab 3x4 --type f31
expect 1 "cannot be created" layout ab 3x4 -o no/such/folder/picture.svg
# One dim has no columns to name: its rows follow the caption at once.
[[ $("$program" layout a 20 | grep -A 1 '^tensor' | tail -n 1) == *a0* ]] || { echo "FAILED: a head of nothing"; failures=$((failures + 1)); }
[ "$("$program" layout ab 2x3 --color always | grep -c $'\033')" -gt 0 ] || { echo "FAILED: no colours"; failures=$((failures + 1)); }
[ "$("$program" layout ab 2x3 | grep -c $'\033')" -eq 0 ] || { echo "FAILED: colours in a pipe"; failures=$((failures + 1)); }

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
