"use strict";

/// The events as a list, the newest at the bottom. It follows new events until it is paused.
class EventLog {
    static kinds = { all: "All", runs: "Runs", changes: "Changes", failures: "Failures", other: "Others" };

    /// `onLeave` is called when the reader moves away from the newest event.
    constructor(app, onSelect, onLeave) {
        this.app = app;
        this.filter = "";
        this.kind = "all";
        this.isFollowing = true;
        this.isVisible = false;
        this.kindChoice = choice({
            label: "Kind of event",
            kind: "chips",
            options: EventLog.kinds,
            value: "all",
            onchange: (kind) => {
                this.kind = kind;
                this.compute();
            },
        });
        const header = h(
            "div",
            { class: "header cells events", role: "row", "aria-rowindex": "1" },
            ["Time", "Event", "Path", "Duration", "Cause"].map((text) =>
                h("div", { class: `cell ${text.toLowerCase()}`, role: "columnheader", text }),
            ),
        );
        this.list = new VirtualList({
            label: "Events",
            header,
            rowHeight: 28,
            makeRow: () => new EventRow(),
            onActive: (event) => {
                if (!event) return;
                onLeave();
                onSelect(event);
            },
        });
        this.list.scroller.addEventListener("wheel", (event) => event.deltaY < 0 && onLeave(), { passive: true });
        this.list.scroller.addEventListener("touchmove", onLeave, { passive: true });
        this.element = h("div", { class: "log" }, this.kindChoice.element, this.list.element);
    }

    setFilter(filter) {
        this.filter = filter;
        this.compute();
    }

    setFollowing(isFollowing) {
        this.isFollowing = isFollowing;
        // The list moves below an active row.
        if (isFollowing) this.list.setActive(-1);
        this.update();
    }

    setVisible(isVisible) {
        this.isVisible = isVisible;
        this.compute();
    }

    update() {
        if (!this.isFollowing || !this.isVisible) return;
        const now = performance.now();
        if (now - (this.computedAt ?? -1000) < 250) return this.app.later(250);
        this.compute();
        this.list.scroller.scrollTop = 1e9;
    }

    compute() {
        if (!this.isVisible) return;
        this.computedAt = performance.now();
        const isFound = Pattern.search(this.filter);
        const isKept = EventLog.tests[this.kind];
        const events = this.app.client?.history.list() ?? [];
        const kept =
            this.filter === "" && this.kind === "all"
                ? events
                : events.filter(
                      (event) =>
                          isKept(event) &&
                          isFound({ path: event.path ?? "", elements: Pattern.elements(event.path ?? ""), type: event.kind }),
                  );
        this.list.setItems(kept);
    }

    static tests = {
        all: () => true,
        runs: (event) => event.kind.startsWith("run"),
        changes: (event) => event.kind === "changed" || event.kind.startsWith("mutation"),
        failures: (event) => Boolean(event.error),
        other: (event) => event.kind !== "changed" && !event.kind.startsWith("run") && !event.kind.startsWith("mutation"),
    };
}

class EventRow {
    constructor() {
        this.cells = ["time", "event", "path", "duration", "cause"].map((key) => h("div", { class: `cell ${key}`, role: "gridcell" }));
        this.element = h("div", { class: "cells events" }, this.cells);
    }

    update(event) {
        if (this.event === event) return;
        this.event = event;
        const [time, kind, path, duration, cause] = this.cells;
        setText(time, Format.time(event.t));
        setText(kind, Format.words(event.kind));
        setText(path, event.path || "–");
        setText(duration, Format.duration(event.ms));
        setText(
            cause,
            event.error ??
                (event.change
                    ? Reasons.text(Reasons.change({ ...event.change, t: event.t }, { start: -1 }))
                    : event.reason
                      ? Format.words(event.reason)
                      : (event.cause ?? "")),
        );
        const tone = event.error
            ? "failure"
            : event.kind === "changed"
              ? "change"
              : event.kind.startsWith("mutation")
                ? "call"
                : event.kind === "runSucceeded"
                  ? "success"
                  : "";
        this.element.className = `cells events row ${tone} ${this.element.classList.contains("active") ? "active" : ""}`;
    }
}
