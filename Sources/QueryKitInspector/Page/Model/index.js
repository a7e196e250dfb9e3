"use strict";

/// Which stores a list shows, and in which order.
const StoreIndex = {
    sorts: {
        status: (row, now) => Object.keys(Status.names).indexOf(Status.of(row, now)),
        observers: (row) => -row.subscribers,
        age: (row) => -(row.updated ?? -Infinity),
        ttl: (row, now) => Status.remaining(row, now) ?? Infinity,
        last: (row) => -(row.last ?? -1),
        runs: (row) => -row.runs,
        hits: (row) => -(row.hits ?? 0),
        bytes: (row) => -(row.bytes ?? 0),
    },

    /// How many rows have each badge, and how many are observed.
    counts(rows, now) {
        const counts = { all: rows.size, observed: 0 };
        for (const name of Object.keys(Status.names)) counts[name] = 0;
        for (const row of rows.values()) {
            counts[Status.of(row, now)] += 1;
            if (row.subscribers > 0) counts.observed += 1;
        }
        return counts;
    },

    /// The numbers of the rows by path. It changes only when a store is added or removed, so keep it.
    order(rows) {
        const sorted = [...rows.values()].sort((left, right) =>
            left.key < right.key ? -1 : left.key > right.key ? 1 : left.id - right.id,
        );
        return sorted.map((row) => row.id);
    },

    /// The rows that a search and a filter leave, sorted by a column, and then by path. `order` is that of all rows.
    list(rows, { search = "", filter = "all", sort = "path", isDescending = false }, now, order = StoreIndex.order(rows)) {
        const isFound = Pattern.search(search);
        const kept = [];
        for (const id of order) {
            const row = rows.get(id);
            if (filter === "observed" ? row.subscribers === 0 : filter !== "all" && Status.of(row, now) !== filter) continue;
            if (isFound(row)) kept.push(row);
        }
        if (sort !== "path") {
            const value = StoreIndex.sorts[sort];
            const values = new Map(kept.map((row) => [row, value(row, now)]));
            // Infinity − Infinity is no number, and then the order by path stays.
            kept.sort((left, right) => values.get(left) - values.get(right) || 0);
        }
        return isDescending ? kept.reverse() : kept;
    },

    /// The rows as a tree of path elements, flattened: groups `{group, label, depth, count, isOpen}` and rows `{row, label, depth}`.
    /// `isOpen(key, count, depth)` says whether the children of a group are shown. A group with one store is shown as that store.
    /// `tally` of a group counts its stores by badge.
    tree(rows, isOpen, now) {
        const root = { children: new Map(), rows: [], count: 0, tally: {} };
        for (const row of rows) {
            const status = Status.of(row, now);
            let node = root;
            for (const element of row.elements) {
                let child = node.children.get(element);
                if (!child) {
                    child = { children: new Map(), rows: [], count: 0, tally: {} };
                    node.children.set(element, child);
                }
                node = child;
                node.count += 1;
                node.tally[status] = (node.tally[status] ?? 0) + 1;
            }
            node.rows.push(row);
        }
        const items = [];
        const visit = (node, key, depth) => {
            for (const [label, child] of node.children) {
                const childKey = key ? `${key}\u0001${label}` : label;
                if (child.children.size === 0) {
                    for (const row of child.rows) items.push({ row, label, depth, key: childKey });
                } else if (child.count === 1) {
                    const row = StoreIndex.only(child);
                    items.push({ row, label: row.elements.slice(depth).join("/"), depth, key: childKey });
                } else {
                    const open = isOpen(childKey, child.count, depth);
                    items.push({ group: childKey, label, depth, count: child.count, tally: child.tally, isOpen: open, key: childKey });
                    if (!open) continue;
                    for (const row of child.rows) items.push({ row, label: `${label} (itself)`, depth: depth + 1, key: childKey });
                    visit(child, childKey, depth + 1);
                }
            }
        };
        visit(root, "", 0);
        return items;
    },

    only(node) {
        while (node.rows.length === 0) node = node.children.values().next().value;
        return node.rows[0];
    },
};
