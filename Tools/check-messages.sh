#!/usr/bin/env bash
# Compiles common mistakes in Tests/WrongAttempts, and checks that the compiler prints the messages that CompilerMessages.md quotes. The
# first line of each file contains the expected message. The package must have been built.
set -euo pipefail
cd "$(dirname "$0")/.."
modules="$(swift build ${FLAGS:-} --show-bin-path)/Modules"
article=Sources/QueryKit/QueryKit.docc/CompilerMessages.md
# The article wraps long messages.
quoted=$(tr -s '[:space:]' ' ' <"$article")
count=0
for file in Tests/WrongAttempts/*.swift; do
    message=$(sed -n '1s#^// message: ##p' "$file")
    settings=$(sed -n '2s#^// settings: ##p' "$file")
    [ -n "$message" ] || { echo "$file does not begin with the message that it expects." >&2; exit 1; }
    # shellcheck disable=SC2086
    if output=$(swiftc -swift-version 6 $settings -typecheck -I "$modules" \
        -Xcc "-fmodule-map-file=$PWD/Sources/CSQLite/module.modulemap" "$file" 2>&1); then
        echo "$file compiles, but should not." >&2
        exit 1
    fi
    grep -qF "$message" <<<"$output" || { printf '%s: no message says "%s":\n%s\n' "$file" "$message" "$output" >&2; exit 1; }
    grep -qF "$message" <<<"$quoted" || { echo "$article does not quote: $message" >&2; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "There are no files in Tests/WrongAttempts." >&2; exit 1; }
echo "$count wrong attempts cause the message that the guide explains."
