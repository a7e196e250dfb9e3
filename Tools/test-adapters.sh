#!/usr/bin/env bash
# Builds the sources of QueryKit with replacements for SwiftUI and Combine, and tests the code that uses these: see
# Tools/AppleShims/Package.swift.
set -euo pipefail
cd "$(dirname "$0")/AppleShims"

if [ "$(uname)" = Darwin ]; then
    echo "Skipped: on a Mac these modules would hide those of the SDK. There the ordinary build compiles this code."
    exit 0
fi

swift test ${SWIFT_FLAGS:-}

# The sample of the README: only here does its view compile on Linux.
swiftc -typecheck -warnings-as-errors -swift-version 6 -I "$(swift build ${SWIFT_FLAGS:-} --show-bin-path)/Modules" ../../Snippets/TripsScreen.swift
