// Tests of the page's logic, evaluated in the page: the files of Model have no access to the document. Returns the failures.
(() => {
    const failures = [];
    let count = 0;
    const equal = (found, wanted, name) => {
        count += 1;
        const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
        if (left !== right) failures.push(`${name}: found ${left}, not ${right}`);
    };
    const throws = (work, text, name) => {
        count += 1;
        try {
            work();
            failures.push(`${name}: no error`);
        } catch (error) {
            if (!error.message.includes(text)) failures.push(`${name}: the error is ${error.message}`);
        }
    };

    for (const [ms, text] of [
        [0, "0 ms"],
        [0.004, "< 0.01 ms"],
        [0.42, "0.42 ms"],
        [9.96, "10 ms"],
        [42.4, "42 ms"],
        [999.4, "999 ms"],
        [999.6, "1 s"],
        [1240, "1.24 s"],
        [59_994, "60 s"],
        [60_000, "1 min"],
        [185_000, "3 min 5 s"],
        [7_800_000, "2 h 10 min"],
        [null, "–"],
        [-12, "−12 ms"],
    ]) {
        equal(Format.duration(ms), text, `a duration of ${ms} ms`);
    }
    for (const [ms, text] of [
        [null, "–"],
        [999, "now"],
        [1000, "1 s"],
        [61_000, "1 min"],
        [90_000_000, "1 d"],
    ])
        equal(Format.age(ms), text, `an age of ${ms} ms`);
    for (const [count, text] of [
        [0, "0 B"],
        [999, "999 B"],
        [1000, "1 kB"],
        [1540, "1.5 kB"],
        [999_600, "1 MB"],
        [12_000_000, "12 MB"],
        [null, "–"],
    ]) {
        equal(Format.bytes(count), text, `${count} bytes`);
    }
    equal(Format.time(62_345.6), "1:02.345", "a time");
    equal(Format.time(3_723_004), "1:02:03.004", "a time after an hour");
    equal(
        ["page/10", "page/2"].sort((left, right) => (Format.sortKey(left) < Format.sortKey(right) ? -1 : 1)),
        ["page/2", "page/10"],
        "numbers sort by value",
    );

    // The table of QueryPattern's tests.
    for (const [pattern, path, isMatch] of [
        ["food/**", "food", true],
        ["food/**", "food/a/b", true],
        ["food/**", "foods", false],
        ["food/*", "food/a", true],
        ["food/*", "food/a/b", false],
        ["**", "", true],
        ["**/totals", "day/5/totals", true],
        ["**/totals", "totals", true],
        ["a/**/z", "a/z", true],
        ["a/**/z", "a/b/c/z", true],
        ["a/**/z", "a/b", false],
        ["*/*", "a", false],
        ["**/b/**/c", "a/b/b/x/c", true],
        ["a\\/b/*", "a\\/b/c", true],
    ]) {
        equal(Pattern.matches(Pattern.elements(pattern), Pattern.elements(path)), isMatch, `${pattern} and ${path}`);
    }
    equal(Pattern.elements("a\\/b/c"), ["a/b", "c"], "an escaped slash");

    for (const [left, right, isOverlap] of [
        ["diary", "diary/entries/5", true],
        ["diary/entries", "diary/entries/5", true],
        ["diary/entries/5", "diary/entries/6", false],
        ["diary/entries", "diary/entry", false],
        ["diary", "other", false],
        ["diary/food#7", "diary/food", true],
        ["diary/food#7", "diary/food#8", false],
        ["diary/food/a/b", "diary/food#8", true],
        ["diary/food[day 5]", "diary/food#7", true],
    ])
        equal(Region.overlap(Region.parse(left), Region.parse(right)), isOverlap, `${left} and ${right}`);

    const row = (more) => ({
        id: 1,
        path: "food/1",
        elements: ["food", "1"],
        type: "Food",
        status: "success",
        flags: [],
        subscribers: 1,
        waiters: 0,
        updated: 0,
        ttl: 1000,
        last: 5,
        runs: 1,
        failures: 0,
        hits: 0,
        bytes: 10,
        cause: "manual",
        error: null,
        ...more,
    });
    for (const [more, now, status] of [
        [{}, 999, "fresh"],
        [{}, 1000, "stale"],
        [{ ttl: null }, 1e9, "fresh"],
        [{ ttl: 0 }, 0, "stale"],
        [{ flags: ["invalidated"] }, 0, "stale"],
        [{ status: "failure" }, 0, "failed"],
        [{ status: "failure", flags: ["fetching"] }, 0, "fetching"],
        [{ flags: ["fetching", "paused"] }, 0, "paused"],
        [{ flags: ["optimistic"] }, 0, "optimistic"],
        [{ status: "idle", updated: null }, 0, "idle"],
        [{ isMutation: true, ttl: 0 }, 10, "idle"],
        [{ isMutation: true, status: "failure" }, 0, "failed"],
        [{ status: "loading", updated: null }, 0, "fetching"],
    ]) {
        equal(Status.of(row(more), now), status, `the badge of ${JSON.stringify(more)} at ${now}`);
    }

    const rows = new Map(
        [
            ["food", "b", 3],
            ["food", "a", 1],
            ["food", "a", 2],
            ["goals", "10", 4],
            ["goals", "2", 5],
        ].map(([first, second, id]) => [
            id,
            row({ id, path: `${first}/${second}`, elements: [first, second], key: Format.sortKey(`${first}/${second}`), runs: id }),
        ]),
    );
    const ids = (options) => StoreIndex.list(rows, options, 0).map((each) => each.id);
    equal(ids({}), [1, 2, 3, 5, 4], "sorted by path");
    equal(ids({ sort: "runs" }), [5, 4, 3, 2, 1], "sorted by runs, the most first");
    equal(ids({ sort: "runs", isDescending: true }), [1, 2, 3, 4, 5], "sorted by runs, backwards");
    equal(ids({ search: "goals/*" }), [5, 4], "searched by pattern");
    equal(ids({ search: "OOD/B" }), [3], "searched by text");
    equal(ids({ filter: "failed" }), [], "filtered by status");
    const columns = new Map(
        [
            { id: 1, subscribers: 2, updated: 100, ttl: 320, last: 50, hits: 0, bytes: 30 },
            { id: 2, subscribers: 3, updated: 300, ttl: 200, last: 9, hits: 7, bytes: 10, status: "failure" },
            { id: 3, subscribers: 0, updated: null, ttl: null, last: null, hits: 3, bytes: 20, status: "loading" },
        ].map((each) => [each.id, row({ ...each, key: String(each.id) })]),
    );
    for (const [sort, order] of [
        ["status", [1, 3, 2]],
        ["observers", [2, 1, 3]],
        ["age", [2, 1, 3]],
        ["ttl", [1, 2, 3]],
        ["last", [1, 2, 3]],
        ["hits", [2, 3, 1]],
        ["bytes", [1, 3, 2]],
    ]) {
        const sorted = (isDescending) => StoreIndex.list(columns, { sort, isDescending }, 400).map((each) => each.id);
        equal(sorted(false), order, `sorted by ${sort}`);
        equal(sorted(true), order.toReversed(), `sorted by ${sort}, backwards`);
    }
    const tree = StoreIndex.tree(StoreIndex.list(rows, {}, 0), (key) => key === "food", 0);
    equal(
        tree.map((item) => [item.label, item.depth, item.group ? item.count : item.row.id]),
        [
            ["food", 0, 3],
            ["a", 1, 1],
            ["a", 1, 2],
            ["b", 1, 3],
            ["goals", 0, 2],
        ],
        "the tree",
    );
    equal(
        StoreIndex.tree([row({ elements: ["a", "b", "c"] })], () => true, 0).map((item) => item.label),
        ["a/b/c"],
        "a group with one store is that store",
    );

    const before = {
        label: "value",
        text: "[2]",
        children: [
            { label: "a", text: "1", children: [] },
            { label: "b", text: "2", children: [] },
        ],
    };
    const after = {
        label: "value",
        text: "[2]",
        children: [
            { label: "a", text: "3", children: [] },
            { label: "c", text: "2", children: [] },
        ],
    };
    equal(
        Difference.trees(before, after).children.map((node) => [node.label, node.change, node.before ?? null]),
        [
            ["a", "changed", "1"],
            ["c", "added", null],
            ["b", "removed", null],
        ],
        "changes of a tree",
    );
    equal(Difference.trees(before, before).change, "same", "an equal tree");
    equal(
        Difference.lines("a\nb\nc", "a\nx\nc").map((line) => line.change + line.text),
        ["samea", "removedb", "addedx", "samec"],
        "changes of lines",
    );
    equal(Difference.lines("a", "a").length, 1, "equal lines");

    const run = { start: 104, cause: "regionChanged(entries/5)" };
    const commit = { kind: "commit", t: 100, mutation: { path: "LogFood", call: 1 }, regions: ["entries/5"], regionCount: 1 };
    equal(
        Reasons.text(Reasons.run(run, commit)),
        "Ran because LogFood committed entries/5 in this process 4 ms earlier.",
        "a commit by a mutation",
    );
    equal(
        Reasons.text(Reasons.run(run, { ...commit, kind: "otherProcess", mutation: null, pid: 7 })),
        "Ran because process 7 committed entries/5 4 ms earlier.",
        "a foreign commit",
    );
    equal(
        Reasons.text(Reasons.run(run, { ...commit, kind: "invalidate", mutation: null, regions: [], pattern: "food/**" })),
        "Ran because the app invalidated food/** 4 ms earlier.",
        "a call",
    );
    equal(Reasons.text(Reasons.run(run, { ...commit, t: null })), "Ran because LogFood committed entries/5 in this process.", "no time");
    equal(Reasons.text(Reasons.target({ regions: ["a", "b"], regionCount: 5 })), "a, b and 3 more regions", "many regions");
    equal(
        Reasons.text(Reasons.run(run, null)),
        "Ran because a commit in this process changed entries/5, which it had read.",
        "a cause alone",
    );

    const event = (n, t, kind, more = {}) => ({
        n,
        t,
        kind,
        path: "food/1",
        store: 1,
        run: 1,
        cause: "manual",
        origin: null,
        ms: null,
        error: null,
        reason: null,
        ...more,
    });
    const history = new History(100);
    history.add(event(1, 0, "mutationStarted", { path: "LogFood", run: 9 }));
    history.add(
        event(2, 5, "changed", { path: "LogFood", run: null, change: { n: 3, ...commit, mutation: { path: "LogFood", call: 9 } } }),
    );
    history.add(event(3, 6, "runStarted", { origin: 3 }));
    history.add(event(4, 8, "attemptFailed", { origin: 3, error: "timeout" }));
    history.add(event(5, 9, "runPaused", { origin: 3 }));
    history.add(event(6, 11, "runResumed", { origin: 3 }));
    history.add(event(7, 12, "runSucceeded", { origin: 3, ms: 6 }));
    const first = history.runs.get(1);
    equal(
        [first.start, first.end, first.outcome, first.attempts.length, first.pauses[0].end - first.pauses[0].start],
        [6, 12, "success", 1, 2],
        "a run from its events",
    );
    equal(history.changeOf(first)?.number, 3, "the change that caused a run");
    equal(history.callOf(history.changeOf(first))?.path, "LogFood", "the call that made a change");
    equal(history.changes.get(3).runs.length, 1, "the runs of a change");
    equal(history.findCall({ path: "LogFood", call: null, t: 3 })?.number, 9, "a call without a number is found by its time");
    equal(history.findCall({ path: "LogFood", call: null, t: 5000 }), null, "a call at another time is not found");
    history.add(event(8, 50, "runFailed", { run: 2, ms: 20, error: "offline" }));
    equal([history.runs.get(2).start, history.runs.get(2).outcome], [30, "failure"], "a run that began before the first event");
    for (let n = 10; n < 400; n += 1)
        history.add(event(n, 100 + n, n % 2 ? "runSucceeded" : "runStarted", { run: n >> 1, path: `p/${n % 7}` }));
    equal(
        [history.events.length <= 120, history.runs.size <= 60, history.lanes.has("run food/1"), history.dropped > 0],
        [true, true, false, true],
        "the history is bounded",
    );
    equal(History.visible(history.lanes.get("run p/3"), 1e6, 2e6).length, 0, "no run outside of a window");

    let time = 0;
    const model = new Model(() => time);
    const hello = { session: "one", now: 1000, name: "App", clients: [{ id: 0, name: "Main" }] };
    model.apply("hello", hello);
    time = 500;
    equal(model.now(), 1500, "the time runs on");
    model.apply("hello", { ...hello, clients: [{ id: 0, name: "Main", now: 700 }] });
    equal(model.now(model.clients.get(0)), 700, "a client has its own time");
    model.apply("stores", { client: 0, full: true, rows: [row({}), row({ id: 2, path: "b", elements: ["b"] })], removed: [] });
    model.apply("stores", { client: 0, full: false, rows: [row({ runs: 5 })], removed: [2] });
    equal(
        [...model.clients.get(0).rows.values()].map((each) => [each.id, each.runs]),
        [[1, 5]],
        "differences of rows",
    );
    model.apply("events", { client: 0, lost: 2, events: [event(1, 1600, "hit", { run: null })] });
    model.apply("hello", { ...hello, now: 1600 });
    equal(model.clients.get(0).history.events.length, 1, "a reconnect keeps the history");
    equal([model.lagged, model.interruptions], [0, 0], "a reconnect without loss");
    model.apply("events", { client: 0, lost: 0, events: [event(4, 1700, "hit", { run: null })] });
    equal(model.lagged, 2, "events that the app no longer had after a reconnect");
    model.apply("lagged", { client: 0, lost: 3 });
    model.apply("events", { client: 0, lost: 0, events: [event(8, 1800, "hit", { run: null })] });
    equal(model.lagged, 5, "events that were lost while the page was connected");
    model.apply("hello", { ...hello, now: 1900, recording: 2 });
    equal(model.interruptions, 1, "a time without recording");
    equal(model.apply("future", { client: 0 }), [], "an unknown message is ignored");
    equal(model.apply("stores", { client: 7, rows: [] }), [], "a message for an unknown client is ignored");
    const client = model.clients.get(0);
    client.history.add(event(9, 100, "runStarted", { run: 70 }));
    client.history.add(event(10, 100, "runStarted", { run: 71, store: 9, path: "gone" }));
    client.rows.get(1).flags = ["fetching"];
    client.reconcile(5000);
    equal(
        [client.history.runs.get(70).outcome, client.history.runs.get(71).outcome],
        ["running", "lost"],
        "a run whose end was not recorded",
    );
    client.history.add(event(11, 6000, "runSucceeded", { run: 71, store: 9, path: "gone" }));
    equal(client.history.runs.get(71).outcome, "success", "an end that arrives late");
    client.keepDetails(1, { row: row({}), reads: ["diary/food#7"], history: [1] });
    equal(client.regions(), ["diary", "diary/food", "diary/food#7"], "the regions that known stores have read");
    equal([client.readers("diary/food").length, client.readers("diary/meals").length], [1, 0], "the readers of a region");
    const file = JSON.parse(JSON.stringify(model.file()));
    model.apply("hello", { ...hello, session: "two" });
    equal(model.clients.get(0).history.events.length, 0, "another inspector begins with nothing");
    model.open(file);
    equal(
        [model.isRecorded, model.clients.get(0).rows.size, model.clients.get(0).history.events.length, model.allowsActions],
        [true, 1, 6, false],
        "a file holds the session",
    );
    equal(
        [...model.clients.get(0).details].map(([id, details]) => [id, details.reads, details.history]),
        [[1, ["diary/food#7"], null]],
        "a file holds the details of the stores that were shown, without their events",
    );
    for (let id = 0; id < 300; id += 1) model.clients.get(0).keepDetails(id, {});
    equal([...model.clients.get(0).details.keys()].slice(0, 2), [100, 101], "the details of the stores shown last are kept");
    throws(() => model.open({ format: "else" }), "not a session", "a file of another format");
    throws(() => model.open({ format: "querykit-session", version: 2 }), "version 2", "a file of a later version");
    throws(() => model.open({ format: "querykit-session", version: 1 }), "incomplete", "a file without clients");

    const messages = [];
    const parser = new EventParser((type, data) => messages.push([type, data]));
    for (const part of ["event: a\nda", "ta: 1\n", "data: 2\r\n\n: ping\n\nid: 5\ndata:{}\n", "\n", "event: b\n\n"]) parser.feed(part);
    equal(
        messages,
        [
            ["a", "1\n2"],
            ["message", "{}"],
        ],
        "the parser joins parts and ignores comments",
    );
    return { count, failures };
})();
