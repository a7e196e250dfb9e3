#!/usr/bin/env bash
# Checks the house rules that a text search can check, and prints each violation as file:line: rule.
#   check-house.sh [ROOT]        checks a tree, by default the one that contains this script
#   check-house.sh --self-test   checks that each rule finds a violation, and reports nothing in a valid tree
set -euo pipefail
export LC_ALL=C

max_lines=500
# The formatter breaks code at this length, but not comments.
max_comment=140

# Words that signal a sentence to rewrite, and how often each of them may occur in the whole tree.
signals='somebody|nobody|whoever|whatever|anew|meanwhile|can not|answers with|of which|lies in|stands in'
max_signals=5

# Existing Swift files of the given folders, without build folders.
swift_files() {
    local folder
    for folder in "$@"; do
        [ ! -d "$folder" ] || find "$folder" -name '.build*' -prune -o -name '*.swift' -type f -print
    done | sort
}

# All Swift files and all .md files, without build folders.
text_files() {
    find . \( -name '.build*' -o -name .git \) -prune -o \( -name '*.swift' -o -name '*.md' \) -type f -print | sed 's|^\./||' | sort
}

# Calls grep or awk with the paths on standard input. Finding nothing is not a failure.
in_files() { tr '\n' '\0' | xargs -0 "$@" /dev/null || [ "$1" = grep ]; }

# Replaces the text of each line that grep has found by the rule it breaks.
breaking() { sed "s|^\([^:]*:[0-9]*\):.*|\1: $1|"; }

# Code that bypasses the compiler's checks is allowed if the comment directly above it (attributes may be in between) is a doc comment or
# begins with "// Invariant:". The comment must say why the code is safe and what ensures that.
escapes='
    function text(line) { sub(/^[ \t]+/, "", line); return line }
    FNR == 1 { reason = 0 }
    FNR == max_lines + 1 { printf "%s:%d: more than %d lines: split the file\n", FILENAME, FNR, max_lines }
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

# Comments must not be longer than code. Rows of tables can't be broken. The characters of a line are counted, not its bytes.
comments='
    /^[ \t]*\/\/\/? [^|]/ {
        line = $0
        gsub(/[\200-\277]/, "", line)
        if (length(line) > max_comment) printf "%s:%d: a comment of more than %d characters: break the line\n", FILENAME, FNR, max_comment
    }
'

