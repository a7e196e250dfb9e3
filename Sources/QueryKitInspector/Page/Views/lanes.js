"use strict";

/// Which lanes the timeline has, from top to bottom: mutations first, then the stores by the first element of their path.
class LaneLayout {
    /// Groups with more lanes are closed at first, if there are more lanes than `manyLanes` in all.
    static collapseAbove = 8;
    static manyLanes = 30;

    constructor() {
        this.rows = [];
        this.collapsed = new Map();
    }

    isCollapsed(group, count) {
        return this.collapsed.get(group) ?? (this.total > LaneLayout.manyLanes && count > LaneLayout.collapseAbove);
    }

    update(history, filter) {
        const isFound = filter === "" ? null : Pattern.search(filter);
        const groups = new Map();
        const inner = [];
        for (const lane of history.lanes.values()) {
            // The run of a mutation is the inside of its call.
            if (lane.type === "run" && history.lanes.has(`call ${lane.path}`)) {
                inner.push(lane);
                continue;
            }
            if (isFound) lane.elements ??= Pattern.elements(lane.path);
            if (isFound && !isFound({ path: lane.path, elements: lane.elements, type: "" })) continue;
            const name = lane.type === "call" ? "Mutations" : History.group(lane.path);
            const key = `${lane.type} ${name}`;
            if (!groups.has(key)) groups.set(key, { name, type: lane.type, lanes: [], key: Format.sortKey(name) });
            groups.get(key).lanes.push(lane);
        }
        const order = (left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0);
        const sorted = [...groups.values()].sort(
            (left, right) => (left.type === "call" ? 0 : 1) - (right.type === "call" ? 0 : 1) || order(left, right),
        );
        this.total = sorted.reduce((sum, group) => sum + group.lanes.length, 0);
        this.rows = [];
        this.byRun = new Map();
        this.hasCopies = filter !== "";
        for (const group of sorted) {
            const key = `${group.type} ${group.name}`;
            const hasHeader = group.lanes.length > 1 || group.type === "call";
            const isCollapsed = hasHeader && this.isCollapsed(key, group.lanes.length);
            const merged = isCollapsed ? this.merged(history, group, filter) : null;
            if (merged && !history.groups.has(`run ${group.name}`)) this.hasCopies = true;
            if (hasHeader) this.rows.push({ kind: "group", key, label: group.name, count: group.lanes.length, isCollapsed, lane: merged });
            if (!isCollapsed) group.lanes.sort((left, right) => (left.sortKey < right.sortKey ? -1 : 1));
            for (const lane of group.lanes) {
                this.byRun.set(lane, this.rows.length - (isCollapsed ? 1 : 0));
                if (!isCollapsed) this.rows.push({ kind: "lane", key: lane.key, label: LaneLayout.label(lane, hasHeader), lane });
            }
        }
        for (const lane of inner) this.byRun.set(lane, this.byRun.get(history.lanes.get(`call ${lane.path}`)) ?? -1);
    }

    /// Below the header of a group, a lane needs only the rest of its path.
    static label(lane, hasHeader) {
        const rest = lane.path.indexOf("/");
        return hasHeader && lane.type === "run" && rest >= 0 ? lane.path.slice(rest + 1) : lane.path;
    }

    merged(history, group, filter) {
        if (group.type === "run" && filter === "") return history.groups.get(`run ${group.name}`) ?? null;
        const runs = group.lanes.flatMap((lane) => lane.runs).sort((left, right) => left.start - right.start);
        return {
            runs,
            open: new Set(runs.filter((run) => run.end === null)),
            longest: Math.max(0, ...group.lanes.map((lane) => lane.longest)),
        };
    }

    rowOf(run) {
        return this.byRun?.get(run.lanes[0]) ?? -1;
    }
}

/// Draws the lanes: an axis, the row of changes, bars of runs, and arrows from causes to runs.
class LanePainter {
    static rowHeight = 22;
    static axis = 24;
    static changes = 24;
    static top = LanePainter.axis + LanePainter.changes;

    constructor(canvas) {
        this.canvas = canvas;
        this.size = { width: 0, height: 0 };
        this.marks = [];
    }

    get gutter() {
        return this.size.width < 560 ? 112 : 220;
    }

    x(t) {
        return this.gutter + ((t - this.from) / (this.to - this.from)) * (this.size.width - this.gutter);
    }

    time(x) {
        return this.from + ((x - this.gutter) / (this.size.width - this.gutter)) * (this.to - this.from);
    }

