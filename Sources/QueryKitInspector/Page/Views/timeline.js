"use strict";

/// Runs as bars on lanes by store, with arrows from causes to runs; and the same events as a list.
class TimelineView {
    static title = "Timeline";
    static shortest = 1;

    constructor(app) {
        this.app = app;
        this.mode = "lanes";
        this.isFollowing = true;
        this.span = 15_000;
        this.to = 0;
        this.filter = "";
        this.layout = new LaneLayout();
        this.drawn = {};
        this.log = new EventLog(
            app,
            (event) => this.selectEvent(event),
            () => this.isFollowing && this.setFollowing(false),
        );
        this.makeCanvas();
        this.search = h("input", {
            type: "search",
            class: "field",
            placeholder: "Filter by path or pattern",
            "aria-label": "Filter the timeline by text or pattern",
            spellcheck: "false",
            autocomplete: "off",
            "aria-keyshortcuts": "/",
            oninput: () => {
                this.filter = this.search.value;
                this.layoutKey = null;
                this.log.setFilter(this.filter);
                this.redraw();
            },
        });
        const mode = choice({
            label: "View",
            options: { lanes: "Lanes", log: "Events" },
            value: this.mode,
            onchange: (next) => this.setMode(next),
        });
        this.follow = button({
            label: "Pause",
            text: "Pause",
            icon: "pause",
            kind: "follow",
            action: () => this.setFollowing(!this.isFollowing),
        });
        this.zoomTools = h(
            "div",
            { class: "group" },
            button({ label: "Zoom out", icon: "minus", shortcut: "-", action: () => this.zoom(2) }),
            button({ label: "Zoom in", icon: "plus", shortcut: "+", action: () => this.zoom(0.5) }),
            button({ label: "Show all recorded events", icon: "fit", shortcut: "0", action: () => this.fit() }),
        );
        this.foldAll = button({ label: "Close or open all groups", icon: "tree", action: () => this.toggleAll() });
        this.status = h("span", { class: "found" });
        this.details = h("section", { class: "details", "aria-label": "Selection", "aria-live": "polite" });
        this.lanes = h("div", { class: "lanes" }, this.map, this.scroller);
        this.element = h(
            "div",
            { class: "timeline" },
            h(
                "div",
                { class: "toolbar" },
                h("label", { class: "search" }, icon("search"), this.search),
                mode.element,
                this.follow,
                this.zoomTools,
                this.foldAll,
                this.status,
            ),
            h("div", { class: "body" }, this.lanes, this.log.element, this.details),
        );
        this.showSelection();
        this.setMode("lanes");
        // After the mode, so that a press on the choice does not draw twice.
        this.modeChoice = mode;
    }

    makeCanvas() {
        this.canvas = h("canvas", {
            tabindex: "0",
            role: "application",
            "aria-roledescription": "timeline",
            "aria-label":
                "Timeline of runs. Left and right select a run, up and down another lane, plus and minus zoom, Enter opens the store. " +
                "The view Events has the same as a list.",
        });
        this.painter = new LanePainter(this.canvas);
        this.spacer = h("div", { class: "spacer" });
        this.scroller = h("div", { class: "canvas", tabindex: "-1" }, this.canvas, this.spacer);
        this.tooltip = h("div", { class: "tooltip", hidden: true, "aria-hidden": "true" });
        this.map = h("canvas", { class: "map", "aria-hidden": "true" });
        this.mapSize = { width: 0, height: 0 };
        observeSize(this.scroller, (size) => {
            this.painter.size = size;
            this.redraw();
        });
        observeSize(this.map, (size) => {
            this.mapSize = size;
            this.redraw();
        });
        this.scroller.addEventListener("scroll", () => this.redraw(), { passive: true });
        this.canvas.addEventListener("pointerdown", (event) => this.press(event));
        this.canvas.addEventListener("pointermove", (event) => this.move(event));
        this.canvas.addEventListener("pointerleave", () => this.hover(null));
        this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.canvas.addEventListener("keydown", (event) => this.key(event));
        this.canvas.addEventListener("dblclick", () => this.openSelected());
        const jump = (event) => event.buttons && this.jump(event);
        this.map.addEventListener("pointerdown", (event) => {
            this.map.setPointerCapture(event.pointerId);
            jump(event);
        });
        this.map.addEventListener("pointermove", jump);
    }

    get history() {
        return this.app.client?.history;
    }

