#!/usr/bin/env bash
# Checks the house rules that a text search can check, and prints each violation as file:line: rule.
#   check-house.sh [ROOT]        checks a tree, by default the one that contains this script
#   check-house.sh --self-test   checks that each rule finds a violation, and reports nothing in a valid tree
set -euo pipefail

max_lines=500

# Existing Swift files of the given folders, without build folders.
swift_files() {
    local folder
    for folder in "$@"; do
        [ ! -d "$folder" ] || find "$folder" -name '.build*' -prune -o -name '*.swift' -type f -print
    done | sort
}

# Code that bypasses the compiler's checks is allowed if the comment directly above it (attributes may be in between) is a doc comment or
# begins with "// Invariant:". The comment must say why the code is safe and what ensures that.
escapes='
    function text(line) { sub(/^[ \t]+/, "", line); return line }
    {
        line = text($0)
        if (line ~ /^\/\//) { reason = reason || line ~ /^\/\/\// || line ~ /^\/\/ Invariant:/; next }
        code = line
        sub(/\/\/.*/, "", code)
        if (!reason && code ~ /@unchecked Sendable|nonisolated\(unsafe\)|unsafeBitCast|try!|fatalError/)
            printf "%s:%d: unchecked code without a reason: write \"// Invariant: …\" above it\n", FILENAME, FNR
        if (line !~ /^@[A-Za-z]+(\([^)]*\))?$/) reason = 0
    }
'

check() {
    cd "$1"
    local file breaches
    breaches=$(
        swift_files Sources Tools/AppleShims/Sources | while read -r file; do
            awk "$escapes" "$file"
            lines=$(wc -l <"$file")
            [ "$lines" -le "$max_lines" ] || echo "$file:$lines: more than $max_lines lines: split the file"
        done
        swift_files Tests Tools/AppleShims/Tests | while read -r file; do
            grep -nE '(Task|Thread|Never>)\.sleep|(^|[^.[:alnum:]_])((u|nano)sleep\(|sleep\([0-9])' "$file" |
                sed "s|^\([0-9]*\):.*|$file:\1: a test that sleeps: use a gate or the manual clock|" || true
        done
        swift_files Sources Tests Snippets Examples Benchmarks Faults Tools/AppleShims | while read -r file; do
            grep -nwE 'TODO|FIXME|XXX' "$file" |
                sed "s|^\([0-9]*\):.*|$file:\1: an unfinished note: finish it or open an issue|" || true
        done
    )
    [ -z "$breaches" ] || { echo "$breaches"; return 1; }
}

# --- The self-test: a tree in a temporary folder with one violation at a time. ---

expect() {
    local wanted=$1 path=$2 content=$3 tree outcome=clean
    tree=$(mktemp -d)
    mkdir -p "$tree/$(dirname "$path")"
    printf '%b\n' "$content" >"$tree/$path"
    (check "$tree") >"$tree/out" || outcome=breach
    if [ "$outcome" != "$wanted" ]; then
        echo "check-house.sh: expected $wanted for $path:" >&2
        printf '%b\n' "$content" | head -n 5 >&2
        cat "$tree/out" >&2
        exit 1
    fi
    rm -rf "$tree"
}

self_test() {
    local escape
    for escape in 'final class A: @unchecked Sendable {}' 'nonisolated(unsafe) var a = 1' 'let b = unsafeBitCast(a, to: B.self)' \
        'let a = try! b()' 'fatalError("a")'; do
        expect breach Sources/A/A.swift "$escape"
        expect breach Sources/A/A.swift "let z = 1\n$escape"
        expect breach Sources/A/A.swift "// Because.\n$escape"
        expect breach Sources/A/A.swift "// Invariant: of another line.\nlet z = 1\n$escape"
        expect clean Sources/A/A.swift "// Invariant: the lock is held,\n// by the caller.\n$escape"
        expect clean Sources/A/A.swift "let z = 1\n    // Invariant: the lock is held.\n    @usableFromInline\n    $escape"
        expect clean Sources/A/A.swift "/// Holds because the lock is held.\n$escape"
        expect clean Sources/A/A.swift "let a = 1 // not $escape"
        expect clean Tests/A/A.swift "$escape"
    done
    for escape in 'try await Task.sleep(for: .seconds(1))' 'Task<Never, Never>.sleep(1)' 'Thread.sleep(forTimeInterval: 1)' \
        '_ = usleep(10)' 'sleep(1)'; do
        expect breach Tests/A/A.swift "let z = 1\n$escape"
    done
    expect clean Tests/A/A.swift 'func sleep(until deadline: Instant) { clock.sleep(until: deadline) }'
    for escape in TODO FIXME XXX; do
        expect breach Snippets/A.swift "// $escape: later"
        expect clean Sources/A/A.swift "let a${escape} = 1"
    done
    expect breach Sources/A/A.swift "$(printf '%.0s\\n' $(seq $max_lines))"
    expect clean Sources/A/A.swift "$(printf '%.0s\\n' $(seq $((max_lines - 1))))"
    expect clean Sources/A/A.txt 'fatalError()'
}

case ${1:-} in
    --self-test) self_test ;;
    *) check "${1:-$(dirname "$0")/..}" ;;
esac
