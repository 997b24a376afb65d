#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks one after the other, nothing beside them, into build/bench/*.tsv for bench/report/page.py.
#
#   bench/report/run.sh PROGRAMS PEERS [OPTIONS OF MOVERS]...      programs: where movers, dot and contention are
#   bench/report/run.sh build/bench build/peer --set shuffle --filter s8
#   DOT="--set squares" REDUCE=skip bench/report/run.sh build/bench build/peer skip     options of dot and of reduce; skip:
#                                                       not this program, whose results of an earlier run stay
#   MOST=3 DOT="--turns 1" ...                          of all threads only cases of 3 billion operations or fewer
#
# All threads, one thread, AVX2, no more than SSE4.1 (the portable path), then every peer that `make peer` installed;
# MKL and OpenBLAS run what of dot they can say. Of dot all libraries take turns, set by set, ROUNDS times (4), and where
# none of them is clearly ahead case by case, AGAIN times (2); the page takes the best of each case: a neighbour's minute
# makes any of them 1.7 times as slow.
# A run that fails leaves no file and is named at the end; the others go on.
set -u
programs=$(cd "${1:?where movers is}" && pwd) peers=${2:?where the peers are}
shift 2
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/bench
failed=()
movers=("$@")
read -r -a dot <<<"${DOT:-}"
read -r -a reduce <<<"${REDUCE:-}"

# run NAME COMMAND...: the results in NAME.tsv, what it prints in NAME.txt
run() {
    local name=$1
    shift
    local start=$SECONDS
    rm -f "build/bench/$name.tsv"
    if "$@" --tsv "build/bench/$name.tsv" >"build/bench/$name.txt" 2>&1; then
        echo "$name: $((SECONDS - start)) s"
    else
        echo "$name: failed, see build/bench/$name.txt"
        failed+=("$name")
    fi
}

# unless OPTION VALUE: for dot, unless its options have it already
unless() { [[ " ${dot[*]} " = *" $1 "* ]] || echo "$1 $2"; }

# turn NAME COMMAND...: dot's set $of, or of it only what the options in `only` say, behind what NAME+dot.tsv already has
turn() {
    local name=$1+dot part=build/bench/part.tsv
    shift
    # shellcheck disable=SC2046 # words
    if "$@" --set "$of" "${only[@]}" $(unless --turns 2) "${others[@]}" --tsv $part >"build/bench/$name.txt" 2>&1; then
        [ -f "build/bench/$name.tsv" ] && sed -i '/^#/d; /^set\t/d' $part
        cat $part >>"build/bench/$name.tsv"
    else
        echo "$name: $of failed, see build/bench/$name.txt"
        failed+=("$name")
    fi
    rm -f $part
}

# round CAP MOST BEFORE...: a turn of every library, each NAME@CAP, or NAME without one, behind a command or assignments
round() {
    local cap=${1:+@$1} most=$2
    shift 2
    # shellcheck disable=SC2046 # words
    turn "tessera$cap" "$@" "$programs/dot" $(unless --most "$most")
    for version in "${peers_here[@]}"; do
        # shellcheck disable=SC2046
        turn "onednn-$version$cap" "$@" "$peers/run-$version" "$programs/dot" $(unless --most "$most")
    done
    [ "$of" != calls ] || return 0
    [ ${#only[@]} = 0 ] || [[ ${only[1]} = *f32:f32:f32* || ${only[1]} = *sgemm* ]] || return 0
    for blas in mkl openblas; do
        # shellcheck disable=SC2046
        [ ! -f "$peers/$blas.lib" ] ||
            turn "$blas$cap" "$@" "$programs/dot" --blas "$(<"$peers/$blas.lib")" $(unless --most "$most")
    done
}

# turns CAP MOST BEFORE...: rounds of every set, then of the cases in which nobody is clearly ahead
turns() {
    local cap=$1 start=$SECONDS
    rm -f build/bench/{tessera,onednn-3.13,onednn-3.2,mkl,openblas}"${cap:+@$cap}+dot.tsv"
    for of in $sets; do
        start=$SECONDS
        for _ in $(seq "${ROUNDS:-4}"); do round "$@"; done
        echo "dot, $of${cap:+@$cap}: $((SECONDS - start)) s"
    done
    start=$SECONDS
    for _ in $(seq "${AGAIN:-2}"); do
        while IFS=$'\t' read -r of name <&3; do
            only=(--filter "$name")
            round "$@"
        done 3< <(bench/report/behind.py build/bench "$cap")
    done
    only=()
    echo "dot, the close cases${cap:+@$cap}: $((SECONDS - start)) s"
}
only=()

# both NAME MOST BEFORE...: movers, dot and reduce behind a command or assignments; dot's cases of MOST billion operations
# at most, or none
both() {
    local name=$1 most=$2
    shift 2
    [ "${movers[*]}" = skip ] || run "$name" "$@" "$programs/movers" "${movers[@]}"
    # shellcheck disable=SC2046 # words
    [ "${dot[*]}" = skip ] || [ "$most" = 0 ] ||
        run "$name+dot" "$@" "$programs/dot" $(unless --most "$most") "${dot[@]}"
    [ "${reduce[*]}" = skip ] || run "$name+reduce" "$@" "$programs/reduce" "${reduce[@]}"
}

peers_here=()
for version in 3.13 3.2; do
    [ ! -x "$peers/run-$version" ] || peers_here+=("$version")
done
# What this processor has: without AVX-512 it is one of those that caps stand for, and AVX2 is what one thread has anyway.
grep -qw avx512f /proc/cpuinfo && wide=yes || wide=
if [ "${dot[*]}" != skip ]; then
    sets=$("$programs/dot" "${dot[@]}" --list | cut -d' ' -f1 | uniq)
    [[ " ${dot[*]} " = *" --set "* ]] || sets+=" calls" # which are no cases of a list
    others=() of_set=
    for word in "${dot[@]}"; do
        [[ $word != --* ]] || of_set=
        [ "$word" != --set ] || of_set=yes
        [ -n "$of_set" ] || others+=("$word")
    done
    turns "" "${MOST:-1000000000}"
    # on one processor, for 3.13's TBB heeds no OMP_NUM_THREADS
    one=(env OMP_NUM_THREADS=1 taskset -c "$(($(nproc) - 1))")
    [ -z "$wide" ] || turns vnni 0.6 "${one[@]}" env ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI MKL_ENABLE_INSTRUCTIONS=AVX512 \
        OPENBLAS_CORETYPE=SkylakeX
    turns avx2 0.6 "${one[@]}" env ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 OPENBLAS_CORETYPE=Haswell
fi
both tessera 0 env
both tessera-1 1000 env OMP_NUM_THREADS=1
[ -z "$wide" ] || both tessera-avx2 20 env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=AVX2
both tessera-portable 0.3 env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=SSE41
[ "${movers[*]}" = skip ] || run contention "$programs/contention"
# Processors under OpenCL count as devices here; without any the page goes without.
[ "${movers[*]}" = skip ] || [ ! -x "$programs/devices" ] || run devices env TESSERA_OPENCL_DEVICES=all "$programs/devices"
for version in "${peers_here[@]}"; do both "onednn-$version" 0 "$peers/run-$version"; done
[ ! -x "$peers/run-3.2" ] || [ "${movers[*]}" = skip ] || run contention-3.2 "$peers/run-3.2" "$programs/contention"

[ ${#failed[@]} = 0 ] || echo "bench: failed: ${failed[*]}; the page goes without" >&2
