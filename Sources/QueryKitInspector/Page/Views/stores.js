"use strict";

/// The list of stores as a table or a tree, with the page of one store beside it.
class StoresView {
    static title = "Stores";
    static columns = [
        ["status", "Status"],
        ["path", "Path"],
        ["observers", "Obs.", "Observers"],
        ["age", "Age", "Age of the value"],
        ["ttl", "Fresh for", "Time for which the value stays fresh"],
        ["last", "Last", "Duration of the last run"],
        ["runs", "Runs"],
        ["hits", "Hits", "Hits: fetches that a fresh value answered"],
        ["bytes", "Size", "Estimated size of the value"],
    ];
    static filters = { all: "All", observed: "Observed", ...Status.names };

    constructor(app) {
        this.app = app;
        this.options = { search: "", filter: "all", sort: "path", isDescending: false };
        this.mode = "list";
        this.open = new Map();
        this.shown = {};
        this.pane = new StorePane(app, () => this.close());
        this.search = h("input", {
            type: "search",
            class: "field",
            placeholder: "Search, or a pattern such as food/**",
            "aria-label": "Search stores by text or pattern",
            spellcheck: "false",
            autocomplete: "off",
            "aria-keyshortcuts": "/",
            oninput: () => this.change({ search: this.search.value }),
            onkeydown: (event) => this.searchKey(event),
        });
        this.filter = choice({
            label: "Filter by status",
            kind: "chips",
            options: StoresView.filters,
            value: "all",
            onchange: (filter) => this.change({ filter }),
        });
        for (const each of this.filter.buttons.values()) each.append(h("span", { class: "count", text: "0" }));
        const mode = choice({
            label: "Layout",
            options: { list: "List", tree: "Tree" },
            value: this.mode,
            onchange: (next) => this.setMode(next),
        });
        this.sort = h(
            "select",
            { class: "field sort", "aria-label": "Sort by", onchange: () => this.sortBy(this.sort.value, false) },
            StoresView.columns.map(([key, text, label]) => h("option", { value: key, text: label ?? text, selected: key === "path" })),
        );
        this.found = h("span", { class: "found", role: "status" });
        this.message = h("div", { class: "empty", hidden: true });
        this.listPlace = h("div", { class: "place" });
        this.makeList();
        observeSize(this.listPlace, ({ width }) => this.resize(width));
        this.element = h(
            "div",
            { class: "split stores" },
            h(
                "div",
                { class: "main" },
                h(
                    "div",
                    { class: "toolbar" },
                    h("label", { class: "search" }, icon("search"), this.search),
                    mode.element,
                    this.sort,
                    this.found,
                ),
                this.filter.element,
                this.listPlace,
                this.message,
            ),
            this.pane.element,
        );
    }

    makeList() {
        this.headers = new Map();
        const header = h(
            "div",
            { class: "header cells", role: "row", "aria-rowindex": "1" },
            StoresView.columns.map(([key, text, label]) => {
                const cell = h(
                    "div",
                    { class: `cell ${key}`, role: "columnheader", title: label },
                    h("button", {
                        type: "button",
                        text,
                        "aria-label": `Sort by ${label ?? text}`,
                        onclick: () => this.sortBy(key),
                    }),
                );
                this.headers.set(key, cell);
                return cell;
            }),
        );
        this.list = new VirtualList({
            label: "Stores",
            role: this.mode === "tree" ? "treegrid" : "grid",
            header,
            rowHeight: this.rowHeight(),
            makeRow: () => new StoreRow(this),
            onOpen: (item) => (item.group ? this.toggle(item) : this.app.go("stores", item.row?.id ?? item.id)),
            onKey: (event, item, index) => this.treeKey(event, item, index),
        });
        this.showSort();
        fill(this.listPlace, this.list.element);
    }

    rowHeight() {
        return this.isNarrow ? 52 : 32;
    }

    /// The limit is that of the style sheet: below it, a row has two lines.
    resize(width) {
        if (width === 0) return;
        this.isNarrow = width <= 540;
        this.list.setRowHeight(this.rowHeight());
    }

    setMode(mode) {
        this.mode = mode;
        this.makeList();
        this.compute();
    }

    change(options) {
        Object.assign(this.options, options);
        this.list.scroller.scrollTop = 0;
        this.compute();
    }

    sortBy(key, isToggling = true) {
        const isSame = this.options.sort === key;
        this.change({ sort: key, isDescending: isToggling && isSame && !this.options.isDescending });
        this.sort.value = key;
        this.showSort();
    }

    showSort() {
        for (const [key, cell] of this.headers) {
            const isSorted = key === this.options.sort;
            cell.setAttribute("aria-sort", !isSorted ? "none" : this.options.isDescending ? "descending" : "ascending");
        }
    }

