#!/usr/bin/env bash
# Runs the suites that are about concurrency (type name ends in ConcurrencyTests or ModelTests) under the thread sanitizer.
# They are built apart, so that the sanitizer's build and the ordinary one do not replace each other.
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
trap 'rm -f "$output"' EXIT
swift test --sanitize=thread --scratch-path .build-tsan ${SWIFT_FLAGS:-} \
    --filter '(ConcurrencyTests|ModelTests)/' 2>&1 | tee "$output"

# A filter that matches nothing passes, which would hide that a suite was renamed.
if ! grep -qE 'Test run with [1-9][0-9]* tests?' "$output"; then
    echo "error: no suite's name ends in ConcurrencyTests or ModelTests" >&2
    exit 1
fi
