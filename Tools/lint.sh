#!/usr/bin/env bash
# Checks formatting (swift format, see the .swift-format that is nearest to a file), the house rules that a text search can check, that the
# articles show the samples and the demo shows the acts as they are, and that the check of the site finds mistakes.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=(Package.swift)
for folder in Sources Tests Snippets Examples Benchmarks Faults Tools/AppleShims; do
    [ -d "$folder" ] && targets+=("$folder")
done
swift format lint --strict --recursive --parallel "${targets[@]}"

Tools/check-house.sh --self-test
Tools/check-house.sh

Tools/check-readme.sh --self-test
Tools/check-readme.sh

Tools/embed-acts.py --self-test
Tools/embed-acts.py --check

Tools/embed-snippets.py --self-test
Tools/embed-snippets.py --check

Tools/site/check.py --self-test
