"use strict";

/// The last events of a client, and what they tell about runs, changes and mutation calls.
class History {
    constructor(limit = Limits.events) {
        this.limit = limit;
        this.events = [];
        /// The number of events before the first one of `events`.
        this.dropped = 0;
        /// The number of the last event. After a reconnect the server sends again what it remembers.
        this.last = -1;
        this.runs = new Map();
        this.changes = new Map();
        this.calls = new Map();
        /// The runs and calls that have not ended.
        this.open = new Set();
        /// The runs by path, and the calls by the path of their mutation.
        this.lanes = new Map();
        /// The runs of all paths that begin with the same element.
        this.groups = new Map();
        /// Increases when a lane is added or removed.
        this.laneRevision = 0;
        this.revision = 0;
    }

    list() {
        return this.events.slice(-this.limit);
    }

    get oldest() {
        return this.events.length ? this.events[0].t : 0;
    }

    add(event) {
        if (event.n <= this.last) return;
        this.last = event.n ?? this.last;
        this.events.push(event);
        this.revision += 1;
        if (event.kind === "changed") {
            this.addChange(event);
        } else if (event.kind.startsWith("mutation") && event.run !== null && event.run !== undefined) {
            this.addCall(event);
        } else if (event.run !== null && event.run !== undefined) {
            this.addRun(event);
        }
        // Trimming a fifth at a time keeps the cost per event constant.
        if (this.events.length > this.limit * 1.2) this.trim();
    }

    addChange(event) {
        if (!event.change) return;
        const change = { ...event.change, number: event.change.n, t: event.t, path: event.path, runs: [] };
        this.changes.set(change.number, change);
        // The change that a call begins with is not one that it makes.
        if (change.mutation && change.kind !== "mutation") {
            const call = this.calls.get(History.callKey(change.mutation.path, change.mutation.call));
            call?.changes.push(change);
        }
    }

    addRun(event) {
        const key = event.run;
        let run = this.runs.get(key);
        if (!run) {
            const begin = event.kind === "runStarted" || !event.ms ? event.t : event.t - event.ms;
            run = {
                type: "run",
                number: key,
                path: event.path,
                store: event.store ?? null,
                start: begin,
                end: null,
                outcome: "running",
                cause: event.cause ?? "",
                origin: event.origin ?? null,
                error: null,
                reason: null,
                attempts: [],
                pauses: [],
            };
            this.runs.set(key, run);
            this.insert(run);
            if (run.origin !== null) this.changes.get(run.origin)?.runs.push(run);
        }
        switch (event.kind) {
            case "runSucceeded":
                this.finish(run, event, "success");
                break;
            case "runFailed":
                this.finish(run, event, "failure");
                break;
            case "runCancelled":
                this.finish(run, event, "cancelled");
                break;
            case "attemptFailed":
                run.attempts.push({ t: event.t, error: event.error });
                break;
            case "runPaused":
                run.pauses.push({ start: event.t, end: null });
                break;
            case "runResumed":
                if (run.pauses.length) run.pauses.at(-1).end = event.t;
                break;
            case "resultDropped":
                run.reason = event.reason ?? "dropped";
                break;
        }
    }

    addCall(event) {
        const key = History.callKey(event.path, event.run);
        let call = this.calls.get(key);
        if (!call) {
            const begin = event.kind === "mutationStarted" || !event.ms ? event.t : event.t - event.ms;
            call = {
                type: "call",
                number: event.run,
                path: event.path,
                start: begin,
                end: null,
                outcome: "running",
                error: null,
                attempts: [],
                pauses: [],
                changes: [],
                store: null,
            };
            this.calls.set(key, call);
            this.insert(call);
        }
        switch (event.kind) {
            case "mutationStarted":
            case "mutationResumed":
                if (call.pauses.length) call.pauses.at(-1).end ??= event.t;
                break;
            case "mutationSucceeded":
                this.finish(call, event, "success");
                break;
            case "mutationFailed":
                this.finish(call, event, "failure");
                break;
            case "mutationCancelled":
                this.finish(call, event, "cancelled");
                break;
            case "mutationPaused":
                call.pauses.push({ start: event.t, end: null });
                break;
        }
    }

    static callKey(path, number) {
        return `${number} ${path}`;
    }

