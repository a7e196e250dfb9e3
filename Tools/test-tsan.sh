#!/usr/bin/env bash
# Runs the suites for concurrency (whose names end in ConcurrencyTests or ModelTests) under the thread sanitizer. Uses a separate build
# folder, so that the sanitizer's build and the ordinary one don't replace each other.
set -euo pipefail
cd "$(dirname "$0")/.."

# With information for debuggers, so that a report shows lines.
flags="--sanitize=thread --scratch-path .build-tsan ${SWIFT_FLAGS:-} -debug-info-format dwarf"
# The tests alone: the samples don't run under the sanitizer.
swift build $flags --product QueryKitPackageTests
export TSAN_OPTIONS="suppressions=$PWD/Tools/tsan-suppressions.txt ${TSAN_OPTIONS:-}"
Tools/tested.sh test-tsan swift test --skip-build $flags --filter '(ConcurrencyTests|ModelTests)/'
