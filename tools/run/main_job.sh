#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job: a real photograph and a real recording through the program, every step checked, networks that learn
# real handwritten digits, and a tensor that goes to a device and back.
#
#   tools/run/main_job.sh [FOLDER]       program: build/tessera or $TESSERA, and examples/digits, sequences and
#                                        cross_engine beside it; results: FOLDER, by default build/run
#
# The photograph (Grace Hopper, 1984, public domain), the recording and the digits (E. Alpaydin and C. Kaynak, 1998, UCI,
# CC BY 4.0; they come with scikit-learn) are files of three Debian packages, which are fetched once into FOLDER/data;
# afterwards the job needs no network. The photo is cut into a batch of tiles and goes
# to other types and layouts and back: what returns has to equal what left, byte for byte. Every row is also compared
# with the reference implementation. Columns: best time of one call, GB/s of bytes read + written, and the share of
# the speed at which memcpy moves as many bytes, measured in turns.
set -euo pipefail
cd "$(dirname "$0")/../.."
tessera=${TESSERA:-build/tessera}
out=${1:-build/run}
data=$out/data
mkdir -p "$data"
examples=$(dirname "$tessera")/examples
for program in "$tessera" "$examples"/{digits,sequences,cross_engine}; do
    [ -x "$program" ] || { echo "main job: no program at $program; run 'make build' first" >&2; exit 1; }
done

