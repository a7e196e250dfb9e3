#!/usr/bin/env bash
# Checks that all samples in README.md compile: a swift block whose first line is "// Snippets/NAME.swift" must occur, line by line, in that
# sample, as the documentation shows it (without markers, hidden lines and description). See Tools/embed-snippets.py for those. The lines
# "#if canImport(…)" and "#endif" of the sample are left out too, with the indentation between them, so that a block can show SwiftUI code.
# Also checks that README.md is short, and not too wide to be read without scrolling.
#   check-readme.sh [ROOT]        checks a tree, by default the one that contains this script
#   check-readme.sh --self-test   checks that a difference is found, and that nothing is reported without one
set -euo pipefail

max_lines=150
max_columns=160
max_code_columns=72

blocks='
    # Reads a sample into lines[1...]; -1 if there is no such file.
    function read_sample(path,    line, status, count, hidden, conditional) {
        count = 0; hidden = 0; conditional = 0; split("", lines)
        while ((status = (getline line < path)) > 0) {
            if (line ~ /^\/\/!/) continue
            if (line ~ /^#if canImport\(/) { conditional = 1; continue }
            if (conditional && line ~ /^#endif/) { conditional = 0; continue }
            if (conditional) sub(/^    /, "", line)
            if (line ~ /^[ \t]*\/\/[ \t]*snippet\.[^ \t]+[ \t]*$/) {
                if (line ~ /snippet\.hide/) hidden = 1
                if (line ~ /snippet\.show/) hidden = 0
            } else if (!hidden) lines[++count] = line
        }
        close(path)
        return status < 0 ? -1 : count
    }

    function report(text) { report_at(begin, text) }

    function report_at(number, text) { printf "%s:%d: %s\n", FILENAME, number, text; breaches++ }

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

    /^```/ { fenced = !fenced }
    fenced && length($0) > code_columns { report_at(FNR, "code with more than " code_columns " columns") }
    length($0) > columns { report_at(FNR, "more than " columns " columns") }
    !open && /^```swift[ \t]*$/ { open = 1; begin = FNR; size = 0; next }
    open && /^```[ \t]*$/ {
        open = 0
        if (size > 0 && block[1] ~ /^\/\/ Snippets\/[A-Za-z0-9_\/]+\.swift$/) { compare(); samples++ }
        next
    }
    open { block[++size] = $0 }
    END {
        if (open) report("the block is not closed")
        if (FNR > max_lines) report_at(FNR, "more than " max_lines " lines")
        if (!samples) { begin = 1; report("no block begins with // Snippets/NAME.swift") }
        exit breaches > 0
    }
'

check() {
    cd "$1"
    awk -v max_lines=$max_lines -v columns=$max_columns -v code_columns=$max_code_columns "$blocks" README.md
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

    # A sample with code that not every system compiles. It is shown as if there were no condition.
    sample='import A\n\n#if canImport(B)\n    import B\n#endif\n\n// snippet.view\nlet a = 1\n\n#if canImport(B)\n    struct C {\n        let b = 2\n    }\n#endif\n// snippet.end\nlet d = 4'
    expect clean "${fence}swift\n$name\nlet a = 1\n\nstruct C {\n    let b = 2\n}\n$fence"
    expect clean "${fence}swift\n$name\nimport A\n\nimport B\n\nlet a = 1\n$fence"
    expect clean "${fence}swift\n$name\n}\nlet d = 4\n$fence"
    expect breach "${fence}swift\n$name\nlet a = 1\n\n    struct C {\n        let b = 2\n    }\n$fence"
    expect breach "${fence}swift\n$name\nlet a = 1\n\nstruct C {\n    let b = 3\n}\n$fence"
    expect breach "${fence}swift\n$name\n#endif\nlet d = 4\n$fence"

    # Sizes.
    local block="${fence}swift\n$name\nlet d = 4\n$fence" line
    line=$(printf '%.0sx' $(seq $max_code_columns))
    expect clean "$block\n${fence}text\n$line\n$fence\n${line}x"
    expect breach "$block\n${fence}text\n${line}x\n$fence"
    line=$(printf '%.0sx' $(seq $max_columns))
    expect clean "$block\n$line"
    expect breach "$block\n${line}x"
    expect clean "$block$(printf '%.0s\\n' $(seq $((max_lines - 4))))"
    expect breach "$block$(printf '%.0s\\n' $(seq $((max_lines - 3))))"
}

case ${1:-} in
    --self-test) self_test ;;
    *) check "${1:-$(dirname "$0")/..}" ;;
esac
