#!/usr/bin/env bash
# Runs the benchmarks one after the other, nothing beside them, into build/bench/*.tsv for bench/report/page.py.
#
#   bench/report/run.sh PROGRAMS PEERS [OPTIONS OF MOVERS]...      programs: where movers, dot and contention are
#   bench/report/run.sh build/bench build/peer --set shuffle --filter s8
#   DOT="--set squares" REDUCE=skip bench/report/run.sh build/bench build/peer skip     options of dot and of reduce; skip:
#                                                       not this program, whose results of an earlier run stay
#
# All threads, one thread, AVX2, no more than SSE4.1 (the portable path), then every peer that `make peer` installed;
# MKL and OpenBLAS run what of dot they can say. Of dot the peers and all threads take turns, set by set, ROUNDS times
# (2), and the page takes the best of each case: a neighbour's hour makes any of them 1.7 times as slow.
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

# turn NAME COMMAND...: dot's set $of behind what NAME+dot.tsv already has
turn() {
    local name=$1+dot part=build/bench/part.tsv
    shift
    if "$@" --set "$of" "${dot[@]}" --tsv $part >"build/bench/$name.txt" 2>&1; then
        [ -f "build/bench/$name.tsv" ] && sed -i '/^#/d; /^set\t/d' $part
        cat $part >>"build/bench/$name.tsv"
    else
        echo "$name: $of failed, see build/bench/$name.txt"
        failed+=("$name")
    fi
    rm -f $part
}

# both NAME MOST BEFORE...: movers, dot and reduce behind a command or assignments; dot's cases of MOST billion operations
# at most, or none
both() {
    local name=$1 most=$2
    shift 2
    [ "${movers[*]}" = skip ] || run "$name" "$@" "$programs/movers" "${movers[@]}"
    [ "${dot[*]}" = skip ] || [ "$most" = 0 ] || run "$name+dot" "$@" "$programs/dot" --most "$most" "${dot[@]}"
    [ "${reduce[*]}" = skip ] || run "$name+reduce" "$@" "$programs/reduce" "${reduce[@]}"
}

peers_here=()
for version in 3.13 3.2; do
    [ ! -x "$peers/run-$version" ] || peers_here+=("$version")
done
if [ "${dot[*]}" != skip ]; then
    rm -f build/bench/{tessera,onednn-*,mkl,openblas}+dot.tsv
    sets=$("$programs/dot" "${dot[@]}" --list | cut -d' ' -f1 | uniq)
    [[ " ${dot[*]} " = *" --set "* ]] || sets+=" calls" # which are no cases of a list
    for of in $sets; do
        start=$SECONDS
        for _ in $(seq "${ROUNDS:-2}"); do
            turn tessera "$programs/dot"
            for version in "${peers_here[@]}"; do turn "onednn-$version" "$peers/run-$version" "$programs/dot"; done
            for blas in mkl openblas; do
                [ ! -f "$peers/$blas.lib" ] || [ "$of" = calls ] ||
                    turn "$blas" "$programs/dot" --blas "$(<"$peers/$blas.lib")"
            done
        done
        echo "dot, $of: $((SECONDS - start)) s"
    done
fi
# capped CAP ASSIGNMENTS...: every library on one processor, for 3.13's TBB heeds no OMP_NUM_THREADS
capped() {
    local cap=$1 start=$SECONDS
    shift
    local one=(env OMP_NUM_THREADS=1 "$@" taskset -c "$(($(nproc) - 1))")
    run "tessera@$cap+dot" "${one[@]}" "$programs/dot" --most 0.6 "${dot[@]}"
    for version in "${peers_here[@]}"; do
        run "onednn-$version@$cap+dot" "${one[@]}" "$peers/run-$version" "$programs/dot" --most 0.6 "${dot[@]}"
    done
    for blas in mkl openblas; do
        [ ! -f "$peers/$blas.lib" ] ||
            run "$blas@$cap+dot" "${one[@]}" "$programs/dot" --blas "$(<"$peers/$blas.lib")" --most 0.6 "${dot[@]}"
    done
    echo "dot capped, $cap: $((SECONDS - start)) s"
}
# What this processor has: without AVX-512 it is one of those that caps stand for, and AVX2 is what one thread has anyway.
grep -qw avx512f /proc/cpuinfo && wide=yes || wide=
if [ "${dot[*]}" != skip ]; then
    [ -z "$wide" ] || capped vnni ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI MKL_ENABLE_INSTRUCTIONS=AVX512 OPENBLAS_CORETYPE=SkylakeX
    capped avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 OPENBLAS_CORETYPE=Haswell
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