    get now() {
        return this.app.model.now(this.app.client);
    }

    setMode(mode) {
        this.mode = mode;
        this.lanes.hidden = mode !== "lanes";
        this.log.element.hidden = mode !== "log";
        this.zoomTools.hidden = this.foldAll.hidden = mode !== "lanes";
        this.modeChoice?.select(mode);
        this.log.setVisible(mode === "log");
        this.redraw();
    }

    setFollowing(isFollowing) {
        if (!isFollowing && this.isFollowing) this.to = this.now;
        this.isFollowing = isFollowing;
        this.log.setFollowing(isFollowing);
        fill(this.follow, icon(isFollowing ? "pause" : "play"), h("span", { text: isFollowing ? "Pause" : "Follow" }));
        this.follow.setAttribute("aria-label", isFollowing ? "Pause" : "Follow");
        this.follow.classList.toggle("primary", !isFollowing);
        this.redraw();
    }

    show(kind, number) {
        if (kind !== "run") return;
        const run = this.history?.runs.get(Number(number));
        if (!run) return announce("This run is older than the recorded events.", "error");
        this.setMode("lanes");
        this.select(run, true);
    }

    update(changes) {
        if (changes.has("client") || changes.has("theme")) this.layoutKey = null;
        if (changes.has("client")) this.select(null);
        if (changes.has("session") && this.app.model.isRecorded && this.fitted !== this.app.model.hello?.session) {
            this.fitted = this.app.model.hello?.session;
            this.fit();
        }
        if (changes.has("events") || changes.has("theme")) this.redraw();
        if (this.mode === "log") this.log.update();
    }

    tick() {
        if (!this.history) return;
        const kept = Math.min(this.history.events.length, Limits.events);
        setText(this.status, Format.plural(kept, "event") + (this.app.client.lost ? `, ${Format.count(this.app.client.lost)} lost` : ""));
        if (this.selected && this.selected.end !== this.shownEnd) this.showSelection();
    }

    redraw() {
        this.isDirty = true;
        this.app.wake();
    }

    /// Called each frame while the view is visible. Returns whether it wants another frame.
    frame(now) {
        if (this.mode !== "lanes" || !this.history) return false;
        const isMoving = this.isFollowing && this.app.isLive && !this.app.client.hasManualClock;
        // Following draws 30 times a second, and twice with reduced motion.
        if (!this.isDirty && !(isMoving && now - (this.drawnAt ?? 0) >= (this.app.isCalm ? 500 : 33))) return isMoving;
        this.isDirty = false;
        this.drawnAt = now;
        this.draw(now);
        return isMoving;
    }

    draw(now) {
        const history = this.history;
        const pace = history.lanes.size > 1000 ? 1000 : 200;
        const key = `${history.laneRevision} ${this.filter} ${this.layout.hasCopies ? history.revision : ""}`;
        if (this.layoutKey === null || (this.layoutKey !== key && now - (this.laidOutAt ?? -10_000) > pace) || this.laidOut !== history) {
            this.layoutKey = key;
            this.laidOut = history;
            this.laidOutAt = now;
            this.layout.update(history, this.filter);
            this.spacer.style.height = `${this.layout.rows.length * LanePainter.rowHeight + LanePainter.top}px`;
        }
        if (this.isFollowing) this.to = this.now;
        this.painter.draw({
            history,
            layout: this.layout,
            from: this.to - this.span,
            to: this.to,
            now: this.now,
            scroll: this.scroller.scrollTop,
            selected: this.selected,
            hovered: this.hovered,
        });
        this.drawMap(now);
    }

