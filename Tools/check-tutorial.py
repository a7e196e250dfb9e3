#!/usr/bin/env python3
"""Follows the tutorial word by word: writes the files of the article, builds the package, types into the program, and runs the tests.

  check-tutorial.py                   builds in a temporary folder; $FLAGS are passed to swift
  check-tutorial.py --extract FOLDER  only writes the files, as they are after the last step, or after --until STEP
  check-tutorial.py --use PROGRAM     only types into a program that was built from them

A block of code belongs to a file if the paragraph above it begins with "Create `FILE`" or "Replace `FILE`". Other blocks are left out.
"""
import argparse
import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLE = ROOT / "Sources/QueryKit/QueryKit.docc/Tutorial.md"
BLOCK = re.compile(r"^(Create|Replace) `([^`\n]+)`:\n\n(?:<!-- [^\n]* -->\n)?```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WAIT = 20  # seconds for an output that takes milliseconds


def fail(message):
    sys.exit(f"check-tutorial.py: {message}")


def steps():
    """Returns the text of each step, the first one after the introduction."""
    return re.split(r"^### Step ", ARTICLE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


def extract(step, folder):
    """Writes the files of a step. It may only replace a file that exists."""
    count = 0
    for verb, name, code in BLOCK.findall(step):
        file = folder / name
        if file.exists() != (verb == "Replace"):
            fail(f"the article says {verb} {name}, but the file {'exists' if file.exists() else 'does not exist'}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
        count += 1
    announced = len(re.findall(r"^(?:Create|Replace) `", step, re.MULTILINE))
    if count == 0 or count != announced:
        fail(f"step {step[:40]!r} announces {announced} files, and has {count} blocks for them")


class Program:
    """A program in a terminal, so that it prints each line at once."""

    def __init__(self, path, folder):
        self.terminal, side = pty.openpty()
        self.process = subprocess.Popen([path], cwd=folder, stdin=side, stdout=side, stderr=side)
        os.close(side)
        self.output = ""

    def expect(self, text):
        """Waits until a text is printed, and forgets the output up to there."""
        end = time.monotonic() + WAIT
        while text not in self.output:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                fail(f"{text!r} was not printed within {WAIT} s, but {self.output!r}")
            try:
                self.output += os.read(self.terminal, 4096).decode().replace("\r", "")
            except OSError:
                fail(f"the program has ended before it printed {text!r}; its last output: {self.output!r}")
        self.output = self.output.split(text, 1)[1]

    def type(self, line):
        os.write(self.terminal, f"{line}\n".encode())

    def end(self):
        os.write(self.terminal, b"\x04")
        if self.process.wait(timeout=WAIT) != 0:
            fail(f"the program has ended with {self.process.returncode}")


def use(path, folder):
    """Does what steps 4 to 8 tell the reader to do, in one session."""
    program = Program(path, folder)
    program.expect("Oslo\n\n")  # "Loading…" is printed before, unless the fetch is quicker than the first drawing
    program.type("Lisbon")
    program.expect("Lisbon\nOslo\n\n")
    program.type("Oslo")
    program.expect("Lisbon\nOslo\n! Oslo is on the list already.\n\n")
    subprocess.run([path, "add", "Rome"], cwd=folder, check=True)
    program.expect("Lisbon\nOslo\nRome\n! Oslo is on the list already.\n\n")
    subprocess.run([path, "remove", "Oslo"], cwd=folder, check=True)
    program.expect("Lisbon\nRome\n! Oslo is on the list already.\n\n")
    program.type("")
    program.expect("Lisbon\nOslo\nRome\n\n")
    program.end()


def follow(folder):
    """Builds the package after each step that leaves a program, uses it, and runs its tests."""
    package = folder / "Trips"
    flags = shlex.split(os.environ.get("FLAGS", ""))
    # The tutorial has QueryKit in a folder beside the package. By its own path, the build of the other checks can be shared.
    traits = '["Postgres"]' if "Postgres" in flags else "[]"
    beside, here = '.package(name: "QueryKit", path: "../QueryKit")', f'.package(name: "QueryKit", path: "{ROOT}", traits: {traits})'
    flags = [word for word in flags if word not in ("--traits", "Postgres")]

    def swift(*words, **options):
        return subprocess.run(["swift", words[0], *flags, *words[1:]], cwd=package, check=True, text=True, **options)

    for step in steps():
        extract(step, package)
        manifest = package / "Package.swift"
        text = manifest.read_text(encoding="utf-8")
        if beside not in text and here not in text:
            fail(f"Package.swift doesn't contain {beside}")
        manifest.write_text(text.replace(beside, here), encoding="utf-8")
        if (package / "Sources/Trips/main.swift").exists():
            swift("build")
    products = swift("build", "--show-bin-path", stdout=subprocess.PIPE).stdout.strip()
    use(pathlib.Path(products) / "Trips", package)
    subprocess.run([ROOT / "Tools/tested.sh", "some", "swift", "test", *flags], cwd=package, check=True)
    print("The tutorial builds after each step, and does what it says.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extract", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--until", type=int, default=sys.maxsize, metavar="STEP", help="with --extract: the last step")
    parser.add_argument("--use", type=pathlib.Path, metavar="PROGRAM")
    options = parser.parse_args()
    if options.extract:
        for step in steps()[: options.until]:
            extract(step, options.extract)
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.use:
            use(options.use.resolve(), pathlib.Path(folder))
        else:
            follow(pathlib.Path(folder))


main()
