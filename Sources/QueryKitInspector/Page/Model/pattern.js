"use strict";

/// Patterns of paths, as `QueryPattern` matches them: `*` is any one element, `**` any number of elements, including none.
const Pattern = {
    /// The elements of a path or pattern. A slash after a backslash belongs to the element.
    elements(text) {
        const elements = [];
        let element = "";
        for (let index = 0; index < text.length; index += 1) {
            if (text[index] === "\\" && index + 1 < text.length) {
                index += 1;
                element += text[index];
            } else if (text[index] === "/") {
                elements.push(element);
                element = "";
            } else {
                element += text[index];
            }
        }
        elements.push(element);
        return elements;
    },

    matches(pattern, path) {
        let here = 0;
        let index = 0;
        let retry = null;
        while (index < path.length) {
            if (pattern[here] === "**") {
                here += 1;
                retry = [here, index];
            } else if (here < pattern.length && (pattern[here] === "*" || pattern[here] === path[index])) {
                here += 1;
                index += 1;
            } else if (retry) {
                retry = [retry[0], retry[1] + 1];
                [here, index] = retry;
            } else {
                return false;
            }
        }
        return pattern.slice(here).every((element) => element === "**");
    },

    /// A function that says whether a row is found by the text of the search field.
    /// A text with `*` is a pattern for the whole path. Every other text may occur anywhere in the path or in the name of the type.
    search(text) {
        const wanted = text.trim();
        if (wanted === "") return () => true;
        if (wanted.includes("*")) {
            const pattern = Pattern.elements(wanted);
            return (row) => Pattern.matches(pattern, row.elements);
        }
        const lower = wanted.toLowerCase();
        return (row) => row.path.toLowerCase().includes(lower) || row.type.toLowerCase().includes(lower);
    },
};

/// Regions of a source as text: `diary`, `diary/entries`, `diary/entries/2026-11-22`, `diary/food#7`; keys may follow in brackets.
const Region = {
    parse(text) {
        const [, place, row] = /^([^#[]*)(?:#([^[]*))?/.exec(text);
        const [source, name, ...rest] = place.split("/");
        return { text, source, name: name ?? null, partition: rest.length ? rest.join("/") : null, row: row ?? null };
    },

    /// Whether a change in one region can affect the other, as `QueryRegion` decides it without columns and keys.
    overlap(left, right) {
        const agree = (part) => left[part] === null || right[part] === null || left[part] === right[part];
        if (left.source !== right.source) return false;
        if (left.name === null || right.name === null) return true;
        return left.name === right.name && agree("partition") && agree("row");
    },
};