    /// The whole recording as a histogram of events, with the window of the lanes.
    drawMap(now) {
        const history = this.history;
        const { width, height } = this.mapSize;
        if (width === 0) return;
        const from = (this.mapFrom = Math.min(history.oldest, this.to - this.span));
        const to = (this.mapTo = Math.max(this.now, this.to, from + 1));
        if (!this.bins || now - this.binnedAt > 250) {
            this.binnedAt = now;
            this.bins = { all: new Uint32Array(200), failed: new Uint32Array(200) };
            for (const event of history.events) {
                const bin = Math.max(0, Math.min(199, Math.floor(((event.t - from) / (to - from)) * 200)));
                this.bins.all[bin] += 1;
                if (event.error) this.bins.failed[bin] += 1;
            }
        }
        const context = prepare(this.map, this.mapSize);
        const most = Math.max(1, ...this.bins.all);
        const step = width / 200;
        for (let bin = 0; bin < 200; bin += 1) {
            const bar = (count) => Math.sqrt(count / most) * (height - 6);
            context.fillStyle = Palette.get("run-success");
            context.fillRect(bin * step, height - bar(this.bins.all[bin]), Math.max(1, step - 0.5), bar(this.bins.all[bin]));
            context.fillStyle = Palette.get("run-failure");
            context.fillRect(bin * step, height - bar(this.bins.failed[bin]), Math.max(1, step - 0.5), bar(this.bins.failed[bin]));
        }
        const place = (t) => ((t - from) / (to - from)) * width;
        const [left, right] = [place(this.to - this.span), place(this.to)];
        context.fillStyle = Palette.get("veil");
        context.fillRect(0, 0, Math.max(0, left), height);
        context.fillRect(right, 0, width - right, height);
        context.strokeStyle = Palette.get("accent");
        context.lineWidth = 1.5;
        context.strokeRect(Math.max(1, left), 1, Math.max(4, Math.min(right, width - 1) - Math.max(1, left)), height - 2);
    }

    jump(event) {
        const t = this.mapFrom + (event.offsetX / this.mapSize.width) * (this.mapTo - this.mapFrom);
        this.setFollowing(false);
        this.to = t + this.span / 2;
        this.redraw();
    }

    zoom(factor, center = null) {
        const longest = Math.max(60_000, this.now - this.history.oldest) * 1.1;
        const span = Math.max(TimelineView.shortest, Math.min(longest, this.span * factor));
        const at = center ?? (this.isFollowing ? this.to : this.to - this.span / 2);
        // The time under the pointer stays where it is.
        this.to = at + ((this.to - at) / this.span) * span;
        this.span = span;
        this.redraw();
    }

    fit() {
        if (!this.history?.events.length) return;
        const from = this.history.oldest;
        this.to = Math.max(this.app.model.latest, from + 1);
        this.span = Math.max(TimelineView.shortest, (this.to - from) * 1.02);
        if (this.app.model.isRecorded) this.setFollowing(false);
        this.redraw();
    }

    pan(ms) {
        this.setFollowing(false);
        this.to += ms;
        this.redraw();
    }

