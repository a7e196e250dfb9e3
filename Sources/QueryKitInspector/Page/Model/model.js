"use strict";

/// How much the page remembers of each client.
const Limits = { events: 10_000, samples: 600, details: 200 };

/// One client: its stores, events, runs, changes and metrics.
class ClientModel {
    constructor({ id, name, gone = false, manualClock = false }) {
        this.id = id;
        this.name = name;
        this.isGone = gone;
        this.hasManualClock = manualClock;
        this.rows = new Map();
        /// Increases when a store is added or removed.
        this.membership = 0;
        /// Increases with each change of a row.
        this.revision = 0;
        this.lost = 0;
        this.metrics = null;
        this.samples = [];
        this.mutations = { calls: [], history: [], journal: [] };
        this.surroundings = null;
        /// Everything about the stores that were shown last, by number, the latest at the end; in a recorded session, what the file has.
        this.details = new Map();
        this.history = new History();
        /// Whether the next events are the first ones after a reconnect.
        this.isResuming = false;
    }

    /// Adds events, and returns how many are missing before them because the page was away for longer than the app remembers.
    applyEvents({ events, lost = 0 }) {
        const { last } = this.history;
        const missing = this.isResuming && last >= 0 && events.length ? Math.max(0, events[0].n - last - 1) : 0;
        this.isResuming = false;
        this.lost += lost;
        for (const event of events) this.history.add(event);
        return missing;
    }

    applyStores({ full, rows, removed }) {
        if (full) {
            this.rows.clear();
            this.membership += 1;
        }
        for (const row of rows) {
            const known = this.rows.get(row.id);
            if (!known || known.path !== row.path) {
                row.key = Format.sortKey(row.path);
                this.membership += 1;
            } else {
                row.key = known.key;
            }
            this.rows.set(row.id, row);
        }
        for (const id of removed ?? []) {
            if (this.rows.delete(id)) this.membership += 1;
        }
        this.revision += 1;
    }

    keepDetails(id, details) {
        this.details.delete(id);
        this.details.set(id, details);
        if (this.details.size > Limits.details) this.details.delete(this.details.keys().next().value);
    }

    /// The regions that the stores with known details have read, with the tables and sources that they belong to, sorted.
    regions() {
        const texts = new Set();
        for (const { reads = [] } of this.details.values()) {
            for (const { source, name, text } of reads.map(Region.parse)) {
                texts.add(source);
                if (name !== null) texts.add(`${source}/${name}`);
                texts.add(text);
            }
        }
        return [...texts].sort();
    }

    /// The rows whose stores have read a region that overlaps with another one, as far as their details are known.
    readers(text) {
        const region = Region.parse(text);
        const hasRead = (row) => (this.details.get(row.id)?.reads ?? []).some((each) => Region.overlap(Region.parse(each), region));
        return [...this.rows.values()].filter(hasRead);
    }

    applyMetrics(sample) {
        this.metrics = sample;
        const prefixes = Object.fromEntries((sample.prefixes ?? []).map((each) => [each.prefix, each]));
        this.samples.push({ t: sample.t, total: sample.total, prefixes, stores: sample.stores, bytes: sample.bytes });
        if (this.samples.length > Limits.samples) this.samples.splice(0, this.samples.length - Limits.samples);
    }

    /// Ends runs and calls whose end was not recorded, because no page was open then: the lists of stores and calls show that they are over.
    reconcile(now) {
        const calls = new Set((this.mutations.calls ?? []).map((call) => call.call));
        for (const run of [...this.history.open]) {
            // A list may be older than the event that the run began.
            if (now - run.start < 2000) continue;
            const row = this.rows.get(run.store);
            const isRunning =
                run.type === "call"
                    ? calls.has(run.number)
                    : row && (row.status === "loading" || row.flags.includes("fetching") || row.flags.includes("paused"));
            if (!isRunning) this.history.lose(run);
        }
    }

    /// The store with a path, if there is exactly one or the request's id is not known.
    storeID(path, id) {
        if (id !== null && id !== undefined && this.rows.has(id)) return id;
        for (const row of this.rows.values()) if (row.path === path) return row.id;
        return null;
    }
}

/// The state of the page, made from the messages of the server. It knows nothing of the document.
class Model {
    constructor(clock = () => performance.now()) {
        this.clock = clock;
        this.reset();
    }

    reset() {
        this.hello = null;
        this.clients = new Map();
        this.isRecorded = false;
        /// How many events the server could not keep until the page read them.
        this.lagged = 0;
        /// How often the app has recorded nothing, because no page was connected.
        this.interruptions = 0;
        this.latest = 0;
        this.receivedAt = 0;
        this.ended = null;
    }

