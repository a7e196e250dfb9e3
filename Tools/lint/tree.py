"""What the readers share: the files of the tree, and how they end."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def files(suffix, *folders):
    """The paths of all files with a suffix below the folders, relative to the tree, without hidden folders, which hold what is built."""
    for folder in folders:
        for path, names, found in os.walk(ROOT / folder):
            names[:] = sorted(name for name in names if not name.startswith("."))
            yield from (
                file.relative_to(ROOT) for file in (pathlib.Path(path, name) for name in sorted(found))
                if file.name.endswith(suffix) and not file.is_symlink()
            )


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def finish(breaches):
    """Ends the program: with code 1 after printing what breaks a rule, if there is anything."""
    print(*breaches, sep="\n", end="\n" if breaches else "")
    sys.exit(bool(breaches))
