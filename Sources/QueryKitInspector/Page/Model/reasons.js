"use strict";

/// Sentences that say why something ran. A sentence is a list of plain texts and of `{code}` parts for names.
const Reasons = {
    text(parts) {
        return parts.map((part) => (typeof part === "string" ? part : part.code)).join("");
    },

    /// The cause of an event as `{kind, detail}`: "invalidated(food/**)" is `{kind: "invalidated", detail: "food/**"}`.
    parse(cause) {
        const open = cause.indexOf("(");
        if (open < 0 || !cause.endsWith(")")) return { kind: cause, detail: null };
        return { kind: cause.slice(0, open), detail: cause.slice(open + 1, -1) };
    },

    /// Why a run began. `change` is the commit, mutation or call that caused it, if the page has seen it.
    run(run, change) {
        return ["Ran because ", ...(change ? Reasons.change(change, run) : Reasons.cause(run.cause)), "."];
    },

    change(change, run) {
        const mutation = change.mutation ? { code: change.mutation.path } : null;
        const target = Reasons.target(change);
        // Without the time of the change, the comparisons below are false.
        const elapsed = change.t === null ? NaN : run.start - change.t;
        const when = elapsed >= 0.01 ? ` ${Format.duration(elapsed)} earlier` : elapsed >= 0 ? " just before" : "";
        switch (change.kind) {
            case "commit":
                return [...(mutation ? [mutation, " committed "] : ["a commit changed "]), ...target, " in this process", when];
            case "otherProcess":
                return [change.pid ? `process ${change.pid}` : "another process", " committed ", ...target, when];
            case "invalidate":
                return [mutation ?? "the app", " invalidated ", ...target, when];
            case "tags":
                return [...(mutation ? [mutation] : ["the app"]), " invalidated the tags ", ...target, when];
            case "mutation":
                return [mutation ?? "a mutation", " was called", when];
            case "trigger":
                return ["the trigger ", ...target, " fired", when];
            case "write":
                return [...(mutation ? [mutation] : ["the app"]), " wrote a value during a run", when];
            case "refetch":
                return [...(mutation ? [mutation] : ["the app"]), " refetched ", ...target, when];
            case "reset":
                return [...(mutation ? [mutation] : ["the app"]), " reset or removed ", ...target, when];
            case "session":
                return ["a new session began", when];
            default:
                return [`${Format.words(change.kind)} `, ...target, when];
        }
    },

    /// What a change concerned: its pattern, or its first regions and the number of the others.
    target(change) {
        const regions = change.regions ?? [];
        if (regions.length === 0) return change.pattern ? [{ code: change.pattern }] : ["everything"];
        const shown = regions.slice(0, 2);
        const parts = shown.flatMap((region, index) => (index ? [", ", { code: region }] : [{ code: region }]));
        const more = Math.max(change.regionCount ?? 0, regions.length) - shown.length;
        return more > 0 ? [...parts, ` and ${Format.plural(more, "more region")}`] : parts;
    },

    /// Why something ran, from the text of the cause alone.
    cause(cause) {
        const { kind, detail } = Reasons.parse(cause ?? "");
        const name = detail === null ? null : { code: detail };
        switch (kind) {
            case "created":
                return ["the store was created"];
            case "manual":
                return ["the app called ", { code: "fetch" }, " or ", { code: "refetch" }];
            case "subscribed":
                return ["a subscription began, and there was no result yet"];
            case "stale":
                return ["a subscription began, and the result was stale or a failure"];
            case "invalidated":
                return name ? ["an invalidation of ", name, " matched it"] : ["it was invalidated"];
            case "tagged":
                return name ? ["the tag ", name, " was invalidated"] : ["one of its tags was invalidated"];
            case "regionChanged":
                return name ? ["a commit in this process changed ", name, ", which it had read"] : ["a region that it had read changed"];
            case "otherProcess":
                return name ? ["another process changed ", name, ", which it had read"] : ["another process changed the database"];
            case "trigger":
                return name ? ["the trigger ", name, " fired"] : ["a trigger fired"];
            case "dependency":
                return ["a request that it depends on changed"];
            case "nextPage":
                return ["the app asked for the next page"];
            case "previousPage":
                return ["the app asked for the previous page"];
            case "page":
                return ["a page was loaded"];
            case "written":
                return ["a value was written"];
            case "restored":
                return ["a value was restored from a cache"];
            case "optimistic":
                return ["an optimistic layer changed"];
            case "reset":
                return ["it was reset"];
            case "session":
                return ["a new session began"];
            case "cancelled":
                return ["a run was cancelled"];
            case "":
                return ["of a cause that was not recorded"];
            default:
                return name ? [`${Format.words(kind)} `, name] : [Format.words(kind)];
        }
    },
};
