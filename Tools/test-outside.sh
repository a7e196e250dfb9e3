#!/usr/bin/env bash
# Builds, runs and tests a package outside of this one, which sees only products and public names, as apps do. An app with only the database
# adapter must contain nothing of the food diary, and a diary in memory must not link SQLite.
set -euo pipefail
cd "$(dirname "$0")/.."

package=(--package-path Tests/Outside ${FLAGS:-})
fail() { echo "error: $1" >&2; exit 1; }

# Builds one of the apps and runs it: run APP EXPECTED-OUTPUT
products=$(swift build "${package[@]}" --show-bin-path)
run() {
    swift build "${package[@]}" --product "$1"
    [ "$("$products/$1")" = "$2" ] || fail "$1 printed something other than \"$2\""
}
# Files that a program was linked from: objects APP MODULE
objects() { grep -c "/$2[A-Za-z]*\.build/" "$products/$1.product/Objects.LinkFileList" || true; }
links() { if [ "$(uname)" = Darwin ]; then otool -L "$products/$1"; else ldd "$products/$1"; fi | grep -q "$2"; }

run Trips "Lisbon, Oslo"
adapter=$(objects Trips QueryKitSQLite)
diary=$(objects Trips FoodDiary)
echo "With QueryKitSQLite alone: $adapter objects of the adapter are linked, $diary of the food diary."
[ "$adapter" -gt 0 ] && [ "$diary" -eq 0 ] || fail "the database adapter must be built without the food diary"
links Trips libsqlite3 || fail "Trips must link SQLite, or the next check proves nothing"
! links Trips libpq || fail "without QueryKitPostgres, nothing may link libpq"

run Pantry "Rice, Oats"
! links Pantry libsqlite3 || fail "a diary in memory must not link SQLite"
echo "With FoodDiaryKit alone: SQLite is not linked."

run Beside "Lisbon, Oslo, Rome, Bergen"
echo "Together with modules that declare Query, Dependency, Mutation and Request: no name is ambiguous."

Tools/tested.sh outside swift test "${package[@]}"

Tools/check-tutorial.py
