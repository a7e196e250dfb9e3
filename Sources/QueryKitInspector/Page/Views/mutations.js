"use strict";

/// Calls in flight, queued and paused; what the journal holds; and the calls that ended.
class MutationsView {
    static title = "Mutations and journal";

    constructor(app) {
        this.app = app;
        this.calls = h("div", { class: "card" });
        this.journal = h("div", { class: "card" });
        this.past = h("div", { class: "card" });
        this.element = h("div", { class: "page" }, this.calls, this.journal, this.past);
    }

    update(changes) {
        if (changes.has("mutations") || changes.has("client") || changes.has("session")) this.render();
    }

    tick() {
        if (this.app.client?.mutations.calls.length) this.render();
    }

    render() {
        const { calls = [], history = [], journal = [], journalError } = this.app.client?.mutations ?? {};
        const now = this.app.model.now(this.app.client);
        const link = (path) => button({ label: path, text: path, kind: "link", action: () => this.app.openPath(path) });
        this.card(
            this.calls,
            "In flight, queued and paused",
            calls,
            ["Status", "Mutation", "Since", "Attempts", "Scope", "Layers", "Arguments"],
            (call) => [
                h("span", { class: `badge ${MutationsView.badges[call.status] ?? "idle"}`, text: call.status }),
                [
                    h("code", { text: call.path }),
                    MutationsView.number(call.call),
                    call.durable ? [" ", h("span", { class: "chip", text: "durable", title: "Written to the journal" })] : null,
                ],
                Format.span(now - call.since),
                String(call.attempts),
                call.scope ?? "–",
                call.layers?.length ? call.layers.map(link) : "–",
                MutationsView.arguments(call.arguments, this.app.model),
            ],
            "No call is under way.",
        );
        this.card(
            this.journal,
            "Journal",
            journal,
            ["State", "Mutation", "Written", "Key"],
            (entry) => [
                h("span", { class: "badge idle", text: entry.state }),
                h("code", { text: entry.path }),
                MutationsView.date(entry.created),
                h("code", { text: entry.key ?? "–" }),
            ],
            journalError
                ? `The journal can't be read: ${journalError}.`
                : "The journal is empty, or the client has none. A durable mutation is written here until it has succeeded.",
        );
        const ended = history.slice(-500).reverse();
        this.card(
            this.past,
            "History",
            ended,
            ["Result", "Mutation", "Called", "Duration", "Error", "Arguments", ""],
            (call) => [
                h("span", { class: `outcome ${MutationsView.outcomes[call.status] ?? call.status}`, text: call.status }),
                [h("code", { text: call.path }), MutationsView.number(call.call)],
                Format.time(call.t),
                Format.duration(call.ms),
                call.error ?? "–",
                MutationsView.arguments(call.arguments, this.app.model),
                button({
                    label: `Show the call of ${call.path} at ${Format.time(call.t)} in the timeline`,
                    icon: "timeline",
                    action: () => this.app.showCall(call),
                }),
            ],
            "No call has ended yet.",
        );
    }

    static badges = { running: "fetching", queued: "idle", paused: "paused" };
    static outcomes = { succeeded: "success", success: "success", failed: "failure", failure: "failure", cancelled: "cancelled" };

    static arguments(text, model) {
        if (text !== null && text !== undefined) return h("code", { text });
        return h("span", { class: "faint", text: model.hello?.showsValues ? "–" : "redacted" });
    }

    /// A call that is over may have no number.
    static number(call) {
        return call === null || call === undefined ? null : h("span", { class: "faint", text: ` #${call}` });
    }

    static date(text) {
        const date = new Date(text);
        return Number.isNaN(date.getTime()) ? text : h("time", { datetime: text, text: date.toLocaleString() });
    }

    card(place, title, rows, headings, cells, nothing) {
        const texts = rows.map((row) => cells(row).map((cell) => (typeof cell === "string" ? cell : 0)));
        const key = JSON.stringify([texts, rows, nothing]);
        if (place.key === key) return;
        place.key = key;
        // The element with the focus is made again: focus the one in its place.
        const focused = [...place.querySelectorAll("button")].indexOf(document.activeElement);
        fill(
            place,
            h("h2", {}, title, h("span", { class: "count", text: Format.count(rows.length) })),
            rows.length ? table(title, headings, rows.map(cells)) : h("p", { class: "hint", text: nothing }),
        );
        if (focused >= 0) place.querySelectorAll("button")[focused]?.focus();
    }
}