    /// The time of the session in milliseconds since the inspector's start. In a recorded session it is the time of its end.
    /// The time of a client with a manual clock is that of its last message.
    now(client = null) {
        if (!this.hello) return 0;
        if (this.isRecorded || this.ended !== null || client?.hasManualClock) return this.latest;
        // The time of a client may begin later than that of the inspector.
        return (client?.nowAtHello ?? this.hello.now) + (this.clock() - this.receivedAt);
    }

    get allowsActions() {
        return Boolean(this.hello?.allowsActions) && !this.isRecorded;
    }

    /// Applies a message, and returns the names of what changed.
    apply(type, message) {
        const client = this.clients.get(message.client);
        switch (type) {
            case "hello":
                return this.applyHello(message);
            case "lagged":
                this.lagged += message.lost ?? 0;
                if (client) client.isResuming = false;
                return ["session"];
            case "bye":
                this.end(message.reason ?? "");
                return ["session"];
        }
        if (!client) return [];
        switch (type) {
            case "stores":
                client.applyStores(message);
                return ["stores"];
            case "events": {
                const missing = client.applyEvents(message);
                this.lagged += missing;
                for (const { t } of message.events) if (t > this.latest) this.latest = t;
                return missing > 0 ? ["events", "session"] : ["events"];
            }
            case "metrics":
                client.applyMetrics(message);
                if (message.t > this.latest) this.latest = message.t;
                return ["metrics"];
            case "mutations":
                client.mutations = message;
                return ["mutations"];
            case "surroundings":
                client.surroundings = message;
                return ["surroundings"];
            case "gone":
                client.isGone = true;
                return ["session", "stores"];
            default:
                // A later version of the server may send more.
                return [];
        }
    }

    /// After a reconnect to the same inspector the history stays; the lists that follow replace the rows.
    applyHello(message) {
        const isSame = this.hello?.session === message.session && !this.isRecorded;
        if (!isSame) {
            this.reset();
        } else if (this.hello.recording !== message.recording) {
            this.interruptions += 1;
        }
        this.hello = message;
        this.ended = null;
        this.receivedAt = this.clock();
        this.latest = Math.max(this.latest, message.now ?? 0);
        const known = this.clients;
        this.clients = new Map();
        for (const each of message.clients ?? []) {
            const client = known.get(each.id) ?? new ClientModel(each);
            client.name = each.name;
            client.isGone = Boolean(each.gone);
            client.hasManualClock = Boolean(each.manualClock);
            client.nowAtHello = each.now ?? message.now;
            client.isResuming = isSame;
            this.clients.set(each.id, client);
        }
        return ["session", "stores", "events", "metrics", "mutations", "surroundings"];
    }

    end(reason) {
        this.latest = this.now();
        this.ended = reason;
    }

    /// The session as a file, in the format of `GET /api/export`.
    file() {
        const perClient = (value) => Object.fromEntries([...this.clients.values()].map((client) => [client.id, value(client)]));
        const plain = ({ key, ...row }) => row;
        return {
            format: "querykit-session",
            version: 1,
            hello: { ...this.hello, now: this.now(), clients: [...this.clients.values()].map(Model.summary) },
            stores: perClient((client) => [...client.rows.values()].map(plain)),
            events: perClient((client) => client.history.list()),
            metrics: perClient((client) =>
                client.samples.map(({ prefixes, ...sample }) => ({ ...sample, prefixes: Object.values(prefixes) })),
            ),
            mutations: perClient((client) => client.mutations),
            surroundings: perClient((client) => client.surroundings),
            // The events are in the file already.
            details: perClient((client) =>
                Object.fromEntries([...client.details].map(([id, details]) => [id, { ...details, history: null }])),
            ),
        };
    }

    static summary(client) {
        return { id: client.id, name: client.name, gone: client.isGone, manualClock: client.hasManualClock };
    }

    /// Replaces everything by a session that was exported. Throws an error with a sentence if the file is none.
    open(file) {
        if (file?.format !== "querykit-session") throw new Error("This file is not a session of the QueryKit inspector.");
        if (file.version !== 1) throw new Error(`This session has version ${file.version}. This page reads version 1.`);
        if (!file.hello || !Array.isArray(file.hello.clients))
            throw new Error("This session has no list of clients: the file is incomplete.");
        this.reset();
        this.applyHello(file.hello);
        this.isRecorded = true;
        for (const [id, client] of this.clients) {
            client.applyStores({ full: true, rows: file.stores?.[id] ?? [], removed: [] });
            for (const event of file.events?.[id] ?? []) {
                client.history.add(event);
                this.latest = Math.max(this.latest, event.t);
            }
            for (const sample of file.metrics?.[id] ?? []) client.applyMetrics(sample);
            client.mutations = file.mutations?.[id] ?? client.mutations;
            client.surroundings = file.surroundings?.[id] ?? null;
            client.details = new Map(Object.entries(file.details?.[id] ?? {}).map(([store, details]) => [Number(store), details]));
            client.reconcile(this.latest);
        }
        return ["session", "stores", "events", "metrics", "mutations", "surroundings"];
    }
}
