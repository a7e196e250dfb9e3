#!/usr/bin/env python3
"""Writes the symbol graph with which DocC finds the samples of Snippets/: snippets.py MODULE SNIPPETS_FOLDER OUTPUT_FOLDER

A page shows a sample with @Snippet(path: "Snippets/Name"), or one part of it with slice: "part". In a sample, a line
"// snippet.hide" leaves out what follows until "// snippet.show", "// snippet.NAME" begins the part NAME, which ends at
"// snippet.end" or where the next one begins, and lines that begin with "//!" describe the sample.
"""
import json
import pathlib
import re
import sys

MARKER = re.compile(r"\s*//\s*snippet\.(\S+)\s*$")


def read(text):
    """Splits a sample into its description, its visible lines, and its parts as [first line, line after the last]."""
    description, lines, slices = [], [], {}
    hidden, part = False, None
    for line in text.splitlines():
        marker = MARKER.match(line)
        if line.startswith("//!"):
            description.append(line[3:].strip())
        elif not marker:
            if not hidden:
                lines.append(line)
        elif marker[1] in ("hide", "show"):
            hidden = marker[1] == "hide"
        else:
            if part:
                slices[part].append(len(lines))
            part = None if marker[1] == "end" else marker[1]
            if part in slices:
                sys.exit(f"snippets.py: the part {part} begins twice")
            if part:
                slices[part] = [len(lines)]
    if part:
        slices[part].append(len(lines))
    while lines and not lines[-1].strip() and all(end < len(lines) for _, end in slices.values()):
        lines.pop()
    return description, lines, slices


def symbol(folder, file):
    description, lines, slices = read(file.read_text(encoding="utf-8"))
    path = [folder.name, *file.relative_to(folder).with_suffix("").parts]
    return {
        "kind": {"identifier": "swift.snippet", "displayName": "Snippet"},
        "identifier": {"precise": "$snippet__" + ".".join(path), "interfaceLanguage": "swift"},
        "names": {"title": path[-1]},
        "pathComponents": path,
        "docComment": {"lines": [{"text": line} for line in description]},
        "snippet": {"language": "swift", "lines": lines, "slices": slices},
        "accessLevel": "public",
    }


def main():
    module, folder, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    files = sorted(folder.rglob("*.swift"))
    if not files:
        return
    graph = {
        "metadata": {"formatVersion": {"major": 0, "minor": 1, "patch": 0}, "generator": "snippets.py"},
        "module": {"name": module, "platform": {}, "isVirtual": True},
        "symbols": [symbol(folder, file) for file in files],
        "relationships": [],
    }
    (output / f"{module}-snippets.symbols.json").write_text(json.dumps(graph, indent=1), encoding="utf-8")


main()