    /// `scene`: history, layout, from, to, now, scroll, selected, hovered.
    draw(scene) {
        Object.assign(this, { from: scene.from, to: scene.to });
        this.scene = scene;
        const { width, height } = this.size;
        if (width === 0 || height === 0) return;
        const context = (this.context = prepare(this.canvas, this.size));
        context.font = `11px ${Palette.get("sans")}`;
        context.textBaseline = "middle";
        const first = Math.floor(scene.scroll / LanePainter.rowHeight);
        const last = Math.min(scene.layout.rows.length, first + Math.ceil(height / LanePainter.rowHeight) + 1);
        this.grid(context);
        context.save();
        context.beginPath();
        context.rect(0, LanePainter.top, width, height);
        context.clip();
        for (let index = first; index < last; index += 1) this.row(context, scene.layout.rows[index], this.y(index));
        context.restore();
        this.arrows(context);
        this.changeRow(context);
        this.axisLabels(context);
    }

    y(index) {
        return LanePainter.top + index * LanePainter.rowHeight - this.scene.scroll;
    }

    static steps = [
        0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
        1_800_000, 3_600_000,
    ];

    ticks() {
        const wanted = (this.to - this.from) / Math.max(2, (this.size.width - this.gutter) / 110);
        const step = LanePainter.steps.find((each) => each >= wanted) ?? 7_200_000;
        const ticks = [];
        for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) ticks.push(t);
        this.digits = step >= 1000 ? 0 : step >= 1 ? 3 : 4;
        return ticks;
    }

    grid(context) {
        context.fillStyle = Palette.get("grid");
        for (const t of this.ticks()) context.fillRect(Math.round(this.x(t)), LanePainter.axis, 1, this.size.height);
    }

    axisLabels(context) {
        const { width } = this.size;
        context.fillStyle = Palette.get("raised");
        context.fillRect(0, 0, width, LanePainter.axis);
        context.fillStyle = Palette.get("line");
        context.fillRect(0, LanePainter.axis - 1, width, 1);
        context.fillStyle = Palette.get("faint");
        for (const t of this.ticks()) {
            const x = this.x(t);
            if (x > this.gutter - 4 && x < width - 30)
                context.fillText(Format.time(t, Math.min(3, this.digits)), x + 4, LanePainter.axis / 2);
        }
        context.fillStyle = Palette.get("line");
        context.fillRect(this.gutter, LanePainter.axis, 1, this.size.height);
    }

    row(context, row, y) {
        const { width } = this.size;
        const height = LanePainter.rowHeight;
        const middle = y + height / 2;
        if (row.kind === "group") {
            context.fillStyle = Palette.get("sunken");
            context.fillRect(0, y, width, height);
        }
        const selected = this.scene.selected;
        if (row.lane && selected?.lanes?.includes(row.lane)) {
            context.fillStyle = Palette.get("chosen");
            context.fillRect(0, y, width, height);
        }
        if (row.lane) this.bars(context, row.lane, y);
        // The label covers bars that begin before the window.
        context.fillStyle = row.kind === "group" ? Palette.get("sunken") : Palette.get("surface");
        context.fillRect(0, y, this.gutter, height);
        context.fillStyle = Palette.get("line");
        context.fillRect(0, y + height - 1, width, 1);
        if (row.kind === "group") {
            this.caret(context, 12, middle, row.isCollapsed);
            context.fillStyle = Palette.get("text");
            context.font = `600 11px ${Palette.get("sans")}`;
            const count = Format.count(row.count);
            const space = this.gutter - 34 - context.measureText(count).width;
            context.fillText(this.shorten(context, row.label, space), 22, middle);
            context.font = `11px ${Palette.get("sans")}`;
            context.fillStyle = Palette.get("faint");
            context.textAlign = "right";
            context.fillText(count, this.gutter - 8, middle);
            context.textAlign = "left";
        } else {
            context.fillStyle = Palette.get("text");
            context.font = `11px ${Palette.get("mono")}`;
            context.fillText(this.shorten(context, row.label, this.gutter - 30), 22, middle);
            context.font = `11px ${Palette.get("sans")}`;
        }
    }

    caret(context, x, y, isCollapsed) {
        context.fillStyle = Palette.get("faint");
        context.beginPath();
        if (isCollapsed) {
            context.moveTo(x - 2, y - 4);
            context.lineTo(x + 3, y);
            context.lineTo(x - 2, y + 4);
        } else {
            context.moveTo(x - 4, y - 2);
            context.lineTo(x + 4, y - 2);
            context.lineTo(x, y + 3);
        }
        context.fill();
    }

    /// A text cut in the middle, so that both ends of a path stay readable. Widths are measured once per text.
    shorten(context, text, space) {
        this.widths ??= new Map();
        const key = `${context.font} ${Math.round(space)} ${text}`;
        let short = this.widths.get(key);
        if (short === undefined) {
            const perLetter = context.measureText(text).width / Math.max(1, text.length);
            const most = Math.floor(space / perLetter);
            const tail = Math.ceil((most - 1) / 2);
            short =
                text.length <= most
                    ? text
                    : most < 4
                      ? text.slice(0, Math.max(1, most))
                      : `${text.slice(0, most - 1 - tail)}…${text.slice(-tail)}`;
            if (this.widths.size > 4000) this.widths.clear();
            this.widths.set(key, short);
        }
        return short;
    }

    bars(context, lane, y) {
        const top = y + 4;
        const height = LanePainter.rowHeight - 9;
        let lastX = -1;
        let lastOutcome = "";
        for (const run of History.visible(lane, this.from, this.to)) {
            const start = this.x(run.start);
            const end = Math.max(start + 2, this.x(run.end ?? this.scene.now));
            const isApart = start >= lastX;
            // Bars that would cover the same pixels are drawn once.
            if (end <= lastX && run.outcome === lastOutcome && run !== this.scene.selected) continue;
            lastX = end;
            lastOutcome = run.outcome;
            context.globalAlpha = run.outcome === "running" ? 0.55 : 1;
            context.fillStyle = Palette.get(LanePainter.color(run));
            context.fillRect(start, top, end - start, height);
            context.globalAlpha = 1;
            for (const pause of run.pauses) {
                context.fillStyle = Palette.get("run-paused");
                const x = this.x(pause.start);
                context.fillRect(x, top, Math.max(2, this.x(pause.end ?? this.scene.now) - x), height);
            }
            for (const attempt of run.attempts) {
                context.fillStyle = Palette.get("run-failure");
                context.fillRect(this.x(attempt.t) - 1, top - 2, 2, height + 4);
            }
            if (end - start > 52 && isApart && run.end !== null) {
                context.fillStyle = Palette.get("on-run");
                context.fillText(Format.duration(run.end - run.start), Math.max(start, this.gutter) + 5, top + height / 2 + 0.5);
            }
            if (run === this.scene.selected || run === this.scene.hovered) {
                context.strokeStyle = Palette.get("text");
                context.lineWidth = run === this.scene.selected ? 2 : 1;
                context.strokeRect(start - 0.5, top - 0.5, end - start + 1, height + 1);
            }
        }
    }

    static color(run) {
        if (run.outcome === "lost") return "run-cancelled";
        return run.type === "call" && run.outcome === "success" ? "call" : `run-${run.outcome}`;
    }

    /// The changes of the window as diamonds, and where they were drawn.
    changeRow(context) {
        const y = LanePainter.axis;
        const middle = y + LanePainter.changes / 2;
        context.fillStyle = Palette.get("surface");
        context.fillRect(0, y, this.size.width, LanePainter.changes);
        context.fillStyle = Palette.get("line");
        context.fillRect(0, y + LanePainter.changes - 1, this.size.width, 1);
        this.marks = [];
        let lastX = -10;
        for (const change of this.scene.history.changes.values()) {
            if (change.t < this.from || change.t > this.to) continue;
            const x = this.x(change.t);
            const isChosen = this.isChosen(change);
            if (x - lastX < 1.5 && !isChosen) continue;
            lastX = x;
            this.marks.push({ x, change });
            context.fillStyle = Palette.get(isChosen ? "text" : change.mutation ? "call" : "change");
            context.beginPath();
            context.moveTo(x, middle - 6);
            context.lineTo(x + 5, middle);
            context.lineTo(x, middle + 6);
            context.lineTo(x - 5, middle);
            context.fill();
        }
        context.fillStyle = Palette.get("surface");
        context.fillRect(0, y, this.gutter, LanePainter.changes - 1);
        context.fillStyle = Palette.get("text");
        context.font = `600 11px ${Palette.get("sans")}`;
        context.fillText("Changes", 22, middle);
        context.font = `11px ${Palette.get("sans")}`;
    }

    isChosen(change) {
        const selected = this.scene.selected;
        return (
            Boolean(selected) &&
            (change === selected || (selected.type === "run" && selected.origin === change.number) || selected.changes?.includes(change))
        );
    }

    /// Arrows from a change to its runs, and from a call to its changes. All are drawn while they are few; those of the selection always.
    arrows(context) {
        const shown = [];
        for (const change of this.scene.history.changes.values()) {
            if (change.t > this.to || change.t < this.from - 10_000) continue;
            const isChosen = this.isChosen(change);
            if (!isChosen && shown.length > 300) continue;
            for (const run of change.runs.slice(0, 200)) if (!run.isDropped) shown.push({ change, run, isChosen });
        }
        const isBusy = shown.length > 300;
        this.faintness = shown.length > 60 ? 0.35 : 0.6;
        context.save();
        context.beginPath();
        context.rect(this.gutter, LanePainter.axis, this.size.width, this.size.height);
        context.clip();
        for (const { change, run, isChosen } of shown) {
            if (isBusy && !isChosen) continue;
            const row = this.scene.layout.rowOf(run);
            // An arrow to a lane out of view is a line without a meaning, unless it is of the selection.
            if (row >= 0 && (isChosen || this.isVisible(row)))
                this.arrow(
                    context,
                    this.x(change.t),
                    LanePainter.top - 5,
                    this.x(run.start),
                    this.y(row) + LanePainter.rowHeight / 2,
                    isChosen,
                );
        }
        const call = this.scene.history.callOf(this.chosenChange());
        const row = call ? this.scene.layout.rowOf(call) : -1;
        if (row >= 0) {
            const x = this.x(this.chosenChange().t);
            this.riser(context, x, Math.max(LanePainter.top, this.y(row) + LanePainter.rowHeight / 2), LanePainter.top - 6);
        }
        context.restore();
    }

    isVisible(row) {
        const y = this.y(row);
        return y >= LanePainter.top - LanePainter.rowHeight / 2 && y < this.size.height;
    }

    chosenChange() {
        const selected = this.scene.selected;
        if (!selected) return null;
        if (selected.type === "run") return this.scene.history.changeOf(selected);
        return selected.changes?.[0] ?? (selected.type ? null : selected);
    }

    /// An arrow straight up, from a call to its change.
    riser(context, x, from, to) {
        context.strokeStyle = context.fillStyle = Palette.get("text");
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(x, from);
        context.lineTo(x, to + 4);
        context.stroke();
        context.beginPath();
        context.moveTo(x, to);
        context.lineTo(x - 3.5, to + 6);
        context.lineTo(x + 3.5, to + 6);
        context.fill();
    }

    arrow(context, x1, y1, x2, y2, isChosen) {
        if (y2 < LanePainter.axis || y1 > this.size.height) return;
        context.strokeStyle = context.fillStyle = Palette.get(isChosen ? "text" : "arrow");
        context.globalAlpha = isChosen ? 1 : this.faintness;
        context.lineWidth = isChosen ? 1.5 : 1;
        context.beginPath();
        context.moveTo(x1, y1);
        const bend = Math.max(8, Math.min(40, (x2 - x1) / 2));
        context.bezierCurveTo(x1, y1 + 14, x2 - bend, y2, x2 - 1, y2);
        context.stroke();
        context.beginPath();
        context.moveTo(x2, y2);
        context.lineTo(x2 - 5, y2 - 3);
        context.lineTo(x2 - 5, y2 + 3);
        context.fill();
        context.globalAlpha = 1;
    }

    /// What is at a point: a run or call, a change, a lane's label or a group.
    at(x, y) {
        if (!this.scene) return null;
        if (y < LanePainter.axis) return null;
        if (y < LanePainter.top) {
            const near = this.marks
                .filter((mark) => Math.abs(mark.x - x) < 7)
                .sort((left, right) => Math.abs(left.x - x) - Math.abs(right.x - x))[0];
            return near && x > this.gutter ? { kind: "change", object: near.change } : null;
        }
        const row = this.scene.layout.rows[Math.floor((y - LanePainter.top + this.scene.scroll) / LanePainter.rowHeight)];
        if (!row) return null;
        if (x < this.gutter) return row.kind === "group" ? { kind: "group", row } : { kind: "label", row };
        if (!row.lane) return { kind: "group", row };
        const t = this.time(x);
        const slack = ((this.to - this.from) / Math.max(1, this.size.width - this.gutter)) * 4;
        const found = History.visible(row.lane, t - slack, t + slack).at(-1);
        return found ? { kind: found.type, object: found } : null;
    }
}
