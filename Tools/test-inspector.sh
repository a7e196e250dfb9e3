#!/usr/bin/env bash
# Tests the page of the inspector in a browser, with the example InspectedShop as the app. Fails if a check fails, or if there is no browser
# and none can be installed.
#   test-inspector.sh              runs all checks
#   test-inspector.sh --pictures   writes the pictures of the article Inspecting instead
#   test-inspector.sh --load 60    or other options of check-inspector.py
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=("$@")
case ${1:-} in
    --help) ;;
    *)
        [ "${1:-}" != --pictures ] || arguments+=(Sources/QueryKitInspector/QueryKitInspector.docc)
        swift build --package-path Examples --product inspected-shop ${FLAGS:-}
        programs=$(swift build --package-path Examples --show-bin-path ${FLAGS:-})
        # With a token of its own, the page finds the app again after a restart.
        arguments+=(--app "$programs/inspected-shop" "{port}" "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')")
        [ "${1:-}" != --load ] || arguments+=(crowd)
        ;;
esac
python3 Tools/check-inspector.py "${arguments[@]}"
