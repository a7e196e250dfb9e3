"use strict";

/// Limits and what waits in line, the network, activity, caches, the clock and the configuration.
class RuntimeView {
    static title = "Caches, limits, network, clock";

    constructor(app) {
        this.app = app;
        const card = (kind = "") => h("section", { class: `card ${kind}` });
        this.cards = {
            network: card(),
            activity: card(),
            clock: card(),
            limits: card("wide"),
            caches: card("wide"),
            configuration: card("wide"),
        };
        this.nothing = h("p", { class: "hint", text: "The client has reported nothing yet." });
        this.element = h("div", { class: "page cards" }, this.nothing, Object.values(this.cards));
    }

    update(changes) {
        if (changes.has("surroundings") || changes.has("client") || changes.has("session")) this.render();
    }

    render() {
        const known = this.app.client?.surroundings;
        this.nothing.hidden = Boolean(known);
        for (const card of Object.values(this.cards)) card.hidden = !known;
        if (!known) return;
        const canAct = this.app.model.allowsActions;
        this.card("network", "Network", [known.network, canAct], () => this.network(known.network, canAct));
        this.card("activity", "App activity", known.active, () => RuntimeView.activity(known.active));
        this.card("clock", "Clock", [known.clock, canAct], () => this.clock(known.clock ?? {}, canAct));
        this.card("limits", "Run limits", known.limits, () => this.limits(known.limits ?? []));
        this.card("caches", "Caches", known.caches, () => RuntimeView.caches(known.caches ?? []));
        const pairs = [...(known.session ? [["session", known.session]] : []), ...(known.configuration ?? [])];
        this.cards.configuration.hidden = pairs.length === 0;
        this.card("configuration", "Configuration", pairs, () => facts(pairs));
    }

    /// Makes a card again if its data differs. Open lists stay open, and the focus stays at its place.
    card(name, title, data, make) {
        const place = this.cards[name];
        const key = JSON.stringify(data ?? null);
        if (place.key === key) return;
        place.key = key;
        const controls = () => [...place.querySelectorAll("button, summary, input, select")];
        const focused = controls().indexOf(document.activeElement);
        const open = [...place.querySelectorAll("details")].map((each) => each.open);
        place.setAttribute("aria-label", title);
        fill(place, h("h2", { text: title }), make());
        for (const [index, each] of [...place.querySelectorAll("details")].entries()) each.open = open[index] ?? false;
        if (focused >= 0) controls()[focused]?.focus();
    }

    static state(kind, text) {
        return h("p", { class: "large" }, h("span", { class: `badge ${kind}`, text }));
    }

    static hint(text) {
        return h("p", { class: "hint", text });
    }

    network(network, canAct) {
        const state = !network
            ? [
                  RuntimeView.state("idle", "Not observed"),
                  RuntimeView.hint("The client has no network observer, and takes the network as available."),
              ]
            : RuntimeView.state(network.available ? "fresh" : "failed", network.available ? "Available" : "Not available");
        const waiting = [
            network?.waitingRuns ? Format.plural(network.waitingRuns, "run") : null,
            network?.waitingMutations ? Format.plural(network.waitingMutations, "mutation") : null,
        ].filter(Boolean);
        return [
            state,
            network?.simulated ? h("p", { class: "notice warning", text: "Simulated by the inspector." }) : null,
            waiting.length ? RuntimeView.hint(`Waiting for the network: ${waiting.join(" and ")}.`) : null,
            canAct && network ? this.networkTools(network) : null,
        ];
    }

    networkTools({ available, simulated }) {
        const tool = (label, text, value) => {
            const isPressed = Boolean(simulated) && available === value;
            return button({ label, text, action: () => this.setNetwork(value), "aria-pressed": String(isPressed) });
        };
        return h(
            "div",
            { class: "group", role: "group", "aria-label": "Simulate the network" },
            tool("Turn the network off", "Turn off", false),
            tool("Turn the network on", "Turn on", true),
            simulated
                ? button({ label: "Use the real network again", text: "Use the real one", action: () => this.setNetwork(null) })
                : null,
        );
    }

    setNetwork(available) {
        const text =
            available === null
                ? "The real network is used again."
                : available
                  ? "The network is simulated as available."
                  : "The network is simulated as off.";
        return this.app.act({ action: "network", available }, () => text);
    }

    static activity(isActive) {
        if (isActive === null || isActive === undefined) {
            return [RuntimeView.state("idle", "Not observed"), RuntimeView.hint("The client is not told whether the app is active.")];
        }
        return [
            RuntimeView.state(isActive ? "fresh" : "idle", isActive ? "Active" : "In the background"),
            RuntimeView.hint("Stale, observed queries refetch when the app becomes active."),
        ];
    }

    clock(clock, canAct) {
        return [
            RuntimeView.state(clock.manual ? "optimistic" : "fresh", clock.manual ? "Manual" : "Live"),
            clock.now ? h("p", { class: "large", text: clock.now }) : null,
            !clock.manual ? RuntimeView.hint("Only a manual clock can be advanced.") : canAct ? (this.form ??= this.advance()) : null,
        ];
    }

    /// Made once, so that what was typed stays.
    advance() {
        const sizes = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
        const amount = h("input", {
            type: "number",
            class: "field short",
            min: "0",
            step: "any",
            value: "1",
            "aria-label": "Amount of time",
        });
        const options = Object.entries(sizes).map(([text, size]) => h("option", { value: String(size), text, selected: text === "s" }));
        const unit = h("select", { class: "field", "aria-label": "Unit of time" }, options);
        const submit = (event) => {
            event.preventDefault();
            const ms = Number(amount.value) * Number(unit.value);
            if (ms > 0) this.app.act({ action: "advance", ms }, () => `Advanced the clock by ${Format.duration(ms)}.`);
        };
        const go = h("button", { class: "button primary", type: "submit", text: "Advance" });
        return h("form", { class: "group", "aria-label": "Advance the clock", onsubmit: submit }, amount, unit, go);
    }

    limits(limits) {
        if (limits.length === 0) return RuntimeView.hint("No limit is set: all runs start at once.");
        const cells = (each) => [
            h("code", { text: each.pattern }),
            RuntimeView.meter(each.running, each.limit),
            String(each.limit),
            each.waitingCount ? this.line(each) : "none",
        ];
        return table("Run limits", ["Pattern", "Running", "Limit", "Waiting"], limits.map(cells));
    }

    /// The runs that wait for a place under a limit.
    line({ waiting = [], waitingCount }) {
        const link = (path) => h("li", {}, button({ label: path, text: path, kind: "link", action: () => this.app.openPath(path) }));
        const more = waitingCount - waiting.length;
        return h(
            "details",
            {},
            h("summary", { text: `${Format.plural(waitingCount, "run")} in line` }),
            h(
                "ul",
                { class: "links" },
                waiting.map(link),
                more > 0 ? h("li", { class: "faint", text: `and ${Format.count(more)} more` }) : null,
            ),
        );
    }

    static meter(value, limit) {
        const bar = h("meter", {
            min: "0",
            max: String(Math.max(1, limit)),
            value: String(value),
            "aria-label": `${value} of ${limit} running`,
        });
        return h("span", { class: "metered" }, bar, ` ${value}`);
    }

    static caches(caches) {
        if (caches.length === 0) return RuntimeView.hint("No cache is connected.");
        const cells = (each) => [h("code", { text: each.name }), each.entries === null ? "not counted" : Format.count(each.entries)];
        return table("Caches", ["Cache", "Entries"], caches.map(cells));
    }
}
