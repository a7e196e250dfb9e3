#!/usr/bin/env bash
# Runs all checks, prints how long each one took, and stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log summary=$work/summary

# The failures, one line each, because the log of a step may be too long to be kept.
failures() {
    grep -E 'recorded an issue|error:|FAILED|Fatal error' "$log" | cut -c 1-400 | head -n 20 || true
}

# The steps and the last lines of the tests, also after a failure.
report() {
    count_cpu
    printf '\n%-14s %8s %12s\n' step seconds 'CPU seconds'
    cat "$summary"
    printf '%-14s %8s %12s\n' total "$SECONDS" "$cpu"
}

# Sets cpu to the CPU seconds of all steps so far. In $( ) it would be those of a shell of its own.
count_cpu() {
    times >"$work/times"
    cpu=$(awk -F '[ms ]' 'NR == 2 { printf "%.0f", 60 * $1 + $2 + 60 * $4 + $5 }' "$work/times")
}

step() {
    local name=$1 started=$SECONDS before result=
    count_cpu
    before=$cpu
    shift
    printf '\n== %s\n' "$name"
    "$@" 2>&1 | tee "$log" || result=FAILED
    count_cpu
    printf '%-14s %8s %12s  %s\n' "$name" "$((SECONDS - started))" "$((cpu - before))" "$result" >>"$summary"
    grep -E 'Test run with [0-9]+ tests?' "$log" | sed 's/^/    /' >>"$summary" || true
    [ -z "$result" ] || { report; failures; exit 1; }
}

# All packages share one debug build of the root package, with the PostgreSQL adapter. Nothing else may be built in this folder.
export TRAITS="--traits Postgres" BUILD_FOLDER=$PWD/.build-ci

step lint make --no-print-directory lint
step test make --no-print-directory test
step test-postgres make --no-print-directory test-postgres
step docs make --no-print-directory docs
step examples make --no-print-directory examples
step inspector make --no-print-directory inspector
step outside make --no-print-directory outside
step faults make --no-print-directory faults ARGS=--short
step test-tsan make --no-print-directory test-tsan
step adapters make --no-print-directory adapters
step apple make --no-print-directory apple
step benchmarks make --no-print-directory benchmarks
report
