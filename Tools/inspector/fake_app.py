"""An HTTP server that speaks the inspector's messages for a synthetic session. Only the page's tests use it.

fake_app.py [--port PORT] [--mode small|large] [--read-only] [--redacted]
"""

import argparse
import copy
import http.server
import json
import pathlib
import re
import secrets
import sys
import threading
import time
import urllib.parse

from session import Session

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/QueryKitInspector/Page"
PART = re.compile(r'<link rel="stylesheet" href="([^"]+)">|<script src="([^"]+)"></script>')
SHUT_DOWN = "the app has ended"


def page(nonce):
    """The page as the inspector delivers it: each part in its place, with a nonce."""

    def part(found):
        name, tag = (found[1], "style") if found[1] else (found[2], "script")
        return f'<{tag} nonce="{nonce}">{(PAGE / name).read_text(encoding="utf-8")}</{tag}>'

    return PART.sub(part, (PAGE / "inspector.html").read_text(encoding="utf-8"))


class FakeApp:
    """A session, the pages that listen to it, and the thread that moves it."""

    def __init__(self, port=0, mode="small", token="test-token", actions=True, values=True, clients=1):
        self.lock = threading.RLock()
        self.session = Session(mode, values=values)
        self.token = token
        self.actions = actions
        self.values = values
        self.clients = clients
        self.identity = secrets.token_hex(4)
        self.sequence = 0
        self.listeners = []
        self.requests = []
        self.is_over = False
        self.is_released = False
        # The only store of the second client.
        self.other = {**self.session.row(1), "path": "widget/1", "elements": ["widget", "1"], "status": "success", "updated": 0}
        handler = type("BoundHandler", (Handler,), {"app": self})
        self.server = Server(("127.0.0.1", port), handler)
        self.port = self.server.server_address[1]
        self.threads = [
            threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True),
            threading.Thread(target=self.run, daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def stop(self):
        self.is_over = True
        self.send("bye", {"reason": SHUT_DOWN})
        for listener in self.listeners:
            listener.finish()
        self.server.shutdown()
        self.server.server_close()
        self.threads[1].join()

    def release_client(self):
        """As if the second client was deallocated."""
        self.is_released = True
        self.send("gone", {"client": 1})

    def hello(self):
        clients = [
            {"id": index, "name": ["Main", "Widget"][index], "gone": index == 1 and self.is_released, "manualClock": False}
            for index in range(self.clients)
        ]
        return {
            "version": 1,
            "name": "Food Diary",
            "process": {"name": "FoodDiary", "pid": 31337},
            "started": "2026-11-26T09:40:00Z",
            "now": self.session.now,
            "allowsActions": self.actions,
            "showsValues": self.values,
            "session": self.identity,
            "recording": 1,
            "clients": clients,
        }

    def message(self, kind, content):
        self.sequence += 1
        return f"event: {kind}\nid: {self.sequence}\ndata: {json.dumps({'seq': self.sequence, 'client': 0, **content})}\n\n".encode()

    def send(self, kind, content):
        with self.lock:
            if self.listeners:
                data = self.message(kind, content)
                for listener in self.listeners:
                    listener.put(data)

    def join(self, listener):
        with self.lock:
            listener.put(self.message("hello", self.hello()))
            rows = [dict(row) for row in self.session.rows.values()]
            for start in range(0, max(1, len(rows)), 1000):
                listener.put(self.message("stores", {"full": start == 0, "rows": rows[start : start + 1000], "removed": []}))
            if self.clients > 1:
                listener.put(self.message("stores", {"client": 1, "full": True, "rows": [dict(self.other)], "removed": []}))
            for start in range(0, len(self.session.history), 500):
                listener.put(self.message("events", {"lost": 0, "events": self.session.history[start : start + 500]}))
            for sample in self.session.samples[-120:]:
                listener.put(self.message("metrics", sample))
            listener.put(self.message("mutations", self.session.mutations()))
            listener.put(self.message("surroundings", self.session.surroundings()))
            self.listeners.append(listener)

    def run(self):
        tick = 0
        while not self.is_over:
            time.sleep(0.1)
            tick += 1
            with self.lock:
                events = self.session.advance()
                if events:
                    self.send("events", {"lost": 0, "events": events})
                if tick % 2 == 0:
                    rows, removed = self.session.changed_rows()
                    if rows or removed:
                        self.send("stores", {"full": False, "rows": rows, "removed": removed})
                if tick % 5 == 0 and self.session.mutations_changed:
                    self.session.mutations_changed = False
                    self.send("mutations", self.session.mutations())
                if tick % 10 == 0:
                    self.send("metrics", self.session.metrics())
                    self.send("surroundings", self.session.surroundings())

    # Calls

    def value(self, row, version):
        if not self.values:
            return {"text": None, "redacted": True, "truncated": False, "tree": None}
        entries = [
            {
                "label": f"[{index}]",
                "text": "FoodEntry",
                "children": [
                    {"label": "name", "text": f'"{word}"', "children": []},
                    {"label": "grams", "text": str(80 + 10 * index + version), "children": []},
                ],
            }
            for index, word in enumerate(["oat", "apple", "salmon"][: 2 + version % 2])
        ]
        return {
            "text": "\n".join(
                [f"{row['type']}.Value"]
                + [f"  {each['label']} {each['children'][0]['text']} {each['children'][1]['text']} g" for each in entries]
            ),
            "redacted": False,
            "truncated": False,
            "tree": {"label": "value", "text": f"[FoodEntry] ({len(entries)})", "children": entries},
        }

    def store(self, index):
        with self.lock:
            row = self.session.rows.get(index)
            if row is None:
                return None
            others = [{"id": each, "path": self.session.rows[each]["path"]} for each in (index - 1, index + 1) if each in self.session.rows]
            history = [event for event in self.session.history if event["store"] == index]
            return {
                "row": dict(row),
                "value": self.value(row, row["runs"]),
                "previous": self.value(row, row["runs"] - 1) if row["runs"] > 1 else None,
                "fields": [
                    ["status", row["status"]],
                    ["isFetching", str("fetching" in row["flags"]).lower()],
                    ["revision", str(row["runs"] * 2)],
                ],
                "settings": [["observer 1: ttl", "5 s"], ["observer 1: retry", "3"], ["retention", "5 min"]],
                "reads": [self.session.tables[index], "diary/ingredients"],
                "statements": [
                    {
                        "sql": "SELECT * FROM entries WHERE day = ?",
                        "plan": ["SEARCH entries USING INDEX entries_day (day=?)"],
                        "reasons": ["entries: partitions"],
                        "warnings": [],
                    },
                    {
                        "sql": "SELECT count(*)\nFROM ingredients\nWHERE note = ?",
                        "plan": ["SCAN ingredients"],
                        "reasons": ["ingredients: the whole table; columns note, because all of its rows are read"],
                        "warnings": [
                            "An execution has scanned 4096 rows of ingredients. Add an index on the columns of its condition."
                        ],
                    },
                ],
                "hasMoreStatements": False,
                "tags": ["diary"],
                "dependsOn": others[:1],
                "dependents": others[1:],
                "layers": [
                    {"mutation": "LogFood", "call": 7, "label": "the mutation is under way"},
                    {"mutation": "SetGoal", "call": None, "label": "waits for a result with its effect"},
                ],
                "caches": ["DiskCache (diary)"],
                "history": history,
                "why": None,
            }

    def other_store(self, index):
        if index != self.other["id"]:
            return None
        plain = {**self.store(index), "reads": [], "statements": [], "layers": [], "dependsOn": [], "dependents": [], "history": []}
        return {**plain, "row": dict(self.other), "value": self.value(self.other, 0), "previous": None}

    def act_on_other(self, action):
        """Simulations and restore are all that the second client knows."""
        isOn = action != "restore"
        self.other.update(status="failure" if action == "fail" else "success", flags=["simulated"] if isOn else [])
        self.send("stores", {"client": 1, "full": False, "rows": [dict(self.other)], "removed": []})
        return {"count": 1}

    def matching(self, pattern):
        text = "/".join({"*": "[^/]+", "**": ".*"}.get(each, re.escape(each)) for each in pattern.split("/"))
        rule = re.compile(text.replace("/.*", "(/.*)?"))
        return [row for row in self.session.rows.values() if rule.fullmatch(row["path"])]

    def affected(self, pattern, region):
        with self.lock:
            if pattern is not None and "//" in pattern:
                return {"stores": [], "malformed": "The pattern has an empty element."}
            rows = (
                self.matching(pattern)
                if pattern is not None
                else [
                    self.session.rows[index]
                    for index, table in self.session.tables.items()
                    if index in self.session.rows and (table + "/").startswith(region + "/")
                ]
            )
            return {
                "stores": [
                    {
                        "id": row["id"],
                        "path": row["path"],
                        "runs": row["subscribers"] > 0,
                        "reason": "observed and stale after the change" if row["subscribers"] else "no observer: at the next subscription",
                    }
                    for row in rows
                ],
                "malformed": None,
            }

    def act(self, request):
        with self.lock:
            session = self.session
            self.requests.append(copy.deepcopy(request))
            action = request["action"]
            if request["client"] == 1:
                return self.act_on_other(action)
            if action == "network":
                session.network = True if request["available"] is None else request["available"]
                session.simulated = request["available"] is not None
                self.send("surroundings", session.surroundings())
                if session.network:
                    for row in session.rows.values():
                        if "paused" in row["flags"]:
                            session.ending.append((session.now + 50, row["id"]))
                    for call, _, _ in session.calls.values():
                        call["status"] = "running"
                return {"count": 0}
            if action == "advance":
                session.shift += request["ms"]
                return {"count": 0}
            rows = (
                self.matching(request["pattern"])
                if request["pattern"] is not None
                else [session.rows[request["id"]]] if request["id"] in session.rows else []
            )
            origin = (
                session.change("invalidate", session.now, pattern=request["pattern"] or (rows[0]["path"] if rows else ""))
                if action == "invalidate"
                else None
            )
            for row in rows:
                self.act_on(row, action, origin)
            return {"count": len(rows)}

    def act_on(self, row, action, origin):
        session = self.session
        if action == "invalidate":
            session.concern(row["id"], f"invalidated({row['path']})", origin, session.now)
        elif action == "refetch":
            session.start(row["id"], "manual", None, session.now)
        elif action == "remove":
            del session.rows[row["id"]]
            session.removed.append(row["id"])
            session.event("storeRemoved", row["path"], session.now, store=row["id"], reason="removed")
        elif action == "reset":
            row.update(status="idle", updated=None, error=None)
        elif action == "fail":
            row.update(status="failure", error="InspectorFailure")
        elif action == "stale":
            session.flag(row, "stale", True)
        elif action == "restore":
            row.update(status="success", error=None)
            session.flag(row, "stale", False)
        if action in ("load", "fail", "stale", "restore"):
            session.flag(row, "simulated", action != "restore")
            session.flag(row, "fetching", action == "load")
        session.dirty.add(row["id"])

    def export(self):
        with self.lock:
            rows = [dict(row) for row in self.session.rows.values()]
            details = {str(row["id"]): {**self.store(row["id"]), "history": None} for row in rows[:200]}
            return {
                "format": "querykit-session",
                "version": 1,
                "hello": self.hello(),
                "stores": {"0": rows},
                "details": {"0": details},
                "events": {"0": self.session.history},
                "metrics": {"0": self.session.samples},
                "mutations": {"0": self.session.mutations()},
                "surroundings": {"0": self.session.surroundings()},
            }


class Listener:
    """What one page has not read yet."""

    def __init__(self):
        self.condition = threading.Condition()
        self.data = []
        self.is_over = False

    def put(self, data):
        with self.condition:
            self.data.append(data)
            self.condition.notify()

    def finish(self):
        with self.condition:
            self.is_over = True
            self.condition.notify()

    def take(self):
        with self.condition:
            if not self.data and not self.is_over:
                self.condition.wait(5)
            data, self.data = b"".join(self.data), []
            return data, self.is_over


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    app = None

    def log_message(self, *arguments):
        pass

    def reply(self, status, body, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(data))), ("Cache-Control", "no-store"), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def query(self):
        address = urllib.parse.urlparse(self.path)
        return address.path, {name: values[0] for name, values in urllib.parse.parse_qs(address.query, keep_blank_values=True).items()}

    def do_GET(self):
        path, query = self.query()
        if path == "/favicon.ico":
            return self.reply(404, {})
        token = query.get("token") if path == "/" else self.headers.get("X-QueryKit-Token")
        if token != self.app.token:
            if path == "/":
                return self.deliver_page()
            return self.reply(403, {"error": "The token is not valid."})
        if path == "/":
            return self.deliver_page()
        if path == "/events":
            return self.stream()
        if path == "/api/store":
            if query["client"] == "1" and self.app.is_released:
                return self.reply(404, {"error": "The client was deallocated."})
            details = self.app.other_store(int(query["id"])) if query["client"] == "1" else self.app.store(int(query["id"]))
            return self.reply(200, details) if details else self.reply(404, {"error": "The client has no such store: it was removed."})
        if path == "/api/affected":
            return self.reply(200, self.app.affected(query.get("pattern"), query.get("region")))
        if path == "/api/regions":
            return self.reply(200, {"regions": sorted({table.rsplit("/", 1)[0] for table in self.app.session.tables.values()})})
        if path == "/api/export":
            return self.reply(200, self.app.export())
        self.reply(404, {"error": "There is no such page."})

    def deliver_page(self):
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self.reply(200, page(nonce).encode(), "text/html; charset=utf-8", [("Content-Security-Policy", policy)])

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.headers.get("X-QueryKit-Token") != self.app.token or self.headers.get("Content-Type") != "application/json":
            return self.reply(403, {"error": "The token is not valid."})
        if not self.app.actions:
            return self.reply(403, {"error": "Actions are not allowed. Start the inspector with allowsActions: true."})
        self.reply(200, self.app.act(json.loads(body)))

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        listener = Listener()
        self.app.join(listener)
        try:
            while True:
                data, is_over = listener.take()
                self.wfile.write(data or b": ping\n\n")
                self.wfile.flush()
                if is_over:
                    return
        except OSError:
            pass
        finally:
            with self.app.lock:
                if listener in self.app.listeners:
                    self.app.listeners.remove(listener)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode", choices=["small", "large"], default="small")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--redacted", action="store_true")
    parser.add_argument("--clients", type=int, choices=[1, 2], default=1)
    options = parser.parse_args()
    app = FakeApp(options.port, options.mode, actions=not options.read_only, values=not options.redacted, clients=options.clients)
    print(app.url, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        app.stop()


if __name__ == "__main__":
    main()
