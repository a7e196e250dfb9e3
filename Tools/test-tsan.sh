#!/usr/bin/env bash
# Runs the suites for concurrency (whose names end in ConcurrencyTests or ModelTests) under the thread sanitizer. Uses a separate build
# folder, so that the sanitizer's build and the ordinary one don't replace each other.
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
trap 'rm -f "$output"' EXIT
# With information for debuggers, so that a report shows lines.
flags="--sanitize=thread --scratch-path .build-tsan ${SWIFT_FLAGS:-} -debug-info-format dwarf"
# The tests alone: the samples don't run under the sanitizer.
swift build $flags --product QueryKitPackageTests
export TSAN_OPTIONS="suppressions=$PWD/Tools/tsan-suppressions.txt ${TSAN_OPTIONS:-}"
swift test --skip-build $flags \
    --filter '(ConcurrencyTests|ModelTests)/' 2>&1 | tee "$output"

# A filter without a match would pass, and hide that a suite was renamed.
if ! grep -qE 'Test run with [1-9][0-9]* tests?' "$output"; then
    echo "error: no suite's name ends in ConcurrencyTests or ModelTests" >&2
    exit 1
fi
