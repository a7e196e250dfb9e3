#!/usr/bin/env bash
# Checks that all samples in README.md compile: a swift block whose first line is "// Snippets/NAME.swift" must occur, line by line, in that
# sample, as the documentation shows it (without markers, hidden lines and description). See Tools/snippets.py for those.
#   check-readme.sh [ROOT]        checks a tree, by default the one that contains this script
#   check-readme.sh --self-test   checks that a difference is found, and that nothing is reported without one
set -euo pipefail

blocks='
    # Reads a sample into lines[1...]; -1 if there is no such file.
    function read_sample(path,    line, status, count, hidden) {
        count = 0; hidden = 0; split("", lines)
        while ((status = (getline line < path)) > 0) {
            if (line ~ /^\/\/!/) continue
            if (line ~ /^[ \t]*\/\/[ \t]*snippet\.[^ \t]+[ \t]*$/) {
                if (line ~ /snippet\.hide/) hidden = 1
                if (line ~ /snippet\.show/) hidden = 0
            } else if (!hidden) lines[++count] = line
        }
        close(path)
        return status < 0 ? -1 : count
    }

    function report(text) { printf "%s:%d: %s\n", FILENAME, begin, text; breaches++ }

    function compare(    sample, count, start, line) {
        sample = block[1]
        sub(/^\/\/ /, "", sample)
        count = read_sample(sample)
        if (count < 0) { report("there is no " sample); return }
        if (size < 2) { report("the block shows nothing of " sample); return }
        for (start = 0; start + size - 1 <= count; start++) {
            for (line = 2; line <= size && lines[start + line - 1] == block[line]; line++) {}
            if (line > size) return
        }
        report("the block is not a part of " sample)
    }

    !open && /^```swift[ \t]*$/ { open = 1; begin = FNR; size = 0; next }
    open && /^```[ \t]*$/ {
        open = 0
        if (block[1] ~ /^\/\/ Snippets\/[A-Za-z0-9_\/]+\.swift$/ && size > 0) { compare(); samples++ }
        next
    }
    open { block[++size] = $0 }
    END {
        if (open) report("the block is not closed")
        if (!samples) { begin = 1; report("no block begins with // Snippets/NAME.swift") }
        exit breaches > 0
    }
'

check() {
    cd "$1"
    awk "$blocks" README.md
}

# --- The self-test: a README and a sample in a temporary folder. ---

sample='//! Says hello.\nimport A\n\n// snippet.hello\nlet a = 1\n\n// snippet.hide\nlet secret = 2\n    // snippet.show\nlet b = "\\\\n"\n// snippet.end'
name='// Snippets/Hello.swift'

expect() {
    local wanted=$1 readme=$2 tree outcome=clean
    tree=$(mktemp -d)
    mkdir "$tree/Snippets"
    printf '%b\n' "$sample" >"$tree/Snippets/Hello.swift"
    printf '%b\n' "$readme" >"$tree/README.md"
    (check "$tree") >"$tree/out" || outcome=breach
    if [ "$outcome" != "$wanted" ]; then
        echo "check-readme.sh: expected $wanted for:" >&2
        cat "$tree/README.md" "$tree/out" >&2
        exit 1
    fi
    rm -rf "$tree"
}

self_test() {
    local fence='```'
    expect clean "${fence}swift\n$name\nimport A\n\nlet a = 1\n\nlet b = \"\\\\\\\\n\"\n$fence"
    expect clean "${fence}swift\n$name\nlet a = 1\n$fence\n${fence}swift\nlet other = 1\n$fence"
    expect clean "${fence}sh\nmake\n$fence\n\nText\n\n${fence}swift\n$name\n\nlet a = 1\n$fence"
    expect breach "${fence}swift\n$name\nlet a = 2\n$fence"
    expect breach "${fence}swift\n$name\nlet a = 1 \n$fence"
    expect breach "${fence}swift\n$name\nlet a = 1\nlet b = \"\\\\\\\\n\"\n$fence"
    expect breach "${fence}swift\n$name\nlet secret = 2\n$fence"
    expect breach "${fence}swift\n$name\n// snippet.hello\nlet a = 1\n$fence"
    expect breach "${fence}swift\n$name\nlet b = \"\\\\\\\\n\"\nlet c = 3\n$fence"
    expect breach "${fence}swift\n$name\n$fence"
    expect breach "${fence}swift\n// Snippets/Gone.swift\nlet a = 1\n$fence"
    expect breach "${fence}swift\n$name\nlet a = 1"
    expect breach "${fence}swift\n$name\nlet a = 1\n$fence\n${fence}swift\n$name\nlet a = 2\n$fence"
    expect breach "${fence}swift\nlet other = 1\n$fence"
    expect breach "Text"
}

case ${1:-} in
    --self-test) self_test ;;
    *) check "${1:-$(dirname "$0")/..}" ;;
esac
