"use strict";

/// Texts for numbers. Pure functions.
const Format = {
    number: new Intl.NumberFormat("en-US"),

    count(value) {
        return value === null || value === undefined ? "–" : Format.number.format(value);
    },

    plural(count, noun, plural = noun + "s") {
        return `${Format.count(count)} ${count === 1 ? noun : plural}`;
    },

    /// A duration in milliseconds: "0.4 ms", "12 ms", "1.24 s", "3 min 5 s".
    duration(ms) {
        if (ms === null || ms === undefined) return "–";
        if (ms < 0) return "−" + Format.duration(-ms);
        if (ms < 0.01) return ms === 0 ? "0 ms" : "< 0.01 ms";
        if (ms < 10) return `${Number(ms.toPrecision(2))} ms`;
        if (ms < 999.5) return `${Math.round(ms)} ms`;
        if (ms < 59_995) return `${Number((ms / 1000).toPrecision(3))} s`;
        return Format.span(ms);
    },

    /// A long duration in at most two units: "42 s", "3 min 5 s", "2 h 10 min", "4 d 1 h".
    span(ms) {
        const seconds = Math.max(0, Math.floor(ms / 1000));
        if (seconds < 60) return `${seconds} s`;
        const units = [
            ["d", 86_400],
            ["h", 3_600],
            ["min", 60],
            ["s", 1],
        ];
        const first = units.findIndex(([, size]) => seconds >= size);
        const parts = [];
        let rest = seconds;
        for (const [name, size] of units.slice(first, first + 2)) {
            const amount = Math.floor(rest / size);
            rest -= amount * size;
            if (amount > 0) parts.push(`${amount} ${name}`);
        }
        return parts.join(" ");
    },

    /// The age of a value in one unit, for a narrow column.
    age(ms) {
        if (ms === null || ms === undefined) return "–";
        if (ms < 1000) return "now";
        return Format.span(ms).split(" ").slice(0, 2).join(" ");
    },

    bytes(count) {
        if (count === null || count === undefined) return "–";
        if (count < 1000) return `${count} B`;
        const units = ["kB", "MB", "GB"];
        let value = count / 1000;
        let index = 0;
        while (value >= 999.5 && index < units.length - 1) {
            value /= 1000;
            index += 1;
        }
        return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${units[index]}`;
    },

    percent(part, whole) {
        return whole > 0 ? `${Number(((100 * part) / whole).toFixed(1))} %` : "–";
    },

    /// A time of the session, in milliseconds since its start: "1:02:03.456" or "2:03.456".
    time(ms, digits = 3) {
        const sign = ms < 0 ? "−" : "";
        const total = Math.abs(ms);
        const hours = Math.floor(total / 3_600_000);
        const minutes = Math.floor(total / 60_000) % 60;
        const seconds = ((Math.floor(total) % 60_000) / 1000).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
        return sign + (hours ? `${hours}:${String(minutes).padStart(2, "0")}` : `${minutes}`) + `:${seconds}`;
    },

    /// The name of an event kind in words: "runStarted" is "run started".
    words(name) {
        return name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
    },

    /// A key by which texts with numbers sort as people expect: "page/2" before "page/10".
    sortKey(text) {
        return text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
    },
};
