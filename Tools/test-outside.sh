#!/usr/bin/env bash
# Builds and tests packages outside of this one, which see only its products and public names, as apps do. An app with only the database
# adapter must build nothing of the food diary, and a diary in memory must not link SQLite.
set -euo pipefail
cd "$(dirname "$0")/.."

QUERYKIT=$PWD
export QUERYKIT
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cp -R Tests/Outside/. "$outside"

fail() { echo "error: $1" >&2; exit 1; }

# Builds one of the apps and runs it: run APP EXPECTED-OUTPUT
products=$(swift build --package-path "$outside/Apps" ${SWIFT_FLAGS:-} --show-bin-path)
run() {
    swift build --package-path "$outside/Apps" ${SWIFT_FLAGS:-} --product "$1"
    [ "$("$products/$1")" = "$2" ] || fail "$1 printed something other than \"$2\""
}
objects() { find "$outside/Apps/.build/" \( -path "*$1*.o" -o -name "$1*.swiftmodule" \) | wc -l; }
libraries() { if [ "$(uname)" = Darwin ]; then otool -L "$products/$1"; else ldd "$products/$1"; fi; }
links_sqlite() { libraries "$1" | grep -q libsqlite3; }
links_postgres() { libraries "$1" | grep -q libpq; }

run Trips "Lisbon, Oslo"
adapter=$(objects QueryKitSQLite)
diary=$(objects FoodDiary)
echo "With QueryKitSQLite alone: $adapter objects of the adapter are built, $diary of the food diary."
[ "$adapter" -gt 0 ] && [ "$diary" -eq 0 ] || fail "the database adapter must be built without the food diary"
links_sqlite Trips || fail "Trips must link SQLite, or the next check proves nothing"
! links_postgres Trips || fail "without the trait Postgres, nothing may link libpq"

run Pantry "Rice, Oats"
! links_sqlite Pantry || fail "a diary in memory must not link SQLite"
echo "With FoodDiaryKit alone: SQLite is not linked."

run Beside "Lisbon, Oslo, Rome, Bergen"
echo "Together with modules that declare Query, Dependency, Mutation and Request: no name is ambiguous."

Tools/tested.sh outside swift test --package-path "$outside/Diary" ${SWIFT_FLAGS:-}

Tools/check-tutorial.py
