"use strict";

/// The page of one store: why it ran, its value, state, settings, what it read, and its history.
class StorePane {
    static actions = [
        ["invalidate", "Invalidate", "Marks the store as stale, and refetches it if it is observed"],
        ["refetch", "Refetch", "Starts a run, or joins the one in flight"],
        ["cancel", "Cancel", "Cancels the run in flight"],
        ["reset", "Reset", "Removes the result. An observed store refetches"],
        ["remove", "Remove", "Removes the store from the client"],
    ];
    static simulations = [
        ["load", "Loading", "Observers see a store that loads for the first time"],
        ["fail", "Failure", "Observers see a failed run"],
        ["stale", "Stale", "Makes the value stale without a refetch"],
        ["restore", "Restore", "Ends the simulation"],
    ];

    constructor(app, onClose) {
        this.app = app;
        this.id = null;
        /// The client of the store: another client can have a store with the same number.
        this.client = null;
        this.valueMode = "tree";
        this.openNodes = new Map();
        this.openStatements = new Map();
        this.parts = new Map();
        this.title = h("h2", { tabindex: "-1" });
        this.badgePlace = h("span", { class: "badges" });
        this.subtitle = h("p", { class: "subtitle" });
        this.tools = h("div", { class: "tools" });
        this.body = h("div", { class: "content" });
        this.element = h(
            "section",
            { class: "pane", "aria-label": "Store", hidden: true },
            h(
                "header",
                {},
                h(
                    "div",
                    { class: "line" },
                    button({ label: "Back to the list", icon: "back", kind: "back", action: onClose }),
                    this.badgePlace,
                    this.title,
                    button({ label: "Close the store", icon: "close", kind: "closer", shortcut: "Escape", action: onClose }),
                ),
                this.subtitle,
                this.tools,
            ),
            this.body,
        );
    }

    show(id) {
        const { client } = this.app;
        const isNew = id !== this.id || client !== this.client;
        this.id = id;
        this.client = client;
        this.element.hidden = id === null;
        if (!isNew || id === null) return;
        this.data = null;
        this.error = null;
        this.row = null;
        this.seen = null;
        this.parts.clear();
        this.openNodes.clear();
        this.openStatements.clear();
        this.body.replaceChildren();
        this.body.scrollTop = 0;
        this.makeTools();
        this.showHead();
        this.load();
    }

    makeTools() {
        const make = ([action, text, title]) =>
            button({ label: text, text, title, action: () => this.act(action), kind: action === "remove" ? "small danger" : "small" });
        if (this.app.model.allowsActions) {
            fill(
                this.tools,
                h("div", { class: "group", role: "group", "aria-label": "Actions" }, StorePane.actions.map(make)),
                h(
                    "div",
                    { class: "group", role: "group", "aria-label": "Simulate" },
                    h("span", { class: "label", text: "Simulate" }),
                    StorePane.simulations.map(make),
                ),
            );
        } else {
            fill(
                this.tools,
                h(
                    "p",
                    { class: "hint" },
                    this.app.model.isRecorded
                        ? "Recorded session: no actions."
                        : ["Read-only. Start the inspector with ", h("code", { text: "allowsActions: true" }), " to act on stores."],
                ),
            );
        }
    }

    async act(action) {
        await this.app.act({ action, id: this.id }, () => `${StorePane.done[action]} ${this.row?.path ?? "the store"}.`);
        this.load();
    }

    static done = {
        invalidate: "Invalidated",
        refetch: "Refetching",
        cancel: "Cancelled the run of",
        reset: "Reset",
        remove: "Removed",
        load: "Simulating loading of",
        fail: "Simulating a failure of",
        stale: "Made stale:",
        restore: "Restored",
    };

    update(changes, now) {
        if (this.id === null) return;
        if (changes.has("session")) this.makeTools();
        const row = this.app.client?.rows.get(this.id) ?? null;
        if (row !== this.seen || changes.has("session")) {
            this.seen = row;
            this.showHead();
            this.load();
        }
    }

    tick() {
        if (this.id !== null) this.showHead();
    }

