"use strict";

/// Figures of the client with a curve of the last minutes, alerts, and a table by path prefix.
class MetricsView {
    static title = "Metrics";

    /// Each figure: title, text of the latest sample, and its value in a sample for the curve. Rates need the sample before.
    static figures = [
        [
            "Runs per second",
            (now, before) => MetricsView.number(MetricsView.rate(now, before, "runs")),
            (now, before) => MetricsView.rate(now, before, "runs"),
        ],
        ["Running now", (now) => Format.count(now.total.running), (now) => now.total.running],
        ["p95 duration", (now) => Format.duration(now.total.p95), (now) => now.total.p95],
        [
            "Hit rate",
            (now) => Format.percent(now.total.hits, now.total.hits + now.total.misses),
            (now, before) => MetricsView.hitRate(now, before),
        ],
        [
            "Failures per second",
            (now, before) => MetricsView.number(MetricsView.rate(now, before, "failures")),
            (now, before) => MetricsView.rate(now, before, "failures"),
        ],
        ["Values in memory", (now) => Format.bytes(now.bytes ?? null), (now) => now.bytes],
    ];

    static number(value) {
        return value === null ? "–" : value < 10 ? String(Number(value.toFixed(1))) : Format.count(Math.round(value));
    }

    static rate(now, before, name) {
        if (!before || now.t <= before.t) return null;
        return Math.max(0, ((now.total[name] - before.total[name]) * 1000) / (now.t - before.t));
    }

    static hitRate(now, before) {
        const hits = now.total.hits - (before?.total.hits ?? 0);
        const misses = now.total.misses - (before?.total.misses ?? 0);
        return hits + misses > 0 ? hits / (hits + misses) : null;
    }

    constructor(app) {
        this.app = app;
        this.alerts = h("div", { class: "alerts", role: "status" });
        this.cards = MetricsView.figures.map(([title]) => {
            const value = h("p", { class: "large" });
            const spark = new Sparkline(title);
            return {
                value,
                spark,
                element: h("section", { class: "card figure", "aria-label": title }, h("h2", { text: title }), value, spark.element),
            };
        });
        this.totals = h("p", { class: "hint" });
        this.rows = new Map();
        this.body = h("tbody");
        const headings = ["Prefix", "Runs", "Failed", "Hit rate", "p50", "p95", "p99", "Last minutes"];
        this.table = h(
            "div",
            { class: "scroll", tabindex: "0", role: "region", "aria-label": "Metrics by prefix" },
            h(
                "table",
                { class: "numbers" },
                h("caption", { class: "unseen", text: "Metrics by prefix" }),
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        headings.map((text) => h("th", { scope: "col", text })),
                    ),
                ),
                this.body,
            ),
        );
        this.element = h(
            "div",
            { class: "page" },
            this.alerts,
            h(
                "div",
                { class: "cards figures" },
                this.cards.map((card) => card.element),
            ),
            h("section", { class: "card", "aria-label": "By prefix" }, h("h2", { text: "By prefix" }), this.table, this.totals),
        );
    }

    update(changes) {
        if (changes.has("theme") || changes.has("metrics") || changes.has("client") || changes.has("session")) this.render();
    }

    render() {
        const client = this.app.client;
        const samples = client?.samples.slice(-300) ?? [];
        const latest = samples.at(-1);
        for (const [index, [, text, value]] of MetricsView.figures.entries()) {
            const card = this.cards[index];
            setText(card.value, latest ? text(latest, samples.at(-2)) : "–");
            card.spark.draw(
                samples.map((sample, at) => value(sample, samples[at - 1])).slice(1),
                latest ? card.value.textContent : "no data",
            );
        }
        const alerts = client?.metrics?.alerts ?? [];
        const key = JSON.stringify(alerts);
        if (this.alertKey !== key) {
            this.alertKey = key;
            fill(
                this.alerts,
                alerts.map((text) => h("p", { class: "notice warning", text })),
            );
        }
        this.renderRows(client, samples);
        const total = client?.metrics?.total;
        setText(
            this.totals,
            !total
                ? "No metrics yet."
                : `${Format.plural(total.runs, "run")}, ${Format.count(total.successes)} succeeded, ` +
                      `${Format.count(total.failures)} failed, ${Format.count(total.cancelled)} cancelled; ` +
                      `${Format.count(total.hits)} hits and ${Format.count(total.misses)} misses; ` +
                      `at most ${Format.plural(total.peak, "run")} at a time` +
                      (client.metrics.dropped ? `; ${Format.plural(client.metrics.dropped, "event")} dropped` : "") +
                      ".",
        );
    }

    renderRows(client, samples) {
        const prefixes = client?.metrics?.prefixes ?? [];
        const names = new Set(prefixes.map((each) => each.prefix));
        for (const [name, row] of this.rows) {
            if (names.has(name)) continue;
            row.element.remove();
            this.rows.delete(name);
        }
        for (const each of prefixes.slice(0, 200)) {
            let row = this.rows.get(each.prefix);
            if (!row) {
                const spark = new Sparkline(`Runs of ${each.prefix}`);
                const cells = Array.from({ length: 6 }, () => h("td"));
                row = {
                    cells,
                    spark,
                    element: h(
                        "tr",
                        {},
                        h(
                            "th",
                            { scope: "row" },
                            button({
                                label: `Show the stores of ${each.prefix}`,
                                text: each.prefix,
                                kind: "link",
                                action: () => this.app.search(`${each.prefix}/**`),
                            }),
                        ),
                        cells,
                        h("td", {}, spark.element),
                    ),
                };
                this.rows.set(each.prefix, row);
                this.body.append(row.element);
            }
            const texts = [
                Format.count(each.runs),
                each.failures ? `${Format.count(each.failures)} (${Format.percent(each.failures, each.runs)})` : "0",
                Format.percent(each.hits, each.hits + each.misses),
                Format.duration(each.p50),
                Format.duration(each.p95),
                Format.duration(each.p99),
            ];
            texts.forEach((text, index) => setText(row.cells[index], text));
            row.cells[1].classList.toggle("bad", each.runs > 0 && each.failures / each.runs > 0.05);
            const runs = samples.map((sample) => sample.prefixes[each.prefix]?.runs ?? null);
            row.spark.draw(
                runs
                    .map((count, index) =>
                        index && count !== null && runs[index - 1] !== null ? Math.max(0, count - runs[index - 1]) : null,
                    )
                    .slice(1),
                `${texts[0]} in all`,
            );
        }
    }
}

