#!/usr/bin/env bash
# Builds and runs the samples of the documentation. Each one checks its own results, and must end by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build ${FLAGS:-}
bin=$(swift build ${FLAGS:-} --show-bin-path)
count=0
for file in Snippets/*.swift; do
    name=$(basename "$file" .swift)
    timeout 60 "$bin/$name" >/dev/null || { echo "Snippets/$name.swift: exit code $?" >&2; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "There are no samples in Snippets." >&2; exit 1; }
echo "$count samples ran to their end."
