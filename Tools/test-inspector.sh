#!/usr/bin/env bash
# Tests the page of the inspector in a browser, with the example InspectedShop as the app. With arguments, passes them on to
# check-inspector.py: --load 60 for instance. Where no browser can be installed, it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    arguments=("$@")
else
    swift build --package-path Examples --product inspected-shop ${SWIFT_FLAGS:-}
    programs=$(swift build --package-path Examples --show-bin-path ${SWIFT_FLAGS:-})
    # With a token of its own, the page finds the app again after a restart.
    arguments=(--app "$programs/inspected-shop" "{port}" "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')")
fi
code=0
python3 Tools/check-inspector.py "${arguments[@]}" || code=$?
[ "$code" != 3 ] || exit 0
exit "$code"