# fetch PACKAGE PATH_IN_PACKAGE FILE: unless FILE is there already
fetch() {
    [ -s "$3" ] && return
    echo "fetching $(basename "$3") from the Debian package $1"
    local work
    work=$(mktemp -d)
    if (cd "$work" && apt-get download -qq "$1" >log 2>&1 && dpkg-deb -x ./*.deb tree) && [ -s "$work/tree/$2" ]; then
        mv "$work/tree/$2" "$3"
        rm -rf "$work"
    else
        echo "main job: $1 could not be downloaded, and there is no copy in $data from an earlier run." >&2
        sed 's/^/  apt-get: /' "$work/log" >&2 || true
        echo "  Needed: a Debian system with a network (after 'apt-get update'), once; or put a file at $3." >&2
        rm -rf "$work"
        exit 1
    fi
}
fetch python-matplotlib-data usr/share/matplotlib/mpl-data/sample_data/grace_hopper.jpg "$data/photo.jpg"
fetch alsa-utils usr/share/sounds/alsa/Front_Center.wav "$data/recording.wav"
fetch python3-sklearn usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz "$data/digits.csv.gz"
if [ ! -s "$data/digits.csv" ]; then
    gzip -dc "$data/digits.csv.gz" >"$data/digits.tmp"
    mv "$data/digits.tmp" "$data/digits.csv"
fi
if [ ! -s "$data/photo.ppm" ]; then
    command -v djpeg >/dev/null || { echo "main job: no djpeg; install libjpeg-turbo-progs ('make deps')" >&2; exit 1; }
    djpeg -pnm "$data/photo.jpg" >"$data/photo.tmp"
    mv "$data/photo.tmp" "$data/photo.ppm"
fi

steps=0 failed=0
run() { # a step of the program; its table row is its own
    steps=$((steps + 1))
    "$tessera" "$@" --brief --check --time || { failed=$((failed + 1)); echo "  FAILED: tessera $*"; }
}
same() { # ORIGINAL RESULT: what went there and back
    steps=$((steps + 1))
    if cmp -s "$1" "$2"; then echo "  equal to $(basename "$1"), byte for byte"
    else failed=$((failed + 1)); echo "  FAILED: $2 differs from $1"; fi
}
title() { printf '\n%s\n%-34s %14s %9s %9s %7s %9s\n' "$1" "move" "dims" "size" "time" "GB/s" "memcpy=1"; }

cd "$out"
case $tessera in /*) ;; *) tessera=$OLDPWD/$tessera examples=$OLDPWD/$examples ;; esac
photo=data/photo.ppm sound=data/recording.wav

title "a photograph as tiles of 64x64, in the types and layouts of networks"
run reorder $photo tiles.npy --tile 64x64 --to nhwc
run reorder tiles.npy f32_nchw.npy --from nhwc --to nchw --type f32 --scale 1/255
run reorder tiles.npy f32_nChw16c.npy --from nhwc --to nChw16c --type f32 --scale 1/255
run reorder tiles.npy bf16_nchw.npy --from nhwc --to nchw --type bf16
run reorder tiles.npy f16_nChw8c.npy --from nhwc --to nChw8c --type f16 --scale 1/255
run reorder f32_nchw.npy s8_nhwc.npy --from nchw --to nhwc --type s8 --dst-scale 1/255 --dst-zero-point -128
run reorder f32_nChw16c.npy s8_nChw4c.npy --to nChw4c --type s8 --dst-scale 1/255 --dst-zero-point -128
run reorder f32_nchw.npy f8_nhwc.npy --from nchw --to nhwc --type f8_e4m3

title "and back to bytes"
for back in "f32_nchw.npy --from nchw --dst-scale 1/255" "f32_nChw16c.npy --dst-scale 1/255" "bf16_nchw.npy" \
            "f16_nChw8c.npy --dst-scale 1/255" "s8_nhwc.npy --from nhwc --zero-point -128" \
            "s8_nChw4c.npy --zero-point -128"; do
    read -r file options <<<"$back"
    # shellcheck disable=SC2086
    run reorder "$file" back.npy --to nhwc --type u8 $options
    same tiles.npy back.npy
done

title "shuffles, and their inverse"
run shuffle tiles.npy shuffled_tiles.npy --layout nhwc --axis 0 --groups 8
run shuffle tiles.npy shuffled_rows.npy --layout nhwc --axis 2 --groups 4
run shuffle f32_nchw.npy shuffled_columns.npy --layout nchw --axis 3 --groups 2
run shuffle f32_nChw16c.npy shuffled_colors.npy --axis 1 --groups 3
run shuffle shuffled_tiles.npy restored.npy --layout nhwc --axis 0 --groups 8 --backward
same tiles.npy restored.npy
run shuffle shuffled_columns.npy restored.npy --layout nchw --axis 3 --groups 2 --backward
same f32_nchw.npy restored.npy

title "a recording as frames of 1024 samples"
run reorder $sound frames.npy --tile 1024 --to nwc
run reorder frames.npy f32_ncw.npy --from nwc --to ncw --type f32 --scale 1/32768
run reorder f32_ncw.npy bf16_wnc.npy --from ncw --to cab --type bf16
run reorder f32_ncw.npy frames_back.npy --from ncw --to nwc --type s32 --dst-scale 1/32768
same frames.npy frames_back.npy
run shuffle f32_ncw.npy frames_shuffled.npy --layout ncw --axis 2 --groups 32

printf '\nhandwritten digits: trained in f32 and bf16, quantized to int8\n'
steps=$((steps + 1))
"$examples/digits" --data data/digits.csv --least 0.95 --svg digits_loss.svg || failed=$((failed + 1))

printf '\nthe same digits, read row by row by recurrent cells\n'
steps=$((steps + 1))
# Threads that wait for each other every few microseconds should not spin: beside other programs that takes ten times as long.
OMP_WAIT_POLICY=passive "$examples/sequences" --data data/digits.csv --least 0.94 --svg sequences_loss.svg ||
    failed=$((failed + 1))

printf '\na tensor to every device of OpenCL, processors included, and back\n'
steps=$((steps + 1))
TESSERA_OPENCL_DEVICES=all "$examples/cross_engine" || failed=$((failed + 1))

echo
if [ $failed -eq 0 ]; then echo "main job: $steps steps, all passed; results in $out"
else
    echo "main job: $failed of $steps steps failed"
    exit 1
fi
