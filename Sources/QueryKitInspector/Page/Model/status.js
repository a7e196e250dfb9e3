"use strict";

/// The states of a store that the page shows as one badge, in the order of the filter.
const Status = {
    names: {
        fresh: "Fresh",
        fetching: "Fetching",
        stale: "Stale",
        paused: "Paused",
        failed: "Failed",
        idle: "Idle",
        optimistic: "Optimistic",
    },

    /// What each badge means, for its tooltip and for the help.
    meanings: {
        fresh: "has a result that is younger than its time to live",
        fetching: "a run is in progress",
        stale: "has a result that is too old or was invalidated",
        paused: "its run waits for the network",
        failed: "the last run failed",
        idle: "has no result, or is a mutation, and nothing runs",
        optimistic: "shows layers of mutations over its value",
    },

    /// The badge of a row. What happens now comes before what happened.
    of(row, now) {
        const flags = row.flags;
        if (flags.includes("paused")) return "paused";
        if (flags.includes("fetching") || row.status === "loading") return "fetching";
        if (row.status === "failure") return "failed";
        if (flags.includes("optimistic")) return "optimistic";
        if (row.status === "idle" || row.isMutation) return "idle";
        return Status.isStale(row, now) ? "stale" : "fresh";
    },

    isStale(row, now) {
        if (row.flags.includes("stale") || row.flags.includes("invalidated")) return true;
        return row.ttl !== null && row.updated !== null && now - row.updated >= row.ttl;
    },

    /// The time for which the value stays fresh, in milliseconds: Infinity if it never ages, null without a value.
    remaining(row, now) {
        if (row.updated === null || row.status === "idle" || row.status === "loading") return null;
        if (row.flags.includes("invalidated")) return 0;
        if (row.ttl === null) return Infinity;
        return Math.max(0, row.updated + row.ttl - now);
    },
};
