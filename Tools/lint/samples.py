#!/usr/bin/env python3
"""Writes code that runs into what shows it: samples into articles and README.md, acts into the demo.

  samples.py           writes it
  samples.py --check   prints what would change, and fails if there is anything

Both modes fail, and print file:line: mistake, if a person has to correct something.

To show a sample in an article (Sources/**/*.docc/*.md) or in README.md, write a line like one of these, and call the tool. It writes the
block of code below the line:

  <!-- Snippets/FirstUse.swift -->          the whole sample
  <!-- Snippets/FirstUse.swift: model -->   one part of it

In a sample, a line "// snippet.hide" leaves out what follows until "// snippet.show". "// snippet.NAME" begins the part NAME, which ends at
"// snippet.end" or where the next one begins. Lines that begin with "//!" describe the sample, and are not shown. README.md shows code for
SwiftUI without its "#if canImport(…)". A block has at most 45 lines, and no code has more than 72 columns: longer lines are cut on a phone.

In an act of the demo, "// snippet.show" begins what is shown, and "// snippet.hide" ends it. The parts of an act are shown below each other,
each without the indentation that all of its lines have. An act has at most 30 lines of at most 58 columns, which fit beside a screen.
"""
import difflib
import re
import sys
import textwrap

from tree import ROOT, files, finish, line_of, read

LINES, COLUMNS = 45, 72
ACT_LINES, ACT_COLUMNS = 30, 58
ACTS = "Examples/Sources/DemoActs/Acts"
ACT_CODE = "Examples/Sources/DemoActs/Code/ActCode+Sources.swift"
ACT_HEADER = "// Written by Tools/lint/samples.py: change the acts, and call it.\n// swift-format-ignore-file\n\nextension ActCode {\n"
# A marker with its block of code, another block, and what looks like one of these but isn't.
SHOWN = re.compile(
    r"^<!-- (?P<path>Snippets/[\w/]+\.swift)(?:: (?P<part>\w+))? -->(?=\n|\Z)(?:\n```.*?\n```(?=\n|\Z))?"
    r"|^[ \t]*```.*?\n[ \t]*```(?=\n|\Z)"
    r"|^[ \t]*(?:(?P<marker><!--\s*Snippets/|@Snippet\b)|```)[^\n]*",
    re.M | re.S,
)


class Mistake(Exception):
    pass


def marked(path):
    """The lines of a source file as (number, line, name of the marker in it)."""
    for number, line in enumerate(read(path).splitlines(), 1):
        marker = re.match(r"\s*//\s*snippet\.(\S+)(.*)", line)
        if marker and marker[2].strip():
            raise Mistake(f"{path}:{number}: text after the name of the part")
        if not line.startswith("//!"):
            yield number, line, marker and marker[1]


def parts(path):
    """The visible lines of a sample by the name of the part; the whole sample has the name None."""
    lines, part, hidden = {None: []}, None, False
    for number, line, marker in marked(path):
        if marker in ("hide", "show"):
            hidden = marker == "hide"
        elif marker in lines and marker is not None:
            raise Mistake(f"{path}:{number}: the part {marker} begins twice")
        elif marker:
            part = None if marker == "end" else marker
            lines.setdefault(part, [])
        elif not hidden:
            for name in {None, part}:
                lines[name].append(line)
    return lines


def block(path, part, is_readme):
    """The block of code that shows a sample or a part of it."""
    if not (ROOT / path).is_file():
        raise Mistake(f"there is no {path}")
    found = parts(path)
    if part not in found:
        raise Mistake(f"{path} has no part {part}")
    text = "\n".join(found[part])
    if is_readme:
        text = re.sub(r"^#if canImport\(.*\n((?:.*\n)*?)#endif$", lambda match: textwrap.dedent(match[1]).rstrip("\n"), text, flags=re.M)
    # Where hidden lines were, one blank line remains.
    text = re.sub(r"\n{3,}", "\n\n", textwrap.dedent(text)).strip("\n")
    if not text:
        raise Mistake(f"{path} shows nothing in {part or 'the whole'}")
    if text.count("\n") >= LINES:
        raise Mistake(f"{path} shows more than {LINES} lines in {part or 'the whole'}: divide it into parts")
    return f"\n```swift\n{text}\n```"


