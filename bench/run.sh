#!/usr/bin/env bash
# Runs the benchmarks one after the other, nothing beside them, into build/bench/*.tsv for bench/page.py.
#
#   bench/run.sh PROGRAMS PEERS [OPTIONS OF MOVERS]...      programs: where movers and contention are
#   bench/run.sh build/bench build/peer --set shuffle --filter s8
#
# All threads, one thread, AVX2, no more than SSE4.1 (the portable path), then every peer that `make peer` installed.
# A run that fails leaves no file and is named at the end; the others go on.
set -u
programs=$(cd "${1:?where movers is}" && pwd) peers=${2:?where the peers are}
shift 2
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/bench
rm -f build/bench/*.tsv
failed=()

# run NAME COMMAND...: the results in NAME.tsv, what it prints in NAME.txt
run() {
    local name=$1
    shift
    local start=$SECONDS
    if "$@" --tsv "build/bench/$name.tsv" >"build/bench/$name.txt" 2>&1; then
        echo "$name: $((SECONDS - start)) s"
    else
        echo "$name: failed, see build/bench/$name.txt"
        failed+=("$name")
    fi
}

run tessera "$programs/movers" "$@"
run tessera-1 env OMP_NUM_THREADS=1 "$programs/movers" "$@"
run tessera-avx2 env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=AVX2 "$programs/movers" "$@"
run tessera-portable env OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=SSE41 "$programs/movers" "$@"
run contention "$programs/contention"
for version in 3.13 3.2; do
    [ -x "$peers/run-$version" ] || continue
    run "onednn-$version" "$peers/run-$version" "$programs/movers" "$@"
done
[ ! -x "$peers/run-3.2" ] || run contention-3.2 "$peers/run-3.2" "$programs/contention"

[ ${#failed[@]} = 0 ] || echo "bench: failed: ${failed[*]}; the page goes without" >&2
