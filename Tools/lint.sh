#!/usr/bin/env bash
# Checks formatting (swift format, with the .swift-format that is nearest to a file), the house rules, the pages, and that the samples and
# acts are shown as they are. Each check prints what is wrong, and all run; fails if one does. Tools/selftest.sh breaks each rule.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
swift format lint --strict --recursive --parallel Package.swift Sources Tests Snippets Examples Benchmarks Faults Tools/AppleShims || failed=1
for reader in house.py pages.py "samples.py --check"; do
    # shellcheck disable=SC2086
    python3 -B Tools/lint/$reader || failed=1
done
exit $failed
