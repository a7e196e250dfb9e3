#!/usr/bin/env python3
"""Checks the pages (.md). Fails, and prints each mistake as file:line: mistake.

- A relative link leads to a file or folder, and its anchor to a heading. DocC checks its own links (<doc:…>) and images.
- Each suite, file and benchmark that Documentation/Claims.md names as a proof exists.
- README.md is short, and not too wide to be read without scrolling.
"""
import re
import urllib.parse

from tree import ROOT, files, finish, line_of, read

CLAIMS = "Documentation/Claims.md"
README_LINES, README_COLUMNS = 150, 160
CODE = re.compile(r"^([ \t]*)```.*?^\1```[^\n]*$|(`+)(?:(?!\n\n).)+?\2", re.M | re.S)


def without_code(text):
    """The text with its code replaced by spaces, so that each place stays where it is."""
    return CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def anchors(page):
    """The anchors that GitHub gives to the headings of a page."""
    text, found = read(page), []
    for match in re.finditer(r"^#+ (.+)$", without_code(text), re.M):
        heading = text[match.start(1):match.end(1)].lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return found


def links(page):
    text = without_code(read(page))
    for match in re.finditer(r"(!?)\[[^\[\]]*\]\(([^()<>\s]+)\)", text):
        address = urllib.parse.urlsplit(match[2])
        is_image_of_docc = match[1] and any(part.endswith(".docc") for part in page.parts)
        if address.scheme or is_image_of_docc:
            continue
        target = (ROOT / page.parent / urllib.parse.unquote(address.path)).resolve() if address.path else ROOT / page
        place = f"{page}:{line_of(text, match.start(2))}"
        if not target.exists():
            yield f"{place}: the link {match[2]} leads to no file"
        elif address.fragment and (target.suffix != ".md" or address.fragment not in anchors(target)):
            yield f"{place}: the link {match[2]} leads to no heading"


def claims():
    code = "\n".join(map(read, files(".swift", "Tests", "Tools/AppleShims/Tests", "Examples/Tests")))
    suites = set(re.findall(r"^(?!\s*//).*\b(?:struct|class|enum|actor) (\w+Tests)\b", code, re.M))
    # A name may have parts that are computed: "store.create.\(suffix)", or "observe.rows" + suffix.
    names = "|".join(
        re.sub(r"\\\\\\\(\w+\\\)", r"\\w+", re.escape(name)) + (r"\w*" if plus else "")
        for name, plus in re.findall(r'name: "([a-z]+\.[^"]+)"( \+)?', "\n".join(map(read, files(".swift", "Benchmarks"))))
    )
    rows = 0
    for number, line in enumerate(read(CLAIMS).splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        is_table = cells == ["claim", "suites", "benchmark"] or rows and line.startswith("|")
        rows = rows + 1 if is_table else 0
        if rows < 3:
            continue
        for proof in re.findall(r"`([\w/.-]+)`", cells[1]):
            if proof.endswith("Tests") and proof not in suites or "/" in proof and not (ROOT / proof).exists():
                yield f"{CLAIMS}:{number}: there is no {proof}"
        for benchmark in re.findall(r"`([^`]+)`", cells[2]):
            if not re.fullmatch(names, benchmark):
                yield f"{CLAIMS}:{number}: there is no benchmark {benchmark}"


def readme():
    lines = read("README.md").splitlines()
    if len(lines) > README_LINES:
        yield f"README.md:{README_LINES + 1}: more than {README_LINES} lines"
    yield from (
        f"README.md:{number}: more than {README_COLUMNS} columns" for number, line in enumerate(lines, 1) if len(line) > README_COLUMNS
    )


finish([*(mistake for page in files(".md", ".") for mistake in links(page)), *claims(), *readme()])