    wheel(event) {
        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            this.zoom(Math.exp(event.deltaY / 200), this.isFollowing ? null : this.painter.time(event.offsetX));
        } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
            event.preventDefault();
            const delta = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY;
            this.pan((delta / Math.max(1, this.painter.size.width)) * this.span);
        }
    }

    press(event) {
        if (event.button !== 0) return;
        const start = { x: event.offsetX, to: this.to };
        let isDrag = false;
        this.canvas.setPointerCapture(event.pointerId);
        const drag = (moved) => {
            if (Math.abs(moved.offsetX - start.x) > 4) isDrag = true;
            if (!isDrag || start.x < this.painter.gutter) return;
            this.setFollowing(false);
            this.to = start.to - ((moved.offsetX - start.x) / (this.painter.size.width - this.painter.gutter)) * this.span;
            this.redraw();
        };
        const end = (up) => {
            this.canvas.removeEventListener("pointermove", drag);
            if (!isDrag && up.type === "pointerup") this.click(this.painter.at(up.offsetX, up.offsetY));
        };
        this.canvas.addEventListener("pointermove", drag);
        this.canvas.addEventListener("pointerup", end, { once: true });
        this.canvas.addEventListener("pointercancel", end, { once: true });
    }

    click(hit) {
        if (hit?.kind === "group") {
            this.layout.collapsed.set(hit.row.key, !hit.row.isCollapsed);
            this.layoutKey = null;
        } else if (hit?.kind === "label") {
            this.openPath(hit.row.lane.path, hit.row.lane.runs.at(-1)?.store);
        } else {
            this.select(hit?.object ?? null);
        }
        this.redraw();
    }

    toggleAll() {
        const groups = this.layout.rows.filter((row) => row.kind === "group");
        const isCollapsing = groups.some((row) => !row.isCollapsed);
        for (const row of groups) this.layout.collapsed.set(row.key, isCollapsing);
        this.layoutKey = null;
        this.redraw();
    }

    move(event) {
        if (event.buttons) return this.hover(null);
        const hit = this.painter.at(event.offsetX, event.offsetY);
        this.hover(hit, event);
    }

    hover(hit, event) {
        const object = hit?.object ?? null;
        this.canvas.classList.toggle("pointing", hit !== null);
        if (object !== this.hovered) {
            this.hovered = object;
            this.redraw();
            if (!object) this.tooltip.remove();
            else
                fill(this.tooltip, SelectionText.title(object), h("span", { class: "faint", text: SelectionText.brief(object, this.now) }));
        }
        if (!object) return;
        if (!this.tooltip.isConnected) document.body.append(this.tooltip);
        this.tooltip.hidden = false;
        const isRight = event.clientX > innerWidth / 2;
        const [left, shift] = isRight ? [event.clientX - 12, "-100%"] : [event.clientX + 12, "0"];
        this.tooltip.style.transform = `translate(${left}px, ${event.clientY + 16}px) translateX(${shift})`;
    }

    key(event) {
        if (event.altKey) return;
        const actions = {
            "+": () => this.zoom(0.5),
            "=": () => this.zoom(0.5),
            "-": () => this.zoom(2),
            0: () => this.fit(),
            ArrowLeft: () => (event.shiftKey ? this.pan(-this.span / 8) : this.step(-1)),
            ArrowRight: () => (event.shiftKey ? this.pan(this.span / 8) : this.step(1)),
            ArrowUp: () => this.stepLane(-1),
            ArrowDown: () => this.stepLane(1),
            Enter: () => this.openSelected(),
            " ": () => this.setFollowing(!this.isFollowing),
        };
        if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        actions[event.key]();
    }

    /// Selects the previous or next run of the same lane, or else the latest run in the window.
    step(by) {
        const lane = this.selected?.lanes?.[0];
        if (!lane || !lane.runs.length) return this.stepLane(1);
        const index = lane.runs.indexOf(this.selected) + by;
        if (lane.runs[index]) this.select(lane.runs[index], true);
    }

    stepLane(by) {
        const lanes = this.layout.rows.filter((row) => row.lane?.runs.length).map((row) => row.lane);
        if (lanes.length === 0) return;
        const here = this.selected?.lanes ? lanes.findIndex((lane) => this.selected.lanes.includes(lane)) : -1;
        const lane = lanes[Math.max(0, Math.min(lanes.length - 1, here + by))];
        const t = this.selected?.start ?? this.to;
        const near = lane.runs.reduce((best, run) => (Math.abs(run.start - t) < Math.abs(best.start - t) ? run : best));
        this.select(near, true);
    }

    select(object, isRevealed = false) {
        this.selected = object;
        this.showSelection();
        if (object && isRevealed) this.reveal(object);
        this.redraw();
    }

    selectEvent(event) {
        const history = this.history;
        const object =
            event.kind === "changed"
                ? history.changes.get(event.change?.n)
                : event.kind.startsWith("mutation")
                  ? history.calls.get(History.callKey(event.path, event.run))
                  : history.runs.get(event.run);
        this.select(object ?? null);
    }

    reveal(object) {
        const t = object.start ?? object.t;
        if (t < this.to - this.span || t > this.to || this.isFollowing) {
            const end = object.end ?? t;
            this.setFollowing(false);
            this.span = Math.max(this.span, (end - t) * 1.5);
            this.to = Math.min(t + this.span * 0.6, Math.max(this.now, t + this.span * 0.1));
        }
        if (this.layoutKey === null || this.layout.rows.length === 0) this.layout.update(this.history, this.filter);
        const row = object.lanes ? this.layout.rowOf(object) : -1;
        if (row < 0) return;
        const top = row * LanePainter.rowHeight;
        const height = this.painter.size.height - LanePainter.top - LanePainter.rowHeight;
        if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height) this.scroller.scrollTop = top - height / 2;
    }

    openSelected() {
        const run = this.selected;
        if (run?.type === "run") this.openPath(run.path, run.store);
    }

    openPath(path, store) {
        const id = this.app.client?.storeID(path, store ?? null);
        if (id === null || id === undefined) return announce(`No store has the path ${path} now.`, "error");
        this.app.go("stores", id);
    }

    showSelection() {
        this.shownEnd = this.selected?.end;
        this.element.classList.toggle("chosen", Boolean(this.selected));
        fill(
            this.details,
            this.selected
                ? SelectionText.details(this.selected, this)
                : h("p", { class: "hint", text: "Select a run, a call or a change to see why it happened and what it caused." }),
        );
    }
}
