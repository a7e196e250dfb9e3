#!/usr/bin/env bash
# Builds and tests two packages that stand outside of this one, as apps do: they see products, and public names only.
# The first one wants the database adapter alone, and must build nothing of the food diary.
set -euo pipefail
cd "$(dirname "$0")/.."

QUERYKIT=$PWD
export QUERYKIT
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cp -R Tests/Outside/. "$outside"

swift build --package-path "$outside/Database" ${SWIFT_FLAGS:-}
objects=$(swift build --package-path "$outside/Database" ${SWIFT_FLAGS:-} --show-bin-path)
[ "$("$objects/Trips")" = "Lisbon, Oslo" ] || { echo "error: Trips printed something else than its trips" >&2; exit 1; }
count() { find "$outside/Database/.build/" \( -path "*$1*.o" -o -name "$1*.swiftmodule" \) | wc -l; }
adapter=$(count QueryKitSQLite)
diary=$(count FoodDiary)
echo "With QueryKitSQLite alone: $adapter objects of the adapter are built, $diary of the food diary."
[ "$adapter" -gt 0 ] && [ "$diary" -eq 0 ] || { echo "error: the database adapter must be built without the food diary" >&2; exit 1; }

swift test --package-path "$outside/Diary" ${SWIFT_FLAGS:-}
