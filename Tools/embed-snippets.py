#!/usr/bin/env python3
"""Writes the samples of Snippets/ into the articles (Sources/**/*.docc/*.md), so that GitHub and DocC show the same code.

  embed-snippets.py [ROOT]           updates the articles of a tree, by default of the one that contains this script
  embed-snippets.py --check [ROOT]   prints what would change, and fails if there is anything
  embed-snippets.py --self-test      checks that differences and mistakes are found, and that nothing is reported without one

To show a sample, write a line like one of these into an article, and call the tool. It writes the block of code below the line:

  <!-- Snippets/FirstUse.swift -->          the whole sample
  <!-- Snippets/FirstUse.swift: model -->   one part of it

In a sample, a line "// snippet.hide" leaves out what follows until "// snippet.show". "// snippet.NAME" begins the part NAME, which ends at
"// snippet.end" or where the next one begins. Lines that begin with "//!" describe the sample, and are not shown. A block has at most 45
lines, and no code in an article has more than 72 columns: longer lines are cut on a phone.
"""
import argparse
import contextlib
import difflib
import io
import pathlib
import re
import sys
import tempfile
import textwrap

MAX_LINES = 45
MAX_COLUMNS = 72
PART = re.compile(r"\s*//\s*snippet\.(\S+)\s*$")
MALFORMED_PART = re.compile(r"\s*//\s*snippet\.")
MARKER = re.compile(r"<!-- (Snippets/[\w/]+\.swift)(?:: (\w+))? -->$")
MALFORMED_MARKER = re.compile(r"\s*(<!--\s*Snippets/|@Snippet\b)")
FENCE = re.compile(r"\s*```")


class Mistake(Exception):
    pass


def parts(text):
    """Returns the visible lines of a sample by the name of the part; the whole sample has the name None."""
    lines = {None: []}
    hidden, part = False, None
    for number, line in enumerate(text.splitlines(), 1):
        marker = PART.match(line)
        if not marker:
            if MALFORMED_PART.match(line):
                raise Mistake(f"line {number} has text after the name of the part")
            if not hidden and not line.startswith("//!"):
                for name in {None, part}:
                    lines[name].append(line)
        elif marker[1] in ("hide", "show"):
            hidden = marker[1] == "hide"
        elif marker[1] == "end":
            part = None
        elif marker[1] in lines:
            raise Mistake(f"the part {marker[1]} begins twice")
        else:
            part = marker[1]
            lines[part] = []
    return lines


def block(root, path, name):
    """Returns the lines of the fenced block that shows a sample or a part of it."""
    file = root / path
    if not file.is_file():
        raise Mistake(f"there is no {path}")
    try:
        found = parts(file.read_text(encoding="utf-8"))
    except Mistake as mistake:
        raise Mistake(f"{path}: {mistake}") from None
    if name not in found:
        raise Mistake(f"{path} has no part {name}")
    # Where hidden lines were, one blank line remains.
    code = re.sub(r"\n{3,}", "\n\n", textwrap.dedent("\n".join(found[name]))).strip("\n").split("\n")
    if code == [""]:
        raise Mistake(f"{path} shows nothing in {name or 'the whole'}")
    if len(code) > MAX_LINES:
        raise Mistake(f"{path} shows {len(code)} lines in {name or 'the whole'}, more than {MAX_LINES}: divide it into parts")
    return ["```swift", *code, "```"]


def end_of_fence(lines, start):
    """Returns the index after the block of code that begins at an index."""
    for index in range(start + 1, len(lines)):
        if FENCE.match(lines[index]):
            return index + 1
    raise Mistake("the block of code is not closed")


def embed(root, article):
    """Returns the text of an article with its blocks updated, what differs from the samples, and what only a person can correct."""
    differences, mistakes = [], []

    def place(line):
        return f"{article.relative_to(root)}:{line}"

    lines = article.read_text(encoding="utf-8").split("\n")
    output = []
    index = 0
    while index < len(lines):
        line = lines[index]
        number = index + 1
        marker = MARKER.match(line)
        index += 1
        output.append(line)
        try:
            if marker:
                end = index
                if index < len(lines) and FENCE.match(lines[index]):
                    end = end_of_fence(lines, index)
                old = lines[index:end]
                new = block(root, marker[1], marker[2])
                if old != new:
                    difference = difflib.unified_diff(old, new, str(article.relative_to(root)), marker[1], lineterm="")
                    message = f"{place(number)}: the block differs from its sample: call Tools/embed-snippets.py"
                    differences.append("\n".join([message, *difference]))
                output += new
                index = end
            elif MALFORMED_MARKER.match(line):
                raise Mistake("write <!-- Snippets/NAME.swift: PART --> to show a sample")
            elif FENCE.match(line):
                end = end_of_fence(lines, number - 1)
                output += lines[index:end]
                index = end
        except Mistake as mistake:
            mistakes.append(f"{place(number)}: {mistake}")
    fenced = False
    for number, line in enumerate(output, 1):
        if FENCE.match(line):
            fenced = not fenced
        elif fenced and len(line) > MAX_COLUMNS:
            mistakes.append(f"{place(number)}: code with more than {MAX_COLUMNS} columns")
    return "\n".join(output), differences, mistakes