    finish(run, event, outcome) {
        run.end = event.t;
        run.outcome = outcome;
        run.error = event.error ?? null;
        if (run.pauses.length) run.pauses.at(-1).end ??= event.t;
        this.close(run);
        for (const lane of run.lanes) lane.longest = Math.max(lane.longest, run.end - run.start);
    }

    close(run) {
        this.open.delete(run);
        for (const lane of run.lanes) lane.open.delete(run);
    }

    /// Ends a run whose end was not recorded. If its event arrives after all, it replaces this.
    lose(run) {
        run.end = run.start;
        run.outcome = "lost";
        this.close(run);
    }

    insert(run) {
        this.open.add(run);
        run.lanes = [this.lane(this.lanes, run, run.path), this.lane(this.groups, run, History.group(run.path))];
        for (const lane of run.lanes) {
            lane.open.add(run);
            // Nearly all arrive in order.
            let index = lane.runs.length;
            while (index > 0 && lane.runs[index - 1].start > run.start) index -= 1;
            if (index === lane.runs.length) lane.runs.push(run);
            else lane.runs.splice(index, 0, run);
        }
    }

    static group(path) {
        const slash = path.indexOf("/");
        return slash < 0 ? path : path.slice(0, slash);
    }

    lane(lanes, run, path) {
        const key = `${run.type} ${path}`;
        let lane = lanes.get(key);
        if (!lane) {
            lane = { key, path, type: run.type, sortKey: Format.sortKey(path), runs: [], open: new Set(), longest: 0 };
            lanes.set(key, lane);
            this.laneRevision += 1;
        }
        return lane;
    }

    trim() {
        const surplus = this.events.length - this.limit;
        this.events.splice(0, surplus);
        this.dropped += surplus;
        const oldest = this.oldest;
        const isOver = (run) => run.end !== null && run.end < oldest;
        for (const [key, run] of this.runs) if (isOver(run)) this.drop(this.runs, key);
        for (const [key, call] of this.calls) if (isOver(call)) this.drop(this.calls, key);
        for (const [number, change] of this.changes) if (change.t < oldest) this.changes.delete(number);
        // A run whose end was lost would stay for ever: the number of open runs is bounded too.
        for (const runs of [this.runs, this.calls]) {
            for (const key of runs.keys()) {
                if (runs.size <= this.limit) break;
                this.drop(runs, key);
            }
        }
        for (const lanes of [this.lanes, this.groups]) {
            for (const [key, lane] of lanes) {
                lane.runs = lane.runs.filter((run) => !run.isDropped);
                if (lane.runs.length > 0) continue;
                lanes.delete(key);
                this.laneRevision += 1;
            }
        }
    }

    drop(runs, key) {
        const run = runs.get(key);
        run.isDropped = true;
        this.close(run);
        runs.delete(key);
    }

    /// The runs of a lane that touch a span of time, in the order of their start.
    static visible(lane, from, to) {
        const start = from - lane.longest;
        let low = 0;
        let high = lane.runs.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (lane.runs[middle].start < start) low = middle + 1;
            else high = middle;
        }
        const found = [];
        for (const run of lane.open) if (run.start < start) found.push(run);
        for (let index = low; index < lane.runs.length && lane.runs[index].start <= to; index += 1) {
            const run = lane.runs[index];
            if (run.end === null || run.end >= from) found.push(run);
        }
        return found;
    }

    /// The change that caused a run.
    changeOf(run) {
        return run.origin === null || run.origin === undefined ? null : (this.changes.get(run.origin) ?? null);
    }

    /// The call of a mutation by its number, or else by the time of the call.
    findCall({ path, call, t }) {
        const known = call === null || call === undefined ? null : this.calls.get(History.callKey(path, call));
        const near = (this.lanes.get(`call ${path}`)?.runs ?? []).filter((each) => Math.abs(each.start - t) < 1000);
        return known ?? near.sort((left, right) => Math.abs(left.start - t) - Math.abs(right.start - t))[0] ?? null;
    }

    /// The call in which a change happened.
    callOf(change) {
        return change?.mutation ? (this.calls.get(History.callKey(change.mutation.path, change.mutation.call)) ?? null) : null;
    }

    /// The runs of a store from events, the latest first.
    static runs(events) {
        const history = new History(Math.max(events.length, 1));
        for (const event of events) if (event.kind !== "changed" && !event.kind.startsWith("mutation")) history.add(event);
        return [...history.runs.values()].sort((left, right) => right.start - left.start);
    }
}
