#!/usr/bin/env python3
"""Tests the page of the inspector in a real browser.

  check-inspector.py                         the page with a fake app that speaks the inspector's messages
  check-inspector.py --load SECONDS          input to paint and memory with 10,000 stores and 1,000 events a second
  check-inspector.py --only NAME             only the checks whose name contains NAME
  check-inspector.py --screenshots FOLDER    saves each view in each size and theme
  check-inspector.py --pictures FOLDER       saves only the pictures of the documentation, of the app InspectedShop
  check-inspector.py … --app PROGRAM [ARG]…  the page with a real app, as the last option; "{port}" in an argument is replaced by a free port

A real app prints the address of its inspector, and allows actions and shows values. It has two clients, and releases the second one when a
line arrives at its standard input. The first one has at least ten stores in two prefixes, and observes the network. Of its observed stores,
the one whose path comes first has a value and can be refetched at once, but doesn't change otherwise. Other stores change all the time in two
lanes of the timeline. It makes durable mutations all the time, which need the network. At least one store is not observed and may be removed,
one was read by a statement with a warning, and one has read a region. Runs wait at a limit, runs fail and raise an alert, a cache is connected, and
one of the clients has a manual clock. For --load the app has 10,000 stores, and 1,000 events a second instead.

Fails if a check fails, and if no browser can be installed here; BROWSER_PATH names one that isn't found otherwise.
"""

import argparse
import pathlib
import random
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "inspector"))
import appearance  # noqa: E402
import browser  # noqa: E402
import checks  # noqa: E402
import desk as desks  # noqa: E402
import load  # noqa: E402
import runtime  # noqa: E402
import timeline  # noqa: E402
from fake_app import FakeApp  # noqa: E402

ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+/\?token=[^\s\"']+")
ALL = [
    checks.logic,
    checks.the_list_shows_sorts_and_filters,
    checks.the_tree_opens_and_closes,
    checks.the_search_finds_patterns_and_texts,
    checks.the_page_of_a_store,
    checks.a_store_shows_its_statements,
    checks.a_store_shows_its_layers,
    checks.the_timeline_explains_runs,
    timeline.the_timeline_draws_arrows_and_moves,
    timeline.the_list_of_events_is_filtered,
    checks.it_shows_what_would_change,
    checks.actions_reach_the_app,
    checks.harsh_actions_ask_first,
    checks.mutations_and_metrics,
    runtime.limits_caches_and_alerts_are_shown,
    runtime.a_failed_store_shows_its_error,
    runtime.a_manual_clock_is_advanced,
    checks.the_journal_shows_what_waits,
    checks.a_session_is_exported_and_opened,
    checks.a_simulation_is_part_of_the_session,
    checks.a_wrong_token_is_explained,
    appearance.the_theme_can_be_switched,
    appearance.what_opens_on_request_is_readable,
    appearance.each_view_fits_and_is_readable,
    checks.an_interruption_is_told,
    checks.a_store_belongs_to_the_chosen_client,
    checks.clients_are_chosen_and_can_go,
    checks.the_page_reconnects,
]


def free_port():
    """A port below those that systems give to outgoing connections, so that none of these takes it while the app is down."""
    for _ in range(100):
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    sys.exit("check-inspector.py: no port from 20000 to 30000 is free")


class Fake:
    """The fake app. After a restart it has the same address."""

    has_new_token = False

    def __init__(self, mode="small"):
        self.mode = mode
        self.port = 0
        self.token = secrets.token_hex(8)
        self.start()

    def start(self):
        self.app = FakeApp(self.port, self.mode, token=self.token, clients=2)
        self.port = self.app.port
        self.url = self.app.url

    def stop(self):
        self.app.stop()

    def release_client(self):
        self.app.release_client()

    def memory(self):
        return None


class Program:
    """A real app. It is asked to end as by Control-C, and started again with the same arguments."""

    def __init__(self, command):
        port = str(free_port())
        self.command = [each.replace("{port}", port) for each in command]
        self.url = None
        self.start()

    def start(self):
        before = self.url
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = threading.Event()
        self.output = ""

        def read():
            for line in self.process.stdout:
                self.output += line
                address = ADDRESS.search(line)
                if address and not found.is_set():
                    self.url = address[0]
                    found.set()
            found.set()

        threading.Thread(target=read, daemon=True).start()
        found.wait(desks.PATIENCE / 1000)
        if self.url is None or self.url == before and self.process.poll() is not None:
            sys.exit(f"check-inspector.py: {self.command[0]} printed no address of an inspector:\n{self.output}")
        self.has_new_token = before is not None and before != self.url

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def release_client(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def memory(self):
        """The resident memory of the process, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status")
        if status.exists():
            return int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1]) * 1024
        command = ["ps", "-o", "rss=", "-p", str(self.process.pid)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1024


def run(name, desk, work, failures):
    begin = time.monotonic()
    try:
        work()
        print(f"ok    {name} ({time.monotonic() - begin:.1f} s)", flush=True)
    except Exception as error:  # A check fails with an AssertionError or an error of playwright, and the others still run.
        failures.append(name)
        print(f"FAIL  {name} ({time.monotonic() - begin:.1f} s): {error}\n      {desk.describe()}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", nargs=argparse.REMAINDER)
    parser.add_argument("--load", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    browser.require_browser()
    browser.require_playwright()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    failures = []
    with browser.chromium() as chromium:
        if options.load:
            app = Program(options.app) if options.app else Fake("large")
            desk = desks.Desk(chromium, app)
            run(f"the page stays responsive for {options.load:.0f} s", desk, lambda: (load.measure(desk, options.load), desk.close()), failures)
            app.stop()
        else:
            app = Program(options.app) if options.app else Fake()
            chosen = [check for check in ALL if options.only.replace(" ", "_") in check.__name__]
            if not chosen:
                sys.exit(f"check-inspector.py: no check has the name {options.only}")
            if options.pictures:
                chosen = [appearance.the_pictures_of_the_documentation]
            for check in chosen:
                desk = desks.Desk(chromium, app)
                folder = {
                    appearance.what_opens_on_request_is_readable: [options.screenshots],
                    appearance.each_view_fits_and_is_readable: [options.screenshots],
                    appearance.the_pictures_of_the_documentation: [options.pictures],
                }.get(check, [])
                run(check.__name__.replace("_", " "), desk, lambda: (check(desk, *folder), desk.close()), failures)
                desk.problems.clear()
                desk.close()
            app.stop()
            print(f"{len(chosen) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