    /// Loads the details; at most twice a second, one call at a time, and once more if something changed while it ran.
    async load() {
        const { id, client } = this;
        if (id === null) return;
        if (this.app.model.isRecorded || !this.app.isLive) return this.loadRecorded(id);
        const wait = (this.loadedAt ?? -1000) + 500 - performance.now();
        if (this.isLoading || (this.data && wait > 0)) {
            this.isOutdated = true;
            if (!this.isLoading && !this.timer)
                this.timer = setTimeout(() => {
                    this.timer = null;
                    this.load();
                }, wait);
            return;
        }
        this.isLoading = true;
        this.isOutdated = false;
        const isShown = () => id === this.id && client === this.client;
        try {
            const data = await this.app.session.get("/api/store", { client: this.app.client?.id, id });
            client?.keepDetails(id, data);
            if (isShown()) {
                this.data = data;
                this.error = null;
            }
        } catch (error) {
            if (isShown()) this.error = error.message;
        }
        this.isLoading = false;
        this.loadedAt = performance.now();
        if (isShown()) this.render();
        else return this.load();
        if (this.isOutdated) this.load();
    }

    /// Without a server: what the file has of the store, or else its row and events.
    loadRecorded(id) {
        const client = this.app.client;
        const row = client?.rows.get(id);
        const recorded = client?.details.get(id);
        if (!recorded && !row) {
            this.error = this.data ? null : "The session has no store with this number.";
        } else if (recorded || !this.data) {
            const history = client.history.list().filter((event) => event.store === id || event.path === row?.path);
            this.data = recorded
                ? { ...recorded, history: recorded.history ?? history }
                : { row, value: null, fields: [], settings: [], history };
        }
        this.render();
    }

    showHead() {
        const client = this.app.client;
        const row = client?.rows.get(this.id) ?? null;
        if (row) this.row = row;
        const shown = this.row ?? this.data?.row;
        if (!shown) return setText(this.title, "Store");
        setText(this.title, shown.path);
        const now = this.app.model.now(client);
        const status = row ? Status.of(row, now) : null;
        const flags = row
            ? row.flags.filter((flag) => ["invalidated", "placeholder", "simulated", "disabled"].includes(flag))
            : ["removed"];
        const key = `${status} ${flags}`;
        if (this.badgeKey !== key) {
            this.badgeKey = key;
            fill(
                this.badgePlace,
                status && badge(status),
                flags.map((flag) => h("span", { class: "badge flag", text: flag })),
            );
        }
        const left = row && Status.remaining(row, now);
        const parts = [
            shown.type,
            Format.plural(shown.subscribers, "observer"),
            shown.updated === null ? null : `updated ${Format.age(now - shown.updated)}${now - shown.updated < 1000 ? "" : " ago"}`,
            left === null ? null : left === Infinity ? "never ages" : left > 0 ? `fresh for ${Format.age(left)}` : "due for a refetch",
        ];
        setText(this.subtitle, parts.filter(Boolean).join(" · "));
    }

    render() {
        this.showHead();
        const data = this.data;
        this.part("error", this.error, (text) => h("p", { class: "notice error", role: "alert", text }));
        if (!data) {
            this.part("loading", !this.error, () => h("p", { class: "hint", text: "Loading…" }));
            return;
        }
        this.part("loading", null);
        const runs = History.runs(data.history ?? []);
        const origin = runs[0] && this.app.client?.history.changeOf(runs[0])?.number;
        this.part("why", [data.why, runs[0]?.number, origin, data.row?.cause], () => this.why(runs[0]));
        this.part("value", [data.value, data.previous, this.valueMode], () => section("Value", this.value(data)));
        this.part("state", data.fields?.length ? data.fields : null, (fields) => section("State", facts(fields)));
        this.part("reads", data.reads, (reads) => reads && section("What it read", this.reads(reads), { count: reads.length }));
        this.part("statements", data.statements?.length ? data.statements : null, (list) =>
            section("Statements", this.statements(list, data.hasMoreStatements), { count: list.length }),
        );
        this.part("layers", data.layers?.length ? data.layers : null, (layers) =>
            section(
                "Optimistic layers",
                table(
                    "Optimistic layers",
                    ["Mutation", "State"],
                    layers.map((each) => [
                        [each.mutation ? h("code", { text: each.mutation }) : "not known", MutationsView.number(each.call)],
                        each.label,
                    ]),
                ),
                { count: layers.length },
            ),
        );
        const links = [data.dependsOn ?? [], data.dependents ?? [], data.tags ?? [], data.caches ?? []];
        this.part("links", links.some((each) => each.length) ? links : null, () => section("Connections", this.connections(...links)));
        this.part("settings", data.settings?.length ? data.settings : null, (settings) =>
            section("Settings", facts(settings), { isOpen: false }),
        );
        this.part(
            "history",
            runs.map((run) => [run.number, run.end, run.attempts.length]),
            () => section("Runs", this.runs(runs), { count: runs.length }),
        );
    }

