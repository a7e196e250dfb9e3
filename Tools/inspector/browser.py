"""A browser for the tests of the page: finds or installs one, and drives it with playwright."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACES = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"]
NO_BROWSER = 3


def give_up(reason):
    """Ends with a code of its own: nothing was tested, and nothing is wrong with the page."""
    print(
        f"check-inspector.py: {reason}\n"
        "The page of the inspector was not tested. Install Chromium or Chrome and python3 with pip, then run this again.",
        file=sys.stderr,
    )
    sys.exit(NO_BROWSER)


def find_browser():
    named = os.environ.get("BROWSER_PATH")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", *PLACES]
    return next((path for path in map(shutil.which, names) if path), None)


def require_browser():
    """The path of a Chromium. Installs Debian's package where that is possible without a question."""
    path = find_browser()
    if path is None and shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing chromium …", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]):
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        path = find_browser()
    if path is None:
        give_up("no Chromium or Chrome was found, and none can be installed here.")
    return path


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
    if not python.exists() or subprocess.run([python, "-c", "import playwright"], stderr=subprocess.DEVNULL).returncode != 0:
        print("Installing playwright …", flush=True)
        for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "--quiet", "playwright"]):
            if subprocess.run(command).returncode != 0:
                give_up("playwright can't be installed from the Python package index.")
    os.execv(python, [str(python), *sys.argv])


@contextlib.contextmanager
def chromium():
    """A browser without a window. It has no sandbox only for root, where Chromium refuses to start with one."""
    path = require_browser()
    from playwright.sync_api import sync_playwright

    arguments = ["--enable-precise-memory-info"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
