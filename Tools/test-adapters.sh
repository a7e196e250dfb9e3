#!/usr/bin/env bash
# Builds the sources of QueryKit against stand-ins for SwiftUI and Combine, and runs the tests of that code: see Tools/AppleShims/Package.swift.
set -euo pipefail
cd "$(dirname "$0")/AppleShims"

if [ "$(uname)" = Darwin ]; then
    echo "Skipped: on a Mac the modules would hide the SDK's own; there the ordinary build compiles this code."
    exit 0
fi

swift test ${SWIFT_FLAGS:-}
