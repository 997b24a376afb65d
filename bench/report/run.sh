#!/usr/bin/env bash
# Runs the benchmarks one after the other, nothing beside them, into build/bench/*.tsv for bench/report/page.py.
#
#   bench/report/run.sh PROGRAMS PEERS [OPTIONS OF MOVERS]...      programs: where movers, dot and contention are
#   bench/report/run.sh build/bench build/peer --set shuffle --filter s8
#   DOT="--set squares" REDUCE=skip bench/report/run.sh build/bench build/peer skip     options of dot and of reduce; skip:
#                                                       not this program, whose results of an earlier run stay
#
# All threads, one thread, AVX2, no more than SSE4.1 (the portable path), then every peer that `make peer` installed;
# MKL and OpenBLAS run what of dot they can say.
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

# both NAME MOST BEFORE...: movers, dot and reduce behind a command or assignments; dot's cases of MOST billion operations
# at most
both() {
    local name=$1 most=$2
    shift 2
    [ "${movers[*]}" = skip ] || run "$name" "$@" "$programs/movers" "${movers[@]}"
    [ "${dot[*]}" = skip ] || run "$name+dot" "$@" "$programs/dot" --most "$most" "${dot[@]}"
    [ "${reduce[*]}" = skip ] || run "$name+reduce" "$@" "$programs/reduce" "${reduce[@]}"
}

both tessera 1000 env
both tessera-1 1000 env OMP_NUM_THREADS=1
both tessera-avx2 20 env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=AVX2
both tessera-portable 0.3 env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=SSE41
[ "${movers[*]}" = skip ] || run contention "$programs/contention"
# Processors under OpenCL count as devices here; without any the page goes without.
[ "${movers[*]}" = skip ] || [ ! -x "$programs/devices" ] || run devices env TESSERA_OPENCL_DEVICES=all "$programs/devices"
for version in 3.13 3.2; do
    [ -x "$peers/run-$version" ] || continue
    both "onednn-$version" 1000 "$peers/run-$version"
done
for blas in mkl openblas; do
    [ -f "$peers/$blas.lib" ] && [ "${dot[*]}" != skip ] || continue
    run "$blas+dot" "$programs/dot" --blas "$(<"$peers/$blas.lib")" --most 1000 "${dot[@]}"
done
[ ! -x "$peers/run-3.2" ] || [ "${movers[*]}" = skip ] || run contention-3.2 "$peers/run-3.2" "$programs/contention"

[ ${#failed[@]} = 0 ] || echo "bench: failed: ${failed[*]}; the page goes without" >&2