def run(root, check):
    """Updates or checks all articles of a tree. Returns whether all is well."""
    breaches = []
    updated = 0
    for article in sorted((root / "Sources").glob("**/*.docc/**/*.md")):
        text, differences, mistakes = embed(root, article)
        breaches += differences + mistakes if check else mistakes
        if differences and not check:
            article.write_text(text, encoding="utf-8")
            updated += 1
    if breaches:
        print("\n".join(breaches))
    elif not check:
        print(f"{updated} articles updated.")
    return not breaches


# --- The self-test: an article and a sample in a temporary folder. ---

SAMPLE = """\
//! Says hello.
import A

// snippet.hello
let a = 1

// snippet.hide
let secret = 2
// snippet.show

let b = 2
// snippet.end
struct C {
    // snippet.inner
    func d() {
        e()
    }
    // snippet.next
    func f() {}
// snippet.end
}
// snippet.empty
// snippet.end
"""
HELLO = "<!-- Snippets/Hello.swift: hello -->\n```swift\nlet a = 1\n\nlet b = 2\n```\n"


@contextlib.contextmanager
def tree(article, sample):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        file = root / "Sources/Module/Module.docc/Article.md"
        file.parent.mkdir(parents=True)
        file.write_text(article, encoding="utf-8")
        (root / "Snippets").mkdir()
        (root / "Snippets/Hello.swift").write_text(sample, encoding="utf-8")
        yield root, file


def output_of(root, check):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        outcome = run(root, check)
    return outcome, output.getvalue()


def expect(condition, article, output):
    if not condition:
        sys.exit(f"embed-snippets.py: the self-test failed for:\n{article}\n{output}")


def clean(article, sample=SAMPLE):
    with tree(article, sample) as (root, _):
        outcome, output = output_of(root, check=True)
        expect(outcome and not output, article, output)


def breach(article, message, sample=SAMPLE):
    """A mistake that only a person can correct. It is reported with and without --check, with the file and the line."""
    with tree(article, sample) as (root, file):
        for check in (True, False):
            outcome, output = output_of(root, check)
            expect(not outcome and message in output and "Sources/Module/Module.docc/Article.md:" in output, article, output)


def update(article, wanted, sample=SAMPLE):
    """A difference: --check reports it and changes nothing, the tool corrects it, and then nothing is reported."""
    with tree(article, sample) as (root, file):
        outcome, output = output_of(root, check=True)
        expect(not outcome and "Article.md:" in output and "+++ Snippets/Hello.swift" in output, article, output)
        expect(file.read_text(encoding="utf-8") == article, article, "--check has changed the article")
        outcome, output = output_of(root, check=False)
        expect(outcome and file.read_text(encoding="utf-8") == wanted, article, output + file.read_text(encoding="utf-8"))
        outcome, output = output_of(root, check=True)
        expect(outcome and not output, article, output)


def self_test():
    clean("# Title\n\nText.\n\n```swift\nlet other = 1\n```\n")
    clean(f"# Title\n\n{HELLO}\nText.\n\n{HELLO}")
    clean("<!-- Snippets/Hello.swift: inner -->\n```swift\nfunc d() {\n    e()\n}\n```\n")
    clean("<!-- Snippets/Hello.swift: next -->\n```swift\nfunc f() {}\n```\n")
    clean("```\n<!-- Snippets/Hello.swift: hello -->\n```\n")
    clean("<!-- Another comment -->\n")

    update("Text.\n\n<!-- Snippets/Hello.swift: hello -->\n\nText.\n", f"Text.\n\n{HELLO}\nText.\n")
    update("<!-- Snippets/Hello.swift: hello -->", HELLO.rstrip("\n"))
    update(HELLO.replace("b = 2", "b = 3") + "\nText.\n", HELLO + "\nText.\n")
    update(HELLO.replace("b = 2\n", "b = 2 \n") + HELLO, HELLO + HELLO)
    update(HELLO.replace("```swift", "```"), HELLO)
    update("<!-- Snippets/Hello.swift -->\n", "<!-- Snippets/Hello.swift -->\n```swift\nimport A\n\nlet a = 1\n```\n",
           sample="//! Says hello.\nimport A\n\n// snippet.a\nlet a = 1\n")

    breach("<!-- Snippets/Gone.swift: hello -->\n", "Article.md:1: there is no Snippets/Gone.swift")
    breach("Text.\n\n<!-- Snippets/Hello.swift: gone -->\n", "Article.md:3: Snippets/Hello.swift has no part gone")
    breach("<!-- Snippets/Hello.swift: empty -->\n", "shows nothing")
    breach("<!--Snippets/Hello.swift: hello-->\n", "to show a sample")
    breach('@Snippet(path: "Snippets/Hello", slice: "hello")\n', "to show a sample")
    breach(HELLO.rstrip("`\n") + "\n", "not closed")
    breach("Text.\n```swift\nlet a = 1\n", "Article.md:2: the block of code is not closed")
    breach(HELLO, "begins twice", sample=SAMPLE + "// snippet.hello\n")
    breach(HELLO, "line 24 has text after the name", sample=SAMPLE + "// snippet.other One change.\n")
    line = "x" * MAX_COLUMNS
    clean(f"```text\n{line}\n```\n{line}x\n")
    breach(f"```text\n{line}x\n```\n", f"Article.md:2: code with more than {MAX_COLUMNS} columns")
    breach("<!-- Snippets/Hello.swift: long -->\n", "divide it into parts", sample="// snippet.long\n" + "a()\n" * (MAX_LINES + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    if options.self_test:
        self_test()
    elif not run(options.root, options.check):
        sys.exit(1)


main()
