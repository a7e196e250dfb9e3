#!/usr/bin/env bash
# Runs all checks, prints how long each one took, and stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
summary=$(mktemp)
trap 'rm -f "$log" "$summary"' EXIT

# The failures, one line each, because the log of a step may be too long to be kept.
failures() {
    grep -E 'recorded an issue|error:|FAILED|Fatal error' "$log" | cut -c 1-400 | head -n 20 || true
}

# The steps and the last lines of the tests, also after a failure.
report() {
    printf '\n'
    cat "$summary"
    printf 'total %s s\n' "$SECONDS"
}

step() {
    local name=$1 started=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if ! "$@" 2>&1 | tee "$log"; then
        printf '%-12s FAILED after %s s\n' "$name" "$((SECONDS - started))" >>"$summary"
        report
        failures
        exit 1
    fi
    printf '%-12s %s s\n' "$name" "$((SECONDS - started))" >>"$summary"
    grep -E 'Test run with [0-9]+ tests?' "$log" | sed 's/^/             /' >>"$summary" || true
}

# One build of everything: with the PostgreSQL adapter. The packages of the later steps build the root package without it.
export TRAITS="--traits Postgres"

step lint make --no-print-directory lint
step build make --no-print-directory build
step test make --no-print-directory test
step test-tsan make --no-print-directory test-tsan
step apple make --no-print-directory apple
step adapters make --no-print-directory adapters
step examples make --no-print-directory examples
step inspector make --no-print-directory inspector
step test-postgres make --no-print-directory test-postgres
step outside make --no-print-directory outside
step benchmarks make --no-print-directory benchmarks
step faults make --no-print-directory faults ARGS=--short
step docs make --no-print-directory docs
report