    /// Replaces one part of the page if its data differs, so that focus, selection and open sections of the others stay.
    part(name, data, make) {
        const text = data === null || data === undefined || data === false ? "" : JSON.stringify(data);
        let part = this.parts.get(name);
        if (!part) {
            part = { place: h("div", { class: "part", "data-part": name }), text: null };
            this.parts.set(name, part);
            this.body.append(part.place);
        }
        if (part.text === text) return;
        part.text = text;
        fill(part.place, text === "" ? null : make(data));
    }

    why(run) {
        const change = run && this.app.client?.history.changeOf(run);
        // A run that began before a page was open is known only by the cause of the state.
        const { runs, cause } = this.data.row ?? {};
        // The app may know the change that caused the run although the page has not received it.
        const known = change ? null : this.data.why;
        const latest = known ?? run ?? (runs > 0 ? { cause } : null);
        return h("p", { class: "why" }, latest ? sentence(Reasons.run(latest, change ?? known?.change)) : "It has not run yet.");
    }

    value({ value, previous }) {
        if (!value) return h("p", { class: "hint", text: "This session has no value of the store." });
        if (value.redacted) {
            return h(
                "p",
                { class: "hint" },
                "Values are redacted. Start the inspector with ",
                h("code", { text: "showsValues: true" }),
                " to see them.",
            );
        }
        const modes = choice({
            label: "View of the value",
            options: { tree: "Tree", text: "Text", changes: "Changes" },
            value: this.valueMode,
            onchange: (mode) => {
                this.valueMode = mode;
                this.render();
                this.parts.get("value").place.querySelector('[aria-checked="true"]')?.focus();
            },
        });
        return [
            modes.element,
            value.truncated ? h("p", { class: "hint", text: "The value is longer than shown." }) : null,
            this.valueView(value, previous),
        ];
    }

    valueView(value, previous) {
        if (value.text === null && !value.tree) return h("p", { class: "hint", text: "No value." });
        if (this.valueMode === "tree" && value.tree) return h("div", { class: "tree" }, this.node({ ...value.tree }, "", 0));
        if (this.valueMode !== "changes") return h("pre", { tabindex: "0", text: value.text ?? "" });
        if (!previous || previous.redacted || (previous.text === null && !previous.tree)) {
            return h("p", { class: "hint", text: "There is no previous value to compare with." });
        }
        if (value.tree && previous.tree) {
            const tree = Difference.trees(previous.tree, value.tree);
            if (tree.change === "same") return h("p", { class: "hint", text: "Equal to the previous value." });
            return h("div", { class: "tree changes" }, this.node(tree, "", 0));
        }
        return h(
            "pre",
            { class: "lines", tabindex: "0" },
            Difference.lines(previous.text ?? "", value.text ?? "").map(({ change, text }) =>
                h("span", { class: change, text: `${{ same: " ", added: "+", removed: "−" }[change]} ${text}\n` }),
            ),
        );
    }

