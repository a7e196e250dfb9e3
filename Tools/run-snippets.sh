#!/usr/bin/env bash
# Builds and runs the samples of the documentation. Each one checks its own results, must end by itself, and makes no mistake that the
# library reports.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build ${FLAGS:-}
bin=$(swift build ${FLAGS:-} --show-bin-path)
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
count=0
for file in Snippets/*.swift; do
    name=$(basename "$file" .swift)
    timeout 60 "$bin/$name" >/dev/null 2>"$errors" || { code=$?; cat "$errors" >&2; echo "Snippets/$name.swift: exit code $code" >&2; exit 1; }
    ! grep '^QueryKit: .*\]$' "$errors" >&2 || { echo "Snippets/$name.swift makes this mistake." >&2; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "There are no samples in Snippets." >&2; exit 1; }
echo "$count samples ran to their end."
