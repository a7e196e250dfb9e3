#!/usr/bin/env bash
# Type-checks the samples of the documentation, and the shorter code of Tests/RightAttempts, in the four settings that apps use: with and
# without the main actor as default isolation, and with and without NonisolatedNonsendingByDefault. The package must have been built.
set -euo pipefail
cd "$(dirname "$0")/.."
modules="$(swift build ${FLAGS:-} --show-bin-path)/Modules"
failures=0
check() { # check FILE SETTING…
    local file=$1
    shift
    if ! output=$(swiftc -swift-version 6 "$@" -typecheck -I "$modules" -Xcc "-fmodule-map-file=$PWD/Sources/CSQLite/module.modulemap" "$file" 2>&1); then
        echo "$file with ${*:-no settings}:" >&2
        grep -E "error:" <<<"$output" | sort -u >&2
        failures=$((failures + 1))
    fi
}
count=0
for file in Snippets/*.swift Tests/RightAttempts/*.swift; do
    check "$file"
    check "$file" -default-isolation MainActor
    check "$file" -enable-upcoming-feature NonisolatedNonsendingByDefault
    check "$file" -default-isolation MainActor -enable-upcoming-feature NonisolatedNonsendingByDefault
    count=$((count + 1))
done
[ "$failures" -eq 0 ] || { echo "$failures samples do not compile." >&2; exit 1; }
echo "$count samples compile in four isolation settings."
