#!/usr/bin/env python3
"""Copies the code that the demo shows from its acts (Examples/Sources/DemoActs/Acts/*.swift) into a Swift file, so that it shows what runs.

  embed-acts.py [ROOT]           writes the file of a tree, by default of the one that contains this script
  embed-acts.py --check [ROOT]   fails if the file differs from the acts
  embed-acts.py --self-test      checks that differences and mistakes are found, and that nothing is reported without one

In an act, a line "// act.code" begins a part that is shown, and "// act.end" ends it. The parts of a file are shown below each other, each
without the indentation that all of its lines have. A line has at most 58 columns, so that the code fits beside a screen.
"""
import argparse
import contextlib
import io
import pathlib
import re
import sys
import tempfile
import textwrap

ACTS = pathlib.Path("Examples/Sources/DemoActs/Acts")
OUTPUT = pathlib.Path("Examples/Sources/DemoActs/Code/ActCode+Sources.swift")
MAX_COLUMNS = 58
MAX_LINES = 30
MARKER = re.compile(r"\s*// act\.(\w+)$")
MALFORMED_MARKER = re.compile(r"\s*//\s*act\.")
HEADER = """\
// Written by Tools/embed-acts.py: change the acts, and call it.
// swift-format-ignore-file

extension ActCode {
"""


class Mistake(Exception):
    pass


def indentation(lines):
    return min(len(line) - len(line.lstrip()) for line in lines if line.strip())


def parts(text):
    """Returns the parts that are shown: for each one the number of its first line, and its lines without their common indentation."""
    found, start, lines = [], None, []
    for number, line in enumerate(text.splitlines(), 1):
        marker = MARKER.match(line)
        if marker is None:
            if MALFORMED_MARKER.match(line):
                raise Mistake(f"line {number} is neither // act.code nor // act.end")
            if start is not None:
                lines.append(line)
        elif marker[1] == "code" and start is None:
            start, lines = number + 1, []
        elif marker[1] == "end" and start is not None:
            if not any(line.strip() for line in lines):
                raise Mistake(f"the part that ends in line {number} shows nothing")
            found.append((start, lines))
            start = None
        else:
            raise Mistake(f"line {number} has a marker that doesn't fit the one before it")
    if start is not None:
        raise Mistake(f"the part that begins in line {start} has no end")
    return [(start, indentation(lines), textwrap.dedent("\n".join(lines)).split("\n")) for start, lines in found]


def shown(text):
    """Returns the parts as (number of the first line, lines), with one blank line between parts of different depths."""
    result, before = [], None
    for start, depth, lines in parts(text):
        if before is not None and depth != before and lines[0]:
            start, lines = start - 1, ["", *lines]
        before = depth
        result.append((start, lines))
    if not result:
        raise Mistake("no part is shown")
    if not result[0][1][0] or not result[-1][1][-1]:
        raise Mistake("the code begins or ends with an empty line")
    count = 0
    for start, lines in result:
        for offset, line in enumerate(lines):
            count += 1
            if len(line) > MAX_COLUMNS:
                raise Mistake(f"line {start + offset} has {len(line)} columns, more than {MAX_COLUMNS}")
    if count > MAX_LINES:
        raise Mistake(f"{count} lines are shown, more than {MAX_LINES}")
    return result


def source(root):
    """Returns the text of the Swift file."""
    files = sorted((root / ACTS).glob("*.swift"))
    if not files:
        raise Mistake(f"{ACTS}: there are no acts")
    text = HEADER
    for index, file in enumerate(files):
        try:
            found = shown(file.read_text(encoding="utf-8"))
        except Mistake as mistake:
            raise Mistake(f"{ACTS / file.name}: {mistake}") from None
        name = file.stem[0].lower() + file.stem[1:]
        text += ("\n" if index else "") + f'    static let {name} = ActCode(\n        "{file.name}",\n        [\n'
        for start, lines in found:
            text += f'            {start}: #"""\n'
            text += "".join(f"{'    ' * 4}{line}\n" if line else "\n" for line in lines)
            text += '                """#,\n'
        text += "        ]\n    )\n"
    return text + "}\n"


def run(root, check):
    try:
        text = source(root)
    except Mistake as mistake:
        print(mistake)
        return False
    file = root / OUTPUT
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return True
    if check:
        print(f"{OUTPUT} differs from the acts: call Tools/embed-acts.py")
        return False
    file.write_text(text, encoding="utf-8")
    print(f"{OUTPUT} updated.")
    return True


# --- The self-test: an act in a temporary folder. ---

ACT = """\
// act.code
struct A {
    let a = "\\(1)"
    // act.end

    let hidden = 1
    // act.code
}
// act.end

func play() {
    // act.code
    f()

    // act.end
    secret()
    // act.code
    g()
    // act.end
}
"""
WANTED = HEADER + '''\
    static let first = ActCode(
        "First.swift",
        [
            2: #"""
                struct A {
                    let a = "\\(1)"
                """#,
            8: #"""
                }
                """#,
            12: #"""

                f()

                """#,
            18: #"""
                g()
                """#,
        ]
    )
}
'''


@contextlib.contextmanager
def tree(act):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in (ACTS, OUTPUT.parent):
            (root / path).mkdir(parents=True)
        (root / ACTS / "First.swift").write_text(act, encoding="utf-8")
        yield root


def output_of(root, check):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        outcome = run(root, check)
    return outcome, output.getvalue()


def expect(condition, act, output):
    if not condition:
        sys.exit(f"embed-acts.py: the self-test failed for:\n{act}\n{output}")


def breach(act, message):
    with tree(act) as root:
        for check in (True, False):
            outcome, output = output_of(root, check)
            expect(not outcome and message in output and "First.swift" in output, act, output)


def self_test():
    with tree(ACT) as root:
        outcome, output = output_of(root, check=True)
        expect(not outcome and "differs from the acts" in output and not (root / OUTPUT).exists(), ACT, output)
        outcome, output = output_of(root, check=False)
        written = (root / OUTPUT).read_text(encoding="utf-8")
        expect(outcome and written == WANTED, ACT, written)
        outcome, output = output_of(root, check=True)
        expect(outcome and not output, ACT, output)
        (root / ACTS / "First.swift").write_text(ACT.replace("g()", "h()"), encoding="utf-8")
        outcome, output = output_of(root, check=True)
        expect(not outcome and "differs from the acts" in output, ACT, output)
    breach("f()\n", "no part is shown")
    breach("// act.code\n// act.end\n", "line 2 shows nothing")
    breach("// act.code\nf()\n", "the part that begins in line 2 has no end")
    breach("// act.end\n", "line 1 has a marker")
    breach("// act.code\nf()\n// act.code\n", "line 3 has a marker")
    breach("// act.code here\nf()\n// act.end\n", "line 1 is neither")
    breach("// act.code\n\nf()\n// act.end\n", "empty line")
    breach("// act.code\nf()\n\n// act.end\n", "empty line")
    line = "x" * MAX_COLUMNS
    breach(f"// act.code\n{line}x\n// act.end\n", f"line 2 has {MAX_COLUMNS + 1} columns")
    breach("// act.code\n" + "f()\n" * (MAX_LINES + 1) + "// act.end\n", "lines are shown")
    for act in (f"// act.code\n{line}\n// act.end\n", "// act.code\n" + "f()\n" * MAX_LINES + "// act.end\n"):
        with tree(act) as root:
            outcome, output = output_of(root, check=False)
            expect(outcome, act, output)


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
