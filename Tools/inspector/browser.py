"""A browser for the tests of the page: finds or installs one, and drives it with playwright."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACES = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"]


def give_up(reason):
    sys.exit(
        f"check-inspector.py: {reason}\n"
        "The page of the inspector was not tested. Install Chromium or Chrome and python3 with pip, then run this again."
    )


def find_browser():
    named = os.environ.get("BROWSER_PATH")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", *PLACES]
    return next((path for path in map(shutil.which, names) if path), None)


def install(*packages):
    """Installs Debian's packages where that is possible without a question. Returns whether it was tried."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    print(f"Installing {' '.join(packages)} …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]):
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    return True


def require_browser():
    """The path of a Chromium. Without a font, a browser in a bare container would draw no text."""
    path = find_browser()
    if path is None and "BROWSER_PATH" not in os.environ and install("chromium", "fonts-dejavu-core"):
        path = find_browser()
    if path is None:
        give_up("no Chromium or Chrome was found, and none can be installed here.")
    return path


def has_playwright(python):
    return python.exists() and subprocess.run([python, "-c", "import playwright"], stderr=subprocess.DEVNULL).returncode == 0


def require_playwright():
    """Imports playwright. If it is missing, starts this program again in an environment of its own that has it."""
    try:
        import playwright.sync_api  # noqa: F401

        return
    except ImportError:
        pass
    folder = ROOT / ".build/browser-tests"
    python = folder / "bin/python"
    if pathlib.Path(sys.prefix).resolve() == folder.resolve():
        give_up("playwright can't be imported, although it is installed.")
    if not has_playwright(python):
        print("Installing playwright …", flush=True)
        # Debian has the module for environments in a package of its own. An environment that it could not complete is replaced.
        make = [sys.executable, "-m", "venv", "--clear", folder]
        if subprocess.run(make, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            if not install("python3-venv") or subprocess.run(make, check=False).returncode != 0:
                give_up("python3 can't make a virtual environment.")
        if subprocess.run([python, "-m", "pip", "install", "--quiet", "playwright"], check=False).returncode != 0:
            give_up("playwright can't be installed from the Python package index.")
    os.execv(python, [str(python), *sys.argv])


@contextlib.contextmanager
def chromium():
    """A browser without a window. It has no sandbox only for root, where Chromium refuses to start with one."""
    path = require_browser()
    from playwright.sync_api import sync_playwright

    # Containers often have a shared memory that is too small for a browser.
    arguments = ["--enable-precise-memory-info", "--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
