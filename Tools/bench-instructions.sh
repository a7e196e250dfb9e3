#!/usr/bin/env bash
# Counts the instructions of one operation, for the cases with single operations and for their floors. Pass names of cases to measure only
# these. Each case runs twice under callgrind with different counts, so that the difference excludes start-up.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
-h | --help)
    echo "Usage: Tools/bench-instructions.sh [case …]"
    echo "Without names, measures eight common cases. querykit-bench --list shows all cases."
    exit 0
    ;;
esac

usual=(fetch.trivial fetch.fresh fetch.fresh.plain store.lookup subscribe.cycle publish.fanout1 publish.fanout100 pages.refetch50)
cases=("${@:-${usual[@]}}")

swift build -c release --package-path Benchmarks --static-swift-stdlib -Xswiftc -warnings-as-errors 2>&1 | tail -n 1
bench=Benchmarks/.build/release/querykit-bench
known=$("$bench" --list | awk '{ print $1 }')
for name in "${cases[@]}"; do
    grep -qx -- "$name" <<<"$known" || { echo "error: no case is named $name; querykit-bench --list shows all cases." >&2; exit 64; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The number of instructions of the whole process: count CASE OPERATIONS [--floor]
count() {
    SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$bench" --filter "$1" --rehearse "$2" ${3:+"$3"} 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

per_operation() {
    local few=$2 many=$(($2 * 3)) less more
    less=$(count "$1" "$few" "${3:-}")
    more=$(count "$1" "$many" "${3:-}")
    [ -n "$less" ] && [ -n "$more" ] && echo $(((more - less) / (many - few))) || echo "–"
}

printf '%-20s %14s %14s\n' case instructions floor
for name in "${cases[@]}"; do
    # A slow case is repeated less often.
    case $name in pages.*) repetitions=20 ;; diary.*) repetitions=100 ;; track.*) repetitions=3000 ;; *) repetitions=500 ;; esac
    printf '%-20s %14s %14s\n' "$name" "$(per_operation "$name" $repetitions)" "$(per_operation "$name" $repetitions --floor)"
done