    searchKey(event) {
        if (event.key === "ArrowDown" || event.key === "Enter") {
            event.preventDefault();
            this.list.element.focus();
            if (this.list.active < 0) this.list.setActive(0);
        } else if (event.key === "Escape" && this.search.value) {
            event.stopPropagation();
            this.search.value = "";
            this.change({ search: "" });
        }
    }

    isOpen(key, count, depth) {
        return this.open.get(key) ?? (this.options.search !== "" || count <= 40 || (depth === 0 && count <= 120));
    }

    toggle(item, isOpen = !item.isOpen) {
        this.open.set(item.group, isOpen);
        this.compute();
    }

    treeKey(event, item, index) {
        if (this.mode !== "tree") return false;
        if (event.key === "ArrowRight" && item.group && !item.isOpen) return this.toggle(item, true), true;
        if (event.key !== "ArrowLeft") return false;
        if (item.group && item.isOpen) return this.toggle(item, false), true;
        for (let parent = index - 1; parent >= 0; parent -= 1) {
            if (this.list.items[parent].depth < item.depth) return this.list.setActive(parent), true;
        }
        return true;
    }

    /// Called once a frame with what changed. If only rows changed, it redraws the rows in view. It sorts again only if the order can have
    /// changed, and at most a few times a second.
    update(changes, now) {
        const client = this.app.client;
        if (changes.has("client")) {
            this.shown = {};
            this.list.setActive(-1);
        }
        if (!client) return this.compute();
        this.list.schedule();
        const { search, filter, sort } = this.options;
        const isStable = sort === "path" && filter === "all" && this.mode === "list";
        const isSame =
            this.shown.client === client &&
            (isStable ? this.shown.membership === client.membership : this.shown.revision === client.revision);
        const pace = client.rows.size > 1000 ? 700 : 200;
        if (!isSame && (this.shown.client !== client || now - this.shown.at > pace)) this.compute();
        else if (!isSame || this.shown.counted !== client.revision) this.app.later(pace);
        if (this.shown.counted !== client.revision && now - (this.shown.countedAt ?? -1000) > pace) this.count();
        this.pane.update(changes, now);
    }

    tick() {
        this.list.schedule();
        this.count();
        if (this.options.filter !== "all" || this.options.sort !== "path") this.compute();
        this.pane.tick();
    }

    compute() {
        const client = this.app.client;
        const now = this.app.model.now(client);
        if (client && (this.order?.client !== client || this.order.membership !== client.membership)) {
            this.order = { client, membership: client.membership, ids: StoreIndex.order(client.rows) };
        }
        const rows = client ? StoreIndex.list(client.rows, this.options, now, this.order.ids) : [];
        const items = this.mode === "tree" ? StoreIndex.tree(rows, (...group) => this.isOpen(...group), now) : rows;
        this.list.setItems(items);
        this.shown = { ...this.shown, client, membership: client?.membership, revision: client?.revision, at: performance.now() };
        const total = client?.rows.size ?? 0;
        setText(
            this.found,
            rows.length === total ? Format.plural(total, "store") : `${Format.count(rows.length)} of ${Format.plural(total, "store")}`,
        );
        this.showMessage(rows.length, total);
        this.select();
    }

    showMessage(found, total) {
        this.message.hidden = found > 0;
        this.listPlace.hidden = found === 0;
        if (found > 0) return;
        const [title, text] =
            total > 0
                ? [
                      "No store matches",
                      "Change the text or the filter. A pattern must match the whole path: food/** finds food and everything below it.",
                  ]
                : this.app.client?.isGone
                  ? ["The client was deallocated", "Its stores are gone. The timeline still shows its last events."]
                  : ["No stores yet", "They appear here as soon as the app uses a query."];
        fill(this.message, ...empty(title, text).childNodes);
    }

    count() {
        const client = this.app.client;
        if (!client) return;
        const counts = StoreIndex.counts(client.rows, this.app.model.now(client));
        for (const [key, each] of this.filter.buttons) {
            setText(each.lastChild, Format.count(counts[key]));
            each.classList.toggle("none", counts[key] === 0);
        }
        this.shown.counted = client.revision;
        this.shown.countedAt = performance.now();
    }

    /// Opens the page of a store; null closes it.
    show(id) {
        this.selected = id === null ? null : Number(id);
        this.element.classList.toggle("detailed", this.selected !== null);
        this.pane.show(this.selected);
        this.select(true);
        this.list.schedule();
    }

    select(isVisible = false) {
        if (this.selected === null || this.selected === undefined) return;
        const index = this.list.items.findIndex((item) => (item.row ?? item).id === this.selected);
        if (index >= 0) this.list.setActive(index, isVisible);
    }

    close() {
        this.app.go("stores");
        this.list.element.focus();
    }
}

