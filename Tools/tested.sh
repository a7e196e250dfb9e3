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

output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" 2>&1 | tee "$output"

# The number that Swift Testing prints includes the tests that it has skipped.
skips=' skipped(\.|: ".*")$'
passed=$(awk -v skips="Test .*$skips" 'match($0, /Test run with [0-9]+/) { sum += substr($0, RSTART + 14) } $0 ~ skips { sum-- } END { print sum + 0 }' "$output")
unlisted=$(grep -E "(Suite|Test) .*$skips" "$output" | grep -vFf <(sed -n 's/^skip \(.*\)/skipped: "\1"/p' "$floors") || true)
[ -z "$unlisted" ] || fail "Tests/floor.txt doesn't list the reason for which these were skipped: $unlisted"
[ "$passed" -ge "$floor" ] || fail "$passed tests passed, fewer than the $floor of Tests/floor.txt"
echo "$step: $passed tests passed; the floor in Tests/floor.txt is $floor."
