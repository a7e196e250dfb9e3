"use strict";

/// What would change: the stores that an invalidation of a pattern or a change of a region would affect, before it happens.
class ImpactView {
    static title = "What would change";
    static actions = [
        ["invalidate", "Invalidate", "Invalidated"],
        ["refetch", "Refetch", "Refetching"],
        ["cancel", "Cancel runs", "Cancelled the runs of"],
        ["reset", "Reset", "Reset"],
        ["remove", "Remove", "Removed"],
    ];

    constructor(app) {
        this.app = app;
        this.by = "pattern";
        this.texts = { pattern: "", region: "" };
        this.result = null;
        this.byChoice = choice({
            label: "Kind of change",
            options: { pattern: "Pattern", region: "Table or region" },
            value: "pattern",
            onchange: (by) => this.setBy(by),
        });
        this.suggestions = h("datalist", { id: "impact-suggestions" });
        this.input = h("input", {
            type: "text",
            class: "field",
            list: "impact-suggestions",
            spellcheck: "false",
            autocomplete: "off",
            "aria-keyshortcuts": "/",
            oninput: () => {
                this.texts[this.by] = this.input.value;
                this.ask(120);
            },
        });
        this.summary = h("p", { class: "summary", role: "status" });
        this.tools = h("div", { class: "group", role: "group", "aria-label": "Actions on the matching stores" });
        const header = h(
            "div",
            { class: "header cells impact", role: "row", "aria-rowindex": "1" },
            ["Effect", "Path", "Reason"].map((text) => h("div", { class: `cell ${text.toLowerCase()}`, role: "columnheader", text })),
        );
        this.list = new VirtualList({
            label: "Stores that would change",
            header,
            rowHeight: 32,
            makeRow: () => new ImpactRow(),
            onOpen: (item) => app.go("stores", item.id),
        });
        this.element = h(
            "div",
            { class: "impact" },
            h(
                "div",
                { class: "toolbar" },
                this.byChoice.element,
                h("label", { class: "search" }, icon("search"), this.input),
                this.suggestions,
                this.tools,
            ),
            this.summary,
            this.list.element,
        );
        this.setBy("pattern");
    }

    show(by, text) {
        if (!by) return;
        this.texts[by] = text ?? "";
        this.byChoice.select(by);
        this.setBy(by);
    }

    setBy(by) {
        this.by = by;
        this.input.value = this.texts[by];
        const isPattern = by === "pattern";
        this.input.placeholder = isPattern ? "A pattern such as food/**" : "A table, partition or other region";
        this.input.setAttribute("aria-label", isPattern ? "Pattern to invalidate" : "Table or region that changes");
        this.suggest();
        this.ask(0);
    }

    async suggest() {
        const by = this.by;
        let texts = [];
        if (by === "region") {
            const { app } = this;
            const answer = app.isLive ? await app.session.get("/api/regions", { client: app.client?.id }).catch(() => null) : null;
            texts = answer?.regions ?? app.client?.regions() ?? [];
        } else {
            const firsts = new Set();
            for (const row of this.app.client?.rows.values() ?? []) if (row.elements.length > 1) firsts.add(`${row.path.split("/")[0]}/**`);
            texts = [...firsts].sort();
        }
        if (by === this.by)
            fill(
                this.suggestions,
                texts.slice(0, 500).map((text) => h("option", { value: text })),
            );
    }

    update(changes) {
        if (changes.has("client") || changes.has("session")) {
            this.suggest();
            this.ask(0);
        } else if (changes.has("stores") && this.texts[this.by]) {
            this.ask(2000);
        }
    }

