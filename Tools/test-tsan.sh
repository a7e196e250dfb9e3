#!/usr/bin/env bash
# Runs the suites for concurrency (whose names end in ConcurrencyTests or ModelTests) under the thread sanitizer. Uses a separate build
# folder, so that the sanitizer's build and the ordinary one don't replace each other.
set -euo pipefail
cd "$(dirname "$0")/.."

# With information for debuggers, so that a report shows lines.
flags="--sanitize=thread --scratch-path .build-tsan ${SWIFT_FLAGS:-} -debug-info-format dwarf"
# Other suites aren't built, nor the samples, which don't run under the sanitizer.
QUERYKIT_LEFT_OUT=$(grep -rLE '(struct|class) [A-Za-z]*(Concurrency|Model)Tests' --include='*Tests.swift' Tests/*Tests | tr '\n' ' ')
export QUERYKIT_LEFT_OUT
swift build $flags --product QueryKitPackageTests
export TSAN_OPTIONS="suppressions=$PWD/Tools/tsan-suppressions.txt ${TSAN_OPTIONS:-}"
Tools/tested.sh test-tsan swift test --skip-build $flags --filter '(ConcurrencyTests|ModelTests)/'