/// One row of the list: a store, or a group of the tree.
class StoreRow {
    constructor(view) {
        this.view = view;
        this.cells = {};
        const cell = (key, ...children) => (this.cells[key] = h("div", { class: `cell ${key}`, role: "gridcell" }, children));
        this.badge = h("span", { class: "badge" });
        this.caret = h("span", { class: "caret", "aria-hidden": "true" });
        this.path = h("span", { class: "name" });
        this.type = h("span", { class: "type" });
        this.note = h("span", { class: "note" });
        this.meta = h("span", { class: "meta" });
        this.ttl = h("span", { class: "text" });
        this.bar = h("span", { class: "bar", "aria-hidden": "true" }, h("i"));
        this.element = h(
            "div",
            { class: "cells" },
            cell("status", this.badge),
            cell("path", this.caret, this.path, this.type, this.note, this.meta),
            cell("observers"),
            cell("age"),
            cell("ttl", this.ttl, this.bar),
            cell("last"),
            cell("runs"),
            cell("hits"),
            cell("bytes"),
        );
    }

    update(item) {
        if (item.group) return this.updateGroup(item);
        const client = this.view.app.client;
        const known = item.row ?? item;
        const row = client?.rows.get(known.id) ?? known;
        const now = this.view.app.model.now(client);
        const status = Status.of(row, now);
        this.setKind(status, item.depth ?? 0);
        setText(this.badge, Status.names[status]);
        setText(this.path, item.label ?? row.path);
        if (this.shownPath !== row.path) this.path.title = this.shownPath = row.path;
        setText(this.type, row.type);
        setText(this.note, StoreRow.note(row));
        this.note.classList.toggle("error", Boolean(row.error));
        this.setExpanded(null, item.depth);
        const age = row.updated === null ? null : now - row.updated;
        const ages = Format.age(age);
        setText(this.cells.observers, row.subscribers ? String(row.subscribers) : "–");
        setText(this.cells.age, ages);
        const left = Status.remaining(row, now);
        setText(this.ttl, left === null ? "–" : left === Infinity ? "∞" : left <= 0 ? "0 s" : Format.age(left));
        const share = left === null || left === Infinity || !row.ttl ? 0 : Math.round((100 * left) / row.ttl) / 100;
        if (this.share !== share) {
            this.share = share;
            this.bar.firstChild.style.transform = `scaleX(${share})`;
        }
        setText(this.cells.last, Format.duration(row.last));
        setText(this.cells.runs, Format.count(row.runs));
        setText(this.cells.hits, Format.count(row.hits ?? null));
        setText(this.cells.bytes, Format.bytes(row.bytes ?? null));
        const parts = [
            row.type,
            row.subscribers ? Format.plural(row.subscribers, "observer") : "not observed",
            row.updated === null ? null : ages,
        ];
        setText(this.meta, parts.filter(Boolean).join(" · "));
    }

    updateGroup(item) {
        this.setKind("group", item.depth);
        setText(this.badge, "");
        setText(this.path, `${item.label}/`);
        if (this.shownPath !== item.group) this.path.title = this.shownPath = item.group.replaceAll("\u0001", "/");
        setText(this.type, Format.plural(item.count, "store"));
        const tally = ["fetching", "failed", "paused", "stale"].filter((name) => item.tally[name]);
        const text = tally.map((name) => `${item.tally[name]} ${Status.names[name].toLowerCase()}`).join(", ");
        setText(this.note, text);
        this.note.classList.remove("error");
        setText(this.meta, Format.plural(item.count, "store"));
        for (const key of ["observers", "age", "last", "runs", "hits", "bytes"]) setText(this.cells[key], "");
        setText(this.ttl, "");
        this.share = null;
        this.bar.firstChild.style.transform = "scaleX(0)";
        this.setExpanded(item.isOpen, item.depth);
    }

    setKind(kind, depth) {
        if (this.kind !== kind) {
            this.kind = kind;
            this.badge.className = `badge ${kind}`;
            this.element.classList.toggle("group", kind === "group");
        }
        if (this.depth !== depth) {
            this.depth = depth;
            this.element.style.setProperty("--depth", String(depth));
        }
    }

    setExpanded(isOpen, depth) {
        if (this.expanded === isOpen && this.level === depth) return;
        this.expanded = isOpen;
        this.level = depth;
        if (depth === undefined) this.element.removeAttribute("aria-level");
        else this.element.setAttribute("aria-level", String(depth + 1));
        if (isOpen === null) this.element.removeAttribute("aria-expanded");
        else this.element.setAttribute("aria-expanded", String(isOpen));
    }

    static note(row) {
        const notes = ["simulated", "placeholder", "disabled"].filter((flag) => row.flags.includes(flag));
        if (row.isMutation) notes.unshift("mutation");
        if (row.error) notes.push(row.error);
        if (row.waiters) notes.push(`${row.waiters} waiting`);
        return notes.join(" · ");
    }
}
