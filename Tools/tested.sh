#!/usr/bin/env bash
# Runs tests and prints how many passed. Fails if the command fails, if fewer passed than Tests/floor.txt says for the step, or if a test or
# suite was skipped for a reason that the file doesn't list.
#   tested.sh STEP COMMAND…   the step "some" has the floor 1, for runs of chosen tests
set -euo pipefail

step=$1 floors=$(dirname "$0")/../Tests/floor.txt
shift
fail() { echo "error: $step: $1" >&2; exit 1; }

floor=$(sed -n "s/^$step \([0-9]*\)$/\1/p" "$floors")
[ -n "$floor" ] || fail "Tests/floor.txt has no line for this step"
# The floors were counted on Linux; other systems compile other tests.
[ "$(uname)" = Linux ] || floor=1

# If no test begins or ends for so many seconds, one hangs. The longest of the long ones take most of an hour.
silence_limit=${SILENCE_LIMIT:-$([ -n "${QUERYKIT_LONG:-}" ] && echo 3600 || echo 300)}

output=$(mktemp)
pids=()
trap 'for pid in "${pids[@]}"; do kill -INT -- "-$pid" 2>/dev/null || true; done; rm -f "$output"' EXIT

# Prints the tests that have begun and not ended.
running() {
    awk '
        !/ Test / || / Test (run|case) / { next }
        { name = $0; sub(/^.* Test /, "", name) }
        name ~ / started\.$/ { sub(/ started\.$/, "", name); count[name]++ }
        name ~ / (passed|failed) after / { sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, "", name); count[name]-- }
        END { for (name in count) if (count[name] > 0) print "    " name }' "$output"
}

# Stops the command when a test hangs. The time that the build takes doesn't count.
watch() {
    local size=0 before=0 since=$SECONDS
    while sleep 1; do
        # Without the file, the command has ended.
        before=$size size=$(wc -c 2>/dev/null <"$output") || return 0
        [ "$size" = "$before" ] && grep -q 'Test run started' "$output" || since=$SECONDS
        [ $((SECONDS - since)) -ge "$silence_limit" ] || continue
        printf 'error: %s: no test began or ended for %s s while these ran:\n%s\n' "$step" "$silence_limit" "$(running)" >&2
        kill -INT -- "-$1"
        return
    done
}

# The group of processes of each can be stopped at once. swift test prints with a delay unless the system's stdbuf prevents it.
set -m
($(type -P stdbuf >/dev/null && echo stdbuf -oL) "$@" 2>&1 | tee "$output") &
pids+=($!)
watch ${pids[0]} &
pids+=($!)
set +m
wait "${pids[0]}"

# The number that Swift Testing prints includes the tests that it has skipped.
skips=' skipped(\.|: ".*")$'
passed=$(awk -v skips="Test .*$skips" 'match($0, /Test run with [0-9]+/) { sum += substr($0, RSTART + 14) } $0 ~ skips { sum-- } END { print sum + 0 }' "$output")
unlisted=$(grep -E "(Suite|Test) .*$skips" "$output" | grep -vFf <(sed -n 's/^skip \(.*\)/skipped: "\1"/p' "$floors") || true)
[ -z "$unlisted" ] || fail "Tests/floor.txt doesn't list the reason for which these were skipped: $unlisted"
[ "$passed" -ge "$floor" ] || fail "$passed tests passed, fewer than the $floor of Tests/floor.txt"
echo "$step: $passed tests passed; the floor in Tests/floor.txt is $floor."
