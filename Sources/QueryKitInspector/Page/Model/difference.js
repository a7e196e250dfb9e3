"use strict";

/// What changed from one value to the next.
const Difference = {
    /// Merges two trees of `{label, text, children}` into one whose nodes have a `change`: "same", "added", "removed" or "changed".
    /// A changed leaf has `before`, its previous text. Children with the same label belong together, in their order.
    trees(before, after) {
        if (!before) return Difference.mark(after, "added");
        const previous = before.children ?? [];
        const used = new Set();
        const byLabel = new Map();
        previous.forEach((child, index) => {
            if (!byLabel.has(child.label)) byLabel.set(child.label, []);
            byLabel.get(child.label).push(index);
        });
        const children = (after.children ?? []).map((child) => {
            const index = byLabel.get(child.label)?.shift();
            if (index === undefined) return Difference.mark(child, "added");
            used.add(index);
            return Difference.trees(previous[index], child);
        });
        previous.forEach((child, index) => {
            if (!used.has(index)) children.push(Difference.mark(child, "removed"));
        });
        const isChanged = before.text !== after.text || children.some((child) => child.change !== "same");
        const node = { label: after.label, text: after.text, children, change: isChanged ? "changed" : "same" };
        if (before.text !== after.text) node.before = before.text;
        return node;
    },

    mark(tree, change) {
        return { ...tree, change, children: (tree.children ?? []).map((child) => Difference.mark(child, change)) };
    },

    /// The lines of two texts with "same", "removed" or "added". Texts of more than `limit` lines are compared only at both ends.
    lines(before, after, limit = 400) {
        const old = before.split("\n");
        const now = after.split("\n");
        let start = 0;
        while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
        let end = 0;
        while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
        const middle = Difference.middle(old.slice(start, old.length - end), now.slice(start, now.length - end), limit);
        const same = (text) => ({ change: "same", text });
        return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)];
    },

    /// The longest common subsequence of lines, by the usual table.
    middle(old, now, limit) {
        const removed = (text) => ({ change: "removed", text });
        const added = (text) => ({ change: "added", text });
        if (old.length > limit || now.length > limit) return [...old.map(removed), ...now.map(added)];
        const width = now.length + 1;
        const table = new Uint16Array((old.length + 1) * width);
        for (let i = old.length - 1; i >= 0; i -= 1) {
            for (let j = now.length - 1; j >= 0; j -= 1) {
                table[i * width + j] =
                    old[i] === now[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
            }
        }
        const lines = [];
        let i = 0;
        let j = 0;
        while (i < old.length && j < now.length) {
            if (old[i] === now[j]) {
                lines.push({ change: "same", text: old[i] });
                i += 1;
                j += 1;
            } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) {
                lines.push(removed(old[i]));
                i += 1;
            } else {
                lines.push(added(now[j]));
                j += 1;
            }
        }
        return [...lines, ...old.slice(i).map(removed), ...now.slice(j).map(added)];
    },
};
