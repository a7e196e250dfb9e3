#!/usr/bin/env python3
"""Checks the house rules that a text search can check. Fails, and prints each violation as file:line: rule."""
import collections
import re

from tree import files, finish, line_of, read

MAX_LINES = 500
# The formatter breaks code at this length, but not comments. Rows of tables can't be broken.
MAX_COMMENT = 140

# Words that signal a sentence to rewrite, and how often each of them may occur in the whole tree.
SIGNALS = "somebody|nobody|whoever|whatever|anew|meanwhile|can not|answers with|of which|lies in|stands in"
MAX_SIGNALS = 5

# Code that bypasses the compiler's checks is allowed below a comment (attributes may be in between) that says why it is safe and what ensures
# that. Below that comment alone is also where a program may end because of a value, and where a library may print.
UNCHECKED = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)|unsafeBitCast|fatalError")
FORCED = re.compile(r"(?<=[\w)\]>}?])!(?![=\w\"])")
PRINT = re.compile(r"(?<![.\w])(?:print|debugPrint|dump)\(")

# What the thread sanitizer and the leak sanitizer may leave out, with the reason. A name of our own code, a wildcard, or a kind of report
# that hides more than its top frame would hide real races.
SUPPRESSIONS = {
    "race_top:withUnsafeThrowingContinuation": "the runtime orders the threads with an atomic that the sanitizer doesn't see",
    "race_top:withUnsafeContinuation": "the same",
    "leak:s10Foundation7ProcessC3runyyKF": "Foundation's Process never frees the side table of a weak reference",
}

# Rules about one place: pattern, message, folders.
ALL = ["Sources", "Tests", "Snippets", "Examples", "Benchmarks", "Faults", "Tools/AppleShims"]
TESTS = ["Tests", "Tools/AppleShims/Tests"]
PLACES = [
    (r"(?:Task|Thread|Never>)\.sleep|(?:^|[^.\w])(?:(?:u|nano)sleep\(|sleep\(\d)", "a test that sleeps: use a gate or the manual clock", TESTS),
    (r"\.disabled\((?![^)]*(?:#\d|https?://))", "a disabled test without its issue: write .disabled(\"#123: …\")", TESTS),
    (r"\b(?:TODO|FIXME|XXX)\b", "an unfinished note: finish it or open an issue", ALL),
]


def code_rules(path, lines):
    reason = None
    if len(lines) > MAX_LINES:
        yield f"{path}:{MAX_LINES + 1}: more than {MAX_LINES} lines: split the file"
    for number, line in enumerate(map(str.strip, lines), 1):
        if line.startswith("//"):
            reason = "invariant" if line.startswith("// Invariant:") else reason or ("doc" if line.startswith("///") else None)
            continue
        code = re.sub("//.*", "", line)
        if UNCHECKED.search(code) and not reason:
            yield f"{path}:{number}: unchecked code without a reason: write \"// Invariant: …\" above it"
        for rule, what in (FORCED, "a value that is unwrapped or tried by force"), (PRINT, "a library that prints"):
            if reason != "invariant" and path.parts[0] == "Sources" and rule.search(code):
                yield f"{path}:{number}: {what}: avoid it, or write \"// Invariant: …\" above it"
        if not re.fullmatch(r"@\w+(\([^)]*\))?", line):
            reason = None


def prose(line):
    """The name of a test and the comment in a line of code."""
    name, comment = re.search(r"func `([^`]*)`", line), re.search(r"(?:^|\s)//.*", line)
    return (name[1] + ". " if name else "") + (comment[0] if comment else "")


def signals(path, lines):
    """Finds signal words in comments, names of tests and pages, as (word, place). Code doesn't count, but the comments in it do."""
    is_page, in_code, kept = path.suffix == ".md", False, []
    for line in lines:
        text = line if is_page else prose(line)
        is_fence = re.match(r"[\s/]*```", text)
        in_code ^= bool(is_fence)
        if in_code:
            text = prose(text if is_page else re.sub(r"^\s*///", "", text))
        # A phrase may begin on one line and end on the next, if that has words too.
        kept.append("." if is_fence or not re.search("[A-Za-z]", text) else re.sub("`+[^`]*`+", ".", text).lower())
    text, between = "\n".join(kept), r"[^a-z.,;:!?()]+"
    for match in re.finditer(rf"(?<![a-z])(?:{SIGNALS.replace(' ', between)})(?![a-z])", text):
        yield re.sub(between, " ", match[0]), f"{path}:{line_of(text, match.start())}"


def check():
    for path in files(".swift", "Sources", "Tools/AppleShims/Sources"):
        yield from code_rules(path, read(path).splitlines())
    for path in files(".swift", "Sources", "Tests", "Benchmarks", "Faults", "Tools/AppleShims"):
        for number, line in enumerate(read(path).splitlines(), 1):
            if len(line) > MAX_COMMENT and re.match(r"\s*///? [^|]", line) and "WrongAttempts" not in path.parts:
                yield f"{path}:{number}: a comment of more than {MAX_COMMENT} characters: break the line"
    for pattern, message, folders in PLACES:
        for path in files(".swift", *folders):
            text = read(path)
            yield from (f"{path}:{line_of(text, match.end() - 1)}: {message}" for match in re.finditer(pattern, text, re.M))
    for path in files("-suppressions.txt", "Tools"):
        for number, line in enumerate(read(path).splitlines(), 1):
            if line.strip() and not line.startswith("#") and line not in SUPPRESSIONS:
                yield f"{path}:{number}: a suppression that Tools/lint/house.py doesn't list with its reason"
    found = collections.defaultdict(list)
    for path in [*files(".swift", "."), *files(".md", ".")]:
        for word, place in signals(path, read(path).splitlines()):
            found[word].append(place)
    for word, places in found.items():
        for place in places if len(places) > MAX_SIGNALS else []:
            yield f"{place}: \"{word}\" occurs {len(places)} times, more than {MAX_SIGNALS}: rewrite the sentence"


finish(list(check()))