    /// Loads the answer after a delay. A call for a later time does not delay it further.
    ask(delay) {
        if (delay > 200 && this.timer) return;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.timer = null;
            this.load();
        }, delay);
    }

    async load() {
        const text = this.texts[this.by].trim();
        const question = (this.question = {});
        if (!text || !this.app.client) return this.render(null, text);
        if (!this.app.isLive) return this.render(this.recorded(text), text);
        try {
            const answer = await this.app.session.get("/api/affected", { client: this.app.client.id, [this.by]: text });
            if (question === this.question) this.render(answer, text);
        } catch (error) {
            if (question === this.question) this.render({ stores: [], malformed: error.message }, text);
        }
    }

    /// Without a server: the effect of a change, according to the rows of the session and the regions that their stores have read.
    recorded(text) {
        const { client } = this.app;
        const pattern = Pattern.elements(text);
        const found =
            this.by === "region" ? client.readers(text) : [...client.rows.values()].filter((row) => Pattern.matches(pattern, row.elements));
        const unknown = this.by === "region" ? [...client.rows.keys()].filter((id) => !client.details.has(id)).length : 0;
        const stores = found
            .map((row) => {
                const isDisabled = row.flags.includes("disabled");
                const runs = row.subscribers > 0 && !isDisabled;
                return {
                    id: row.id,
                    path: row.path,
                    runs,
                    reason: runs ? "observed" : isDisabled ? "disabled" : "no observer: at the next subscription",
                };
            });
        return { stores, malformed: null, unknown };
    }

    render(answer, text) {
        this.result = answer;
        const stores = answer?.stores ?? [];
        stores.sort((left, right) => right.runs - left.runs || (left.path < right.path ? -1 : 1));
        this.list.setItems(stores);
        this.list.element.hidden = stores.length === 0;
        const running = stores.filter((store) => store.runs).length;
        this.summary.classList.toggle("error", Boolean(answer?.malformed));
        setText(
            this.summary,
            !answer
                ? "Type a pattern, or pick a table, to see which stores an invalidation or a commit would run. Nothing happens yet."
                : answer.malformed
                  ? answer.malformed
                  : (stores.length === 0
                        ? "No store is affected."
                        : `${Format.plural(running, "store")} would run now. ` +
                          `${Format.plural(stores.length - running, "store")} would only be marked as stale.`) +
                    (answer.unknown > 0
                        ? ` The session doesn't contain the reads of ${Format.plural(answer.unknown, "more store")}.`
                        : ""),
        );
        const key = `${this.by} ${text} ${stores.length} ${this.app.model.allowsActions}`;
        if (this.toolsKey === key) return;
        this.toolsKey = key;
        const canAct = this.app.model.allowsActions && this.by === "pattern" && stores.length > 0 && !answer.malformed;
        fill(
            this.tools,
            canAct &&
                ImpactView.actions.map(([action, label, done]) =>
                    button({
                        label,
                        text: label,
                        kind: action === "remove" ? "danger" : action === "invalidate" ? "primary" : "",
                        action: () => this.act(action, text, done, stores.length),
                    }),
                ),
        );
    }

    async act(action, pattern, done, count) {
        const isHarsh = action === "remove" || action === "reset";
        if (
            isHarsh &&
            !(await this.app.confirm(
                `${action === "remove" ? "Remove" : "Reset"} ${Format.plural(count, "store")}?`,
                `All stores that match ${pattern} lose their values. Observed stores refetch.`,
                action === "remove" ? "Remove" : "Reset",
            ))
        )
            return;
        await this.app.act({ action, pattern }, (answer) => `${done} ${Format.plural(answer.count ?? 0, "store")}.`);
        this.ask(0);
    }
}

class ImpactRow {
    constructor() {
        this.effect = h("span", { class: "badge" });
        this.path = h("div", { class: "cell path", role: "gridcell" });
        this.reason = h("div", { class: "cell reason", role: "gridcell" });
        this.element = h(
            "div",
            { class: "cells impact" },
            h("div", { class: "cell effect", role: "gridcell" }, this.effect),
            this.path,
            this.reason,
        );
    }

    update(item) {
        const kind = item.runs ? "fetching" : "idle";
        if (this.kind !== kind) this.effect.className = `badge ${(this.kind = kind)}`;
        setText(this.effect, item.runs ? "Runs" : "Marked");
        setText(this.path, item.path);
        setText(this.reason, item.reason ?? "");
    }
}
