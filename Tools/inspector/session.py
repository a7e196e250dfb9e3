"""A synthetic session in the inspector's messages: stores, runs with causes, mutations, failures and pauses.

It follows the documented messages and is used only to try and test the page without an app. `small` is a food diary with 200 stores;
`large` has 10,000 stores and 1,000 events a second.
"""

import random
import time

MODES = {"small": (200, 14), "large": (10_000, 1_000)}
PREFIXES = [
    "food/entries",
    "food/totals",
    "ingredients/search",
    "ingredients/detail",
    "recipes",
    "goals",
    "profile",
    "sync/devices",
    "photos/thumbnails",
]
TYPES = [
    "FoodEntriesQuery",
    "DailyTotalQuery",
    "IngredientSearch",
    "IngredientDetail",
    "RecipeQuery",
    "GoalQuery",
    "ProfileQuery",
    "DeviceList",
    "Thumbnail",
]
TABLES = ["entries", "totals", "ingredients", "ingredients", "recipes", "goals", "profile", "devices", "photos"]
MUTATIONS = ["LogFood", "DeleteEntry", "RenameRecipe", "SetGoal"]
WORDS = ["oat", "apple", "bread", "yogurt", "salmon", "rice", "tofu", "lentils", "coffee", "carrot"]


class Session:
    """The state of one fake client. `advance` makes what happens until now, and returns the messages for it."""

    def __init__(self, mode, seed=7, values=True):
        self.random = random.Random(seed)
        self.begin = time.monotonic()
        count, self.rate = MODES[mode]
        self.values = values
        self.rows = {index: self.row(index) for index in range(1, count + 1)}
        self.tables = {index: self.table(row) for index, row in self.rows.items()}
        # Of the observed stores, the one whose path comes first changes only if the page acts on it.
        self.still = min((row for row in self.rows.values() if row["subscribers"]), key=lambda row: row["path"])["id"]
        self.dirty = set()
        self.removed = []
        self.events = []
        self.history = []
        self.samples = []
        self.ending = []
        self.running = {}
        self.number = self.run = self.origin = self.call = 0
        self.totals = {prefix.split("/")[0]: self.counts() for prefix in PREFIXES}
        self.calls = {}
        self.ended = []
        self.journal = []
        self.network = True
        self.simulated = False
        self.shift = 0
        self.last = 0.0
        self.mutations_changed = self.surroundings_changed = True
        for index in range(1, count + 1):
            if index % 17 != 0:
                self.start(index, "subscribed", None, index / count * 900)

    @property
    def now(self):
        return round((time.monotonic() - self.begin) * 1000 + self.shift, 3)

    @staticmethod
    def counts():
        return {"runs": 0, "successes": 0, "failures": 0, "cancelled": 0, "misses": 0, "hits": 0, "running": 0, "peak": 0, "durations": []}

    def row(self, index):
        kind = index % len(PREFIXES)
        prefix = PREFIXES[kind]
        number = index // len(PREFIXES)
        last = {
            0: f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}",
            1: f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}",
            2: WORDS[number % len(WORDS)],
        }.get(kind, str(number))
        elements = prefix.split("/") + [last]
        if number >= 280 and kind in (0, 1, 2):
            elements.append(f"page {number // 280}")
        return {
            "id": index,
            "path": "/".join(elements),
            "elements": elements,
            "type": TYPES[kind],
            "status": "idle",
            "flags": [],
            "subscribers": [0, 1, 1, 2, 0, 3][index % 6],
            "waiters": 0,
            "updated": None,
            "ttl": [0, 5000, 30_000, 300_000, None][index % 5],
            "last": None,
            "runs": 0,
            "failures": 0,
            "hits": index % 23,
            "bytes": 0,
            "cause": "created",
            "error": None,
        }

    def table(self, row):
        table = TABLES[PREFIXES.index("/".join(row["elements"][: len(PREFIXES[row["id"] % len(PREFIXES)].split("/"))]))]
        return f"diary/{table}/{row['elements'][-1]}"

    # What happens

    def event(self, kind, path, t, **more):
        event = {
            "n": 0,
            "t": round(t, 3),
            "kind": kind,
            "path": path,
            "store": None,
            "run": None,
            "cause": "",
            "origin": None,
            "ms": None,
            "error": None,
            "reason": None,
            **more,
        }
        self.events.append(event)
        return event

    def flag(self, row, name, isOn):
        flags = [each for each in row["flags"] if each != name]
        row["flags"] = flags + [name] if isOn else flags
        self.dirty.add(row["id"])

    def start(self, index, cause, origin, t):
        row = self.rows.get(index)
        if row is None or index in self.running:
            return
        self.run += 1
        self.running[index] = (self.run, t, cause, origin)
        row["cause"] = cause
        if row["status"] == "idle":
            row["status"] = "loading"
        self.flag(row, "fetching", True)
        self.event("runStarted", row["path"], t, store=index, run=self.run, cause=cause, origin=origin)
        duration = min(4000, self.random.lognormvariate(3.6, 1.0))
        if self.random.random() < 0.04 and row["error"] is None:
            self.event(
                "attemptFailed", row["path"], t + duration, store=index, run=self.run, cause=cause, origin=origin, error="URLError.timedOut"
            )
            duration += 300
        if not self.network and row["elements"][0] in ("sync", "photos"):
            self.flag(row, "paused", True)
            self.event("runPaused", row["path"], t + 5, store=index, run=self.run, cause=cause, origin=origin)
            return
        self.ending.append((t + duration, index))

    def finish(self, index, t):
        row = self.rows.get(index)
        if row is None or index not in self.running:
            return
        run, start, cause, origin = self.running.pop(index)
        outcome = 1 if index == self.still else self.random.random()
        duration = round(t - start, 3)
        self.flag(row, "fetching", False)
        self.flag(row, "paused", False)
        self.flag(row, "invalidated", False)
        row["runs"] += 1
        row["last"] = duration
        counts = self.totals[row["elements"][0]]
        counts["runs"] += 1
        counts["durations"] = counts["durations"][-199:] + [duration]
        more = {"store": index, "run": run, "cause": cause, "origin": origin, "ms": duration}
        if outcome < 0.03:
            row.update(status="failure", error="DiaryError.offline", failures=row["failures"] + 1)
            counts["failures"] += 1
            self.event("runFailed", row["path"], t, error="DiaryError.offline", **more)
        elif outcome < 0.04:
            row["status"] = "success" if row["updated"] else "idle"
            counts["cancelled"] += 1
            self.event("runCancelled", row["path"], t, **more)
        else:
            row.update(status="success", error=None, updated=t, bytes=400 + 37 * (index % 211))
            counts["successes"] += 1
            self.event("runSucceeded", row["path"], t, **more)

    def change(self, kind, t, mutation=None, regions=(), pattern=None, pid=None):
        self.origin += 1
        self.event(
            "changed",
            mutation["path"] if mutation else "",
            t,
            origin=self.origin,
            change={
                "n": self.origin,
                "kind": kind,
                "mutation": mutation,
                "regions": list(regions)[:16],
                "regionCount": len(regions),
                "pattern": pattern,
                "pid": pid,
            },
        )
        return self.origin

    def concern(self, index, cause, origin, t):
        row = self.rows[index]
        if row["subscribers"] > 0 and "disabled" not in row["flags"]:
            self.start(index, cause, origin, t + self.random.uniform(0.4, 6))
        elif row["status"] != "idle":
            self.flag(row, "invalidated", True)

    def commit(self, t, mutation=None, pid=None):
        index = self.random.choice(list(self.rows)) if len(self.rows) < 1000 else self.random.randint(1, len(self.rows))
        if index not in self.rows:
            return
        region = self.tables[index]
        origin = self.change("otherProcess" if pid else "commit", t, mutation, [region], None, pid)
        readers = [index] + [
            each
            for each in range(index + 1, min(index + 60, len(self.rows)))
            if each in self.rows and self.tables[each].split("/")[1] == region.split("/")[1]
        ][:3]
        for each in readers:
            if each != self.still:
                self.concern(each, f"{'otherProcess' if pid else 'regionChanged'}({region})", origin, t)

    def mutate(self, t):
        self.call += 1
        name = self.random.choice(MUTATIONS)
        call = {
            "id": f"key-{self.call:04}",
            "path": name,
            "call": self.call,
            "status": "running",
            "scope": "diary" if name == "LogFood" else None,
            "attempts": 1,
            "since": t,
            "arguments": f"{name}.Arguments(amount: {self.call})" if self.values else None,
            "durable": name == "LogFood",
            "layers": [],
        }
        observed = [
            each
            for each in self.random.sample(sorted(self.rows), min(40, len(self.rows)))
            if self.rows[each]["status"] == "success" and each != self.still
        ][:2]
        call["layers"] = [self.rows[each]["path"] for each in observed]
        for each in observed:
            self.flag(self.rows[each], "optimistic", True)
        self.calls[self.call] = (call, t + self.random.uniform(120, 1800), observed)
        self.event("mutationStarted", name, t, run=self.call, cause="manual")
        if not self.network:
            call["status"] = "paused"
            call["durable"] = True
            self.event("mutationPaused", name, t + 2, run=self.call, cause="manual")
            self.journal.append(
                {"id": self.call, "path": name, "created": "2026-11-26T09:41:00Z", "state": "paused", "key": f"key-{self.call:04}"}
            )
        self.mutations_changed = True

    def end_call(self, number, t):
        call, _, observed = self.calls.pop(number)
        isFailed = self.random.random() < 0.12
        for each in observed:
            if each in self.rows:
                self.flag(self.rows[each], "optimistic", False)
        self.event(
            "mutationFailed" if isFailed else "mutationSucceeded",
            call["path"],
            t,
            run=number,
            ms=round(t - call["since"], 3),
            error="DiaryError.rejected" if isFailed else None,
        )
        if not isFailed:
            self.commit(t - 1, {"path": call["path"], "call": number})
        self.journal = [entry for entry in self.journal if entry["id"] != number]
        self.ended = self.ended[-199:] + [
            {
                "path": call["path"],
                "call": None,
                "arguments": call["arguments"],
                "status": "failed" if isFailed else "succeeded",
                "t": call["since"],
                "ms": round(t - call["since"], 3),
                "error": "DiaryError.rejected" if isFailed else None,
            }
        ]
        self.mutations_changed = True

    def happen(self, t):
        dice = self.random.random()
        index = self.random.randint(1, max(self.rows))
        index += index == self.still
        if dice < 0.30:
            self.commit(t)
        elif dice < 0.36:
            self.commit(t, pid=4711)
        elif dice < 0.44:
            self.mutate(t)
        elif dice < 0.50 and index in self.rows:
            pattern = "/".join(self.rows[index]["elements"][:-1]) + "/*"
            origin = self.change("invalidate", t, pattern=pattern)
            self.concern(index, f"invalidated({pattern})", origin, t)
        elif dice < 0.56 and index in self.rows:
            self.start(index, "trigger(appActive)", self.change("trigger", t, pattern="appActive"), t)
        elif index in self.rows:
            row = self.rows[index]
            isHit = dice < 0.9
            row["hits"] += isHit
            self.totals[row["elements"][0]]["hits" if isHit else "misses"] += 1
            self.dirty.add(index)
            self.event("hit" if isHit else "miss", row["path"], t, store=index, cause="manual")
            if not isHit:
                self.start(index, "manual", None, t)

    def advance(self):
        """What happened since the last call: events in the order of their time."""
        now = self.now
        steps = min(int((now - self.last) / 1000 * self.rate / 3.8 + self.random.random()), 5 * self.rate)
        for step in range(steps):
            self.happen(self.last + (now - self.last) * step / steps)
        due = [each for each in self.ending if each[0] <= now]
        self.ending = [each for each in self.ending if each[0] > now]
        for t, index in due:
            self.finish(index, t)
        for number in [number for number, (call, end, _) in self.calls.items() if end <= now and call["status"] == "running"]:
            self.end_call(number, now)
        self.last = now
        events = sorted(self.events, key=lambda event: event["t"])
        self.events = [event for event in events if event["t"] > now]
        ready = [event for event in events if event["t"] <= now]
        for event in ready:
            self.number += 1
            event["n"] = self.number
        self.history = (self.history + ready)[-10_000:]
        return ready

    # Messages

    def changed_rows(self):
        rows = [dict(self.rows[index]) for index in sorted(self.dirty) if index in self.rows]
        removed, self.removed = self.removed, []
        self.dirty.clear()
        return rows, removed

    def metrics(self):
        def figures(counts, durations):
            ordered = sorted(durations)
            at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None
            return {**{key: value for key, value in counts.items() if key != "durations"}, "p50": at(0.5), "p95": at(0.95), "p99": at(0.99)}

        total = self.counts()
        for counts in self.totals.values():
            for key, value in counts.items():
                total[key] = total[key] + value
        total["running"] = len(self.running)
        total["peak"] = max(total["running"], self.samples[-1]["total"]["peak"] if self.samples else 0)
        total_figures = figures(total, total["durations"])
        alerts = [
            f"{name}: 95 % of the runs take less than {counts['p95']:.0f} ms, over the target of 300 ms"
            for name, counts in ((name, figures(counts, counts["durations"])) for name, counts in self.totals.items())
            if (counts["p95"] or 0) > 300
        ][:2]
        sample = {
            "t": self.now,
            "total": total_figures,
            "prefixes": [{"prefix": name, **figures(counts, counts["durations"])} for name, counts in self.totals.items()],
            "stores": len(self.rows),
            "bytes": sum(row["bytes"] for row in self.rows.values()),
            "dropped": 0,
            "alerts": alerts,
        }
        self.samples = self.samples[-599:] + [sample]
        return sample

    def mutations(self):
        return {"calls": [call for call, _, _ in self.calls.values()], "history": self.ended, "journal": self.journal, "journalError": None}

    def surroundings(self):
        paused = [row["path"] for row in self.rows.values() if "paused" in row["flags"]]
        waiting = [row["path"] for row in self.rows.values() if row["elements"][0] == "photos"]
        return {
            "limits": [
                {
                    "pattern": "photos/**",
                    "limit": 4,
                    "running": min(4, len(self.running)),
                    "waiting": waiting[:20],
                    "waitingCount": len(waiting),
                },
                {"pattern": "sync/**", "limit": 1, "running": 0, "waiting": [], "waitingCount": 0},
            ],
            "network": {
                "available": self.network,
                "simulated": self.simulated,
                "waitingRuns": len(paused),
                "waitingMutations": sum(call["status"] == "paused" for call, _, _ in self.calls.values()),
            },
            "active": True,
            "caches": [{"name": "DiskCache (diary)", "entries": 148}, {"name": "MemoryCache", "entries": None}],
            "clock": {"manual": True, "now": f"2026-11-26 09:41:{int(self.shift / 1000) % 60:02}"},
            "configuration": [["retention", "5 min"], ["run limit", "none"]],
        }