def page(path, mistakes):
    """The text of a page with its samples as they are."""
    old = read(path)

    def show(match):
        new, place = match[0], f"{path}:{line_of(old, match.start())}"
        try:
            if match["path"]:
                new = match[0].split("\n")[0] + block(match["path"], match["part"], path.name == "README.md")
            elif match["marker"]:
                raise Mistake("to show a sample, write a line like <!-- Snippets/FirstUse.swift: model -->")
            elif "\n" not in match[0]:
                raise Mistake("the block of code is not closed")
        except Mistake as mistake:
            mistakes.append(f"{place}: {mistake}")
        if any(len(line) > COLUMNS for line in new.split("\n")[1:]):
            mistakes.append(f"{place}: code with more than {COLUMNS} columns")
        return new

    if path.name == "README.md" and not re.search("^<!-- Snippets/", old, re.M):
        mistakes.append(f"{path}:1: no sample is shown")
    return SHOWN.sub(show, old)


def act(path):
    """The parts of an act that are shown, as (number of the first line, lines); a blank line separates parts of different depths."""
    found, is_shown, depth = [], False, None
    for number, line, marker in marked(path):
        if marker and marker != ("hide" if is_shown else "show"):
            raise Mistake(f"{path}:{number}: the marker doesn't fit the one before it")
        if marker:
            is_shown = not is_shown
            found += [(number + 1, [])] if is_shown else []
        elif is_shown:
            found[-1][1].append(line)
    if is_shown or not found or not all(any(map(str.strip, lines)) for _, lines in found):
        raise Mistake(f"{path}:1: a part has no end or shows nothing, or no part is shown")
    for index, (start, lines) in enumerate(found):
        before, depth = depth, min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        lines[:] = textwrap.dedent("\n".join(lines)).split("\n")
        if index and depth != before and lines[0]:
            found[index] = (start - 1, ["", *lines])
    shown = [line for _, lines in found for line in lines]
    if not shown[0] or not shown[-1] or len(shown) > ACT_LINES or any(len(line) > ACT_COLUMNS for line in shown):
        raise Mistake(f"{path}:1: more than {ACT_LINES} lines or {ACT_COLUMNS} columns, or an empty line at the begin or end")
    return found


def acts(mistakes):
    """The text of the file with the code of all acts."""
    texts = []
    for path in files(".swift", ACTS):
        try:
            shown = "".join(
                f'            {start}: #"""\n' + "".join(f"{' ' * 16}{line}".rstrip() + "\n" for line in lines) + '                """#,\n'
                for start, lines in act(path)
            )
            name = path.stem[0].lower() + path.stem[1:]
            texts.append(f'    static let {name} = ActCode(\n        "{path.name}",\n        [\n{shown}        ]\n    )\n')
        except Mistake as mistake:
            mistakes.append(str(mistake))
    return ACT_HEADER + "\n".join(texts) + "}\n"


def main():
    mistakes = []
    articles = [path for path in files(".md", "Sources") if any(part.endswith(".docc") for part in path.parts)]
    wanted = {path: page(path, mistakes) for path in [*articles, (ROOT / "README.md").relative_to(ROOT)]}
    wanted[ACT_CODE] = acts(mistakes)
    for path, text in wanted.items() if not mistakes else []:
        old = read(path)
        if old != text and "--check" in sys.argv:
            difference = difflib.unified_diff(old.splitlines(), text.splitlines(), str(path), "what runs", n=1, lineterm="")
            mistakes.append(f"{path}:1: differs from the code: call Tools/lint/samples.py\n" + "\n".join(difference))
        elif old != text:
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"{path} updated.")
    finish(mistakes)


main()