# Prints each signal word in a comment, in the name of a test or in a .md file as file:line, tab, word. Text in backticks and blocks of code
# don't count, but the comments in such blocks do. A phrase may begin on one line and end on the next.
signal_places='
    function prose(line,    name, comment) {
        name = match(line, /func `[^`]*`/) ? substr(line, RSTART + 6, RLENGTH - 7) "." : ""
        comment = match(line, /(^|[ \t])\/\//) ? substr(line, RSTART) : ""
        return name comment
    }
    BEGIN { count = split(signals, signal, "|") }
    FNR == 1 { is_code = 0; begun = ""; is_page = FILENAME ~ /\.md$/ }
    {
        text = is_page ? $0 : prose($0)
        if (text ~ /^[ \t\/]*```/) { is_code = !is_code; next }
        if (is_code) { if (!is_page) sub(/^[ \t]*\/\/\//, "", text); text = prose(text) }
        if (text !~ /[A-Za-z]/) { begun = ""; next }
        gsub(/`+[^`]*`+/, ".", text)
        gsub(/[.,;:!?()]/, " . ", text)
        text = " " begun " " tolower(text) " "
        gsub(/[^a-z.]+/, " ", text)
        for (i = 1; i <= count; i++)
            for (rest = text; at = index(rest, " " signal[i] " "); rest = substr(rest, at + length(signal[i]) + 1))
                printf "%s:%d\t%s\n", FILENAME, FNR, signal[i]
        begun = match(text, / (can|answers|of|lies|stands) $/) ? substr(text, RSTART, RLENGTH) : ""
    }
'

too_many='
    { place[NR] = $1; word[NR] = $2; total[$2]++ }
    END {
        for (i = 1; i <= NR; i++) if (total[word[i]] > most)
            printf "%s: \"%s\" occurs %d times, more than %d: rewrite the sentence\n", place[i], word[i], total[word[i]], most
    }
'

check() {
    cd "$1"
    local breaches
    breaches=$(
        swift_files Sources Tools/AppleShims/Sources | in_files awk -v max_lines="$max_lines" "$escapes"
        swift_files Sources Tests Benchmarks Faults Tools/AppleShims | grep -v '^Tests/WrongAttempts/' |
            in_files awk -v max_comment="$max_comment" "$comments"
        swift_files Tests Tools/AppleShims/Tests |
            in_files grep -nE '(Task|Thread|Never>)\.sleep|(^|[^.[:alnum:]_])((u|nano)sleep\(|sleep\([0-9])' |
            breaking 'a test that sleeps: use a gate or the manual clock'
        swift_files Sources Tests Snippets Examples Benchmarks Faults Tools/AppleShims |
            in_files grep -nwE 'TODO|FIXME|XXX' |
            breaking 'an unfinished note: finish it or open an issue'
        text_files | in_files awk -v signals="$signals" "$signal_places" | awk -F '\t' -v most="$max_signals" "$too_many"
    )
    [ -z "$breaches" ] || { echo "$breaches"; return 1; }
}

# --- The self-test: a tree in a temporary folder with one violation at a time. ---

# expect clean|breach PATH CONTENT [PATH CONTENT]…
expect() {
    local wanted=$1 tree outcome=clean
    shift
    tree=$(mktemp -d)
    while [ $# -gt 0 ]; do
        mkdir -p "$tree/$(dirname "$1")"
        printf '%b\n' "$2" >"$tree/$1"
        shift 2
    done
    (check "$tree") >"$tree/out" || outcome=breach
    if [ "$outcome" != "$wanted" ]; then
        echo "check-house.sh: expected $wanted for:" >&2
        (cd "$tree" && find . -type f -exec head -n 5 {} +) >&2
        exit 1
    fi
    rm -rf "$tree"
}

# Repeats a line.
lines() { local count; for ((count = 0; count < $1; count++)); do printf '%s\\n' "$2"; done; }

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
    local long
    long=$(printf 'é%.0s' $(seq $((max_comment - 4))))
    expect clean Tests/A/A.swift "/// $long"
    expect breach Tests/A/A.swift "/// a$long"
    expect clean Tests/A/A.swift "/// | a$long |"
    self_test_signals
}

self_test_signals() {
    local word line
    while read -r word; do
        expect breach Tests/A/A.swift "$(lines 6 "// The $word.")"
    done < <(tr '|' '\n' <<<"$signals")
    expect clean Tests/A/A.swift "$(lines 5 "// ${signals//|/, }.")"
    expect breach A.md 'Anew anew anew.\nAnew, anew: anew'
    expect breach A.md "$(lines 3 'anew')" B/B.swift "$(lines 3 '// anew')"
    expect clean A.md "$(lines 3 'anew')" .build/B.md "$(lines 3 'anew')"
    for line in 'let a = 1  // anew' '@Test func `R1 a store runs anew`() {' '/// ```\n/// // Anew.\n/// ```' '// The part of\n// which'; do
        expect breach A.swift "$(lines 6 "$line")"
    done
    # Code doesn't count.
    expect clean A.md "$(lines 6 '`anew`\n```swift\nlet anew = 1\n```')" A.swift "$(lines 6 'let anew = f("anew")\ncase `anew`')" \
        B.swift "$(lines 6 '/// `anew` and ``A/anew``\n/// ```\n/// let anew = 1\n/// ```')" \
        C.swift "$(lines 6 '// The part of\nlet a = 1\n// which they can note if they can, not otherwise: renewanew.')"
}

case ${1:-} in
    --self-test) self_test ;;
    *) check "${1:-$(dirname "$0")/..}" ;;
esac
