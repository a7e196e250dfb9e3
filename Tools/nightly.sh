#!/usr/bin/env bash
# Runs the long checks and prints how long each one took. The exit code is 1 if any fails; a failure doesn't stop the others.
#   nightly.sh                     runs all parts
#   nightly.sh --list              lists the parts
#   nightly.sh --only model,load   runs some of them
set -euo pipefail
cd "$(dirname "$0")/.."

# The time limit of a test counts from its start, so only a few may run at once if they run long.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$((2 * $(getconf _NPROCESSORS_ONLN)))}

# Name, description, command.
parts=(
    "model|the reference model of a store, 10,000 seeds|long StoreModelTests"
    "graphs|lives of requests that fetch each other, 10,000 seeds|long GraphModelTests"
    "rows|random schemas, reads by row and writes, 10,000 seeds: no change of a result is missed|long RowModelTests"
    "calls|lives of calls in two processes that share a journal, 10,000 seeds|long CallModelTests"
    "commits|consistent requests during 100,000 commits, on each kind of database|long QueryKitSQLiteTests.ConsistentTests|FoodDiaryTodayTests"
    "load|all other suites with QUERYKIT_LONG=1: every seed, every damaged file|long others"
    "crowd|all suites at once: some tests are delayed so long that an order which depends on the machine's speed shows|crowd"
    "perturbed|the suites of the core, with random pauses at each lock|perturbed"
    "address|the suites that call C, under the address and the leak sanitizer|address"
    "faults|killed, locked, full and damaged databases, all faults|swift run --package-path Faults ${FLAGS:-} querykit-faults"
    "apple|the type-checks of all four Apple systems|Tools/apple-typecheck/check.sh macos ios tvos watchos"
    "commands|every command of food-diary on a PostgreSQL server, and two machines that watch a third|commands"
    "postgres|the faults, the load and the benchmarks of PostgreSQL|postgres"
    "inspector|the page of the inspector for a minute, with 10,000 stores and 1,000 events a second|Tools/test-inspector.sh --load 60"
    "mutants|sixty mutants of the core, which the tests must detect|python3 Tools/mutants/mutants.py"
    "selftest|one breakage for each check, which the check must detect|Tools/selftest.sh"
)

names() { printf '%s\n' "${parts[@]%%|*}"; }

usage() { sed -n 's/^#   //p' "$0"; }

only=$(names)
case ${1:-} in
    "") ;;
    --list)
        printf '%s\n' "${parts[@]}" | awk -F '|' '{ printf "%-10s %s\n", $1, $2 }'
        exit ;;
    --only)
        only=$(tr ',' '\n' <<<"${2:?"--only needs the names of parts; --list shows them"}")
        for name in $only; do
            names | grep -qx -- "$name" || { echo "error: there is no part $name; --list shows those that exist" >&2; exit 2; }
        done ;;
    --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
esac

# Runs the tests of the current part.
tested() { Tools/tested.sh "$name" "$@"; }

# Runs food-diary, built with PostgreSQL, on a private server.
commands() {
    tested Tools/postgres-server.sh run swift test --package-path Examples --scratch-path Examples/.build-postgres --traits Postgres \
        --filter PostgresCommandTests ${SWIFT_FLAGS:-}
}

# Runs one suite with all seeds, or all suites that have no part of their own.
long() {
    swift build --build-tests ${FLAGS:-} || return 1
    local filter=(--filter "$1")
    [ "$1" != others ] || filter=(
        --skip StoreModelTests --skip GraphModelTests --skip RowModelTests --skip CallModelTests
        --skip QueryKitSQLiteTests.ConsistentTests --skip FoodDiaryTodayTests
    )
    QUERYKIT_LONG=1 tested swift test --skip-build ${FLAGS:-} "${filter[@]}"
}

crowd() {
    swift build --build-tests ${FLAGS:-} || return 1
    tested env -u SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH swift test --skip-build ${FLAGS:-}
}

# The servers are private. The many processes are a program of their own.
postgres() {
    Tools/require.sh postgres
    QUERYKIT_LONG=1 Tools/test-postgres.sh --filter 'ServerFaultTests|ClientFaultTests|LoadTests|ReadSetModelTests|PostgresReactiveModelTests' || return 1
    make --no-print-directory faults-postgres || return 1
    # Nothing else builds them.
    make --no-print-directory bench-postgres ARGS="--filter postgres --samples 5"
}

# Uses a separate build folder, so that this build and the ordinary one don't replace each other.
perturbed() {
    local flags="--scratch-path .build-perturbed ${SWIFT_FLAGS:-} -Xswiftc -DQUERYKIT_PERTURBED"
    swift build --build-tests $flags || return 1
    QUERYKIT_PERTURBED_SEED=${QUERYKIT_PERTURBED_SEED:-$RANDOM} tested swift test --skip-build $flags --filter 'QueryKitTests\.'
}

# Uses a separate build folder, too, with information for debuggers, so that a report shows lines.
address() {
    local flags="--sanitize=address --scratch-path .build-asan --traits Postgres ${SWIFT_FLAGS:-} -debug-info-format dwarf"
    Tools/require.sh postgres || return 1
    swift build $flags --product QueryKitPackageTests || return 1
    LSAN_OPTIONS="suppressions=$PWD/Tools/leak-suppressions.txt:print_suppressions=0" \
        tested Tools/postgres-server.sh run swift test --skip-build $flags --filter 'QueryKit(SQLite|Postgres|Inspector)Tests\.'
}

# Prints every minute that a part is still running, because some parts print nothing for a long time.
watch() {
    local name=$1 started=$SECONDS
    trap 'kill $! 2>/dev/null; exit' TERM
    while sleep 60 & wait $!; do echo "… $name has been running for $((SECONDS - started)) s" >&2; done
}

table=()
failed=0
for part in "${parts[@]}"; do
    IFS='|' read -r name text command <<<"$part"
    grep -qx -- "$name" <<<"$only" || continue
    printf '\n== %s: %s\n' "$name" "$text"
    started=$SECONDS
    watch "$name" &
    watcher=$!
    result=passed
    $command || { result=FAILED; failed=1; }
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    table+=("$(printf '%-10s %-7s %6s s' "$name" "$result" "$((SECONDS - started))")")
done
printf '\n'
printf '%s\n' "${table[@]}"
exit $failed