    node(node, key, depth) {
        const path = `${key}/${node.label}`;
        const change = node.change && node.change !== "same" ? node.change : null;
        const label = [
            change ? h("span", { class: "sign", "aria-label": change, text: { added: "+", removed: "−", changed: "±" }[change] }) : null,
            h("span", { class: "key", text: node.label || (depth === 0 ? "value" : "") }),
            node.before !== undefined ? [h("del", { text: node.before }), " → "] : null,
            h("span", { class: "literal", text: node.text }),
        ];
        if (!node.children?.length) return h("div", { class: `leaf ${change ?? ""}` }, label);
        const isOpen = this.openNodes.get(path) ?? (node.change ? node.change !== "same" : depth < 2);
        const details = h("details", { class: `branch ${change ?? ""}`, open: isOpen }, h("summary", {}, label));
        // The children are made when they are shown.
        const children = h("div", { class: "children" });
        const make = () =>
            details.open &&
            !children.hasChildNodes() &&
            append(
                children,
                node.children.map((child, index) => this.node(child, `${path}.${index}`, depth + 1)),
            );
        make();
        details.append(children);
        details.addEventListener("toggle", () => {
            this.openNodes.set(path, details.open);
            make();
        });
        return details;
    }

    reads(reads) {
        if (reads.length === 0)
            return h("p", { class: "hint", text: "No region: only an invalidation by pattern or tag, or its age, makes it stale." });
        return h(
            "ul",
            { class: "regions" },
            reads.map((region) =>
                h(
                    "li",
                    {},
                    h("code", { text: region }),
                    button({
                        label: `What would a change of ${region} run?`,
                        text: "Impact",
                        kind: "link",
                        action: () => this.app.go("impact", "region", region),
                    }),
                ),
            ),
        );
    }

    statements(list, hasMore) {
        return [list.map((each) => this.statement(each)), hasMore ? h("p", { class: "hint", text: "More statements have read it." }) : null];
    }

    /// A statement of a database. One with a warning is open, and its first line shows that there is one.
    statement({ sql, plan = [], reasons = [], warnings = [] }) {
        const isOpen = this.openStatements.get(sql) ?? warnings.length > 0;
        const details = h(
            "details",
            { class: "statement", open: isOpen },
            h(
                "summary",
                {},
                h("code", { text: sql.replace(/\s+/g, " ") }),
                warnings.length ? h("span", { class: "badge flag warned", text: "Warning" }) : null,
            ),
            warnings.map((text) => h("p", { class: "notice warning", text })),
            h("pre", { tabindex: "0", text: sql }),
            plan.length ? [h("h3", { text: "Plan" }), h("pre", { class: "plan", tabindex: "0", text: plan.join("\n") })] : null,
            reasons.length ? [h("h3", { text: "Reads" }), reasons.map((text) => h("p", { class: "hint", text }))] : null,
        );
        details.addEventListener("toggle", () => this.openStatements.set(sql, details.open));
        return details;
    }

    connections(dependsOn, dependents, tags, caches) {
        const links = (list) =>
            list.map((each) => button({ label: each.path, text: each.path, kind: "link", action: () => this.app.go("stores", each.id) }));
        const chips = (list) => list.map((text) => h("span", { class: "chip", text }));
        const pairs = [
            ["Depends on", links(dependsOn)],
            ["Needed by", links(dependents)],
            ["Tags", chips(tags)],
            ["Caches", chips(caches)],
        ];
        return facts(pairs.filter(([, list]) => list.length));
    }

    runs(runs) {
        if (runs.length === 0) return h("p", { class: "hint", text: "No run in the recorded events." });
        const history = this.app.client?.history;
        return table(
            "Runs of the store",
            ["Result", "Began", "Duration", "Attempts", "Why", ""],
            runs.slice(0, 50).map((run) => [
                h("span", { class: `outcome ${run.outcome}`, text: RunText.outcomes[run.outcome], title: run.error }),
                Format.time(run.start),
                run.end === null ? "–" : Format.duration(run.end - run.start),
                String(run.attempts.length + 1),
                h("span", { class: "reason" }, sentence(Reasons.run(run, history?.changeOf(run)))),
                button({
                    label: `Show run ${run.number} in the timeline`,
                    icon: "timeline",
                    action: () => this.app.go("timeline", "run", run.number),
                }),
            ]),
        );
    }
}

/// Texts for runs and calls.
const RunText = {
    outcomes: { running: "Running", success: "Succeeded", failure: "Failed", cancelled: "Cancelled", lost: "End not recorded" },
};