/// A small curve. Gaps are left where there is no value.
class Sparkline {
    constructor(title) {
        this.title = title;
        this.element = h("canvas", { class: "spark", role: "img" });
        this.size = { width: 0, height: 0 };
        this.values = [];
        observeSize(this.element, (size) => {
            this.size = size;
            this.paint();
        });
    }

    draw(values, text) {
        this.values = values;
        const known = values.filter((value) => value !== null && value !== undefined);
        this.most = Math.max(...known, 0);
        setAttribute(this.element, "aria-label", `${this.title}: ${text}; curve of the last ${Format.span(values.length * 1000)}`);
        this.paint();
    }

    paint() {
        const { width, height } = this.size;
        if (width === 0 || !this.values.length) return;
        const context = prepare(this.element, this.size);
        const count = Math.max(60, this.values.length);
        const x = (index) => ((index + count - this.values.length) / (count - 1)) * (width - 3);
        const y = (value) => height - 2 - (this.most > 0 ? value / this.most : 0) * (height - 5);
        context.strokeStyle = context.fillStyle = Palette.get("accent");
        context.lineWidth = 1.5;
        context.lineJoin = "round";
        let begin = -1;
        for (let index = 0; index <= this.values.length; index += 1) {
            const isGap = this.values[index] === null || this.values[index] === undefined;
            if (!isGap && begin < 0) begin = index;
            if (!isGap || begin < 0) continue;
            const line = new Path2D();
            for (let at = begin; at < index; at += 1) line.lineTo(x(at), y(this.values[at]));
            context.stroke(line);
            const area = new Path2D(line);
            area.lineTo(x(index - 1), height);
            area.lineTo(x(begin), height);
            context.globalAlpha = 0.12;
            context.fill(area);
            context.globalAlpha = 1;
            begin = -1;
        }
        const last = this.values.at(-1);
        if (last === null || last === undefined) return;
        context.beginPath();
        context.arc(x(this.values.length - 1), y(last), 2, 0, 7);
        context.fill();
    }
}
