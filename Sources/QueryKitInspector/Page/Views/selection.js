"use strict";

/// What the timeline shows of a run, a call or a change that is selected.
const SelectionText = {
    title(object) {
        return h("strong", { text: object.path || SelectionText.changeTitle(object) });
    },

    changeTitle(change) {
        const names = {
            commit: "Commit",
            otherProcess: "Commit of another process",
            invalidate: "Invalidation",
            tags: "Invalidation by tags",
            mutation: "Call of a mutation",
            trigger: "Trigger",
            write: "Write",
            refetch: "Refetch",
            reset: "Reset",
            session: "New session",
        };
        return names[change.kind] ?? Format.words(change.kind ?? "change");
    },

    brief(object, now) {
        if (!object.type) return `${SelectionText.changeTitle(object)} at ${Format.time(object.t)}`;
        const duration = Format.duration((object.end ?? now) - object.start);
        const attempts = object.attempts.length ? Format.plural(object.attempts.length + 1, "attempt") : null;
        return [RunText.outcomes[object.outcome], duration, attempts].filter(Boolean).join(" · ");
    },

    details(object, view) {
        const close = button({ label: "Close the selection", icon: "close", kind: "closer", action: () => view.select(null) });
        const head = h("div", { class: "line" }, h("h2", { text: object.path || SelectionText.changeTitle(object) }), close);
        if (object.type === "run") return [head, SelectionText.run(object, view)];
        if (object.type === "call") return [head, SelectionText.call(object, view)];
        return [head, SelectionText.change(object, view)];
    },

    outcome(object) {
        return h("span", { class: `outcome ${object.outcome}`, text: RunText.outcomes[object.outcome] });
    },

    run(run, view) {
        const history = view.history;
        const change = history.changeOf(run);
        const siblings = change ? change.runs.filter((each) => each !== run && !each.isDropped) : [];
        return [
            h("p", { class: "why" }, sentence(Reasons.run(run, change))),
            facts([
                [
                    "Result",
                    [SelectionText.outcome(run), run.error ? ` ${run.error}` : "", run.reason ? ` (${Format.words(run.reason)})` : ""],
                ],
                ["Began", Format.time(run.start)],
                ["Duration", run.end === null ? "still running" : Format.duration(run.end - run.start)],
                ["Run", `#${run.number}`],
                ...(run.attempts.length
                    ? [
                          [
                              "Failed attempts",
                              run.attempts.map((each) => `${Format.time(each.t)}${each.error ? ` ${each.error}` : ""}`).join(", "),
                          ],
                      ]
                    : []),
                ...(run.pauses.length
                    ? [
                          [
                              "Paused",
                              run.pauses.map((each) => (each.end === null ? "now" : Format.duration(each.end - each.start))).join(", "),
                          ],
                      ]
                    : []),
                ["Cause", h("code", { text: run.cause || "–" })],
            ]),
            h(
                "div",
                { class: "group" },
                button({ label: "Open the store", text: "Open the store", action: () => view.openSelected() }),
                change ? button({ label: "Show the change", text: "Show the change", action: () => view.select(change, true) }) : null,
            ),
            siblings.length
                ? [
                      h("h3", { text: `The same change ran ${Format.plural(siblings.length, "more store")}` }),
                      SelectionText.links(siblings, view),
                  ]
                : null,
        ];
    },

    call(call, view) {
        const runs = call.changes.flatMap((change) => change.runs).filter((run) => !run.isDropped);
        return [
            h("p", {
                class: "why",
                text: runs.length ? `This call caused ${Format.plural(runs.length, "run")}.` : "This call caused no run so far.",
            }),
            facts([
                ["Result", [SelectionText.outcome(call), call.error ? ` ${call.error}` : ""]],
                ["Began", Format.time(call.start)],
                ["Duration", call.end === null ? "still running" : Format.duration(call.end - call.start)],
                ["Call", `#${call.number}`],
                [
                    "Changes",
                    call.changes.length
                        ? call.changes.map((change) =>
                              button({
                                  label: `Show change ${change.number}`,
                                  text: SelectionText.changeTitle(change),
                                  kind: "link",
                                  action: () => view.select(change, true),
                              }),
                          )
                        : "none",
                ],
            ]),
            runs.length ? [h("h3", { text: "Runs" }), SelectionText.links(runs, view)] : null,
        ];
    },

    change(change, view) {
        const runs = change.runs.filter((run) => !run.isDropped);
        const call = view.history.callOf(change);
        const regions = change.regions ?? [];
        return [
            h("p", {
                class: "why",
                text: runs.length
                    ? `This change caused ${Format.plural(runs.length, "run")}.`
                    : "No run followed: the affected stores are not observed.",
            }),
            facts([
                ["Kind", SelectionText.changeTitle(change)],
                ["At", Format.time(change.t)],
                ...(change.mutation
                    ? [
                          [
                              "Mutation",
                              [
                                  h("code", { text: change.mutation.path }),
                                  ` #${change.mutation.call}`,
                                  call
                                      ? button({
                                            label: "Show the call",
                                            text: "Show",
                                            kind: "link",
                                            action: () => view.select(call, true),
                                        })
                                      : null,
                              ],
                          ],
                      ]
                    : []),
                ...(change.pid ? [["Process", String(change.pid)]] : []),
                ...(change.pattern ? [["Pattern", h("code", { text: change.pattern })]] : []),
                ...(regions.length
                    ? [
                          [
                              "Regions",
                              [
                                  regions.map((region) => h("code", { class: "block", text: region })),
                                  (change.regionCount ?? 0) > regions.length
                                      ? `and ${Format.count(change.regionCount - regions.length)} more`
                                      : "",
                              ],
                          ],
                      ]
                    : []),
            ]),
            runs.length ? [h("h3", { text: "Runs" }), SelectionText.links(runs, view)] : null,
        ];
    },

    links(runs, view) {
        const shown = runs.slice(0, 40);
        return h(
            "ul",
            { class: "links" },
            shown.map((run) =>
                h(
                    "li",
                    {},
                    button({
                        label: `${run.path}, ${RunText.outcomes[run.outcome]}`,
                        text: run.path,
                        kind: "link",
                        action: () => view.select(run, true),
                    }),
                    h("span", { class: "faint", text: run.end === null ? "running" : Format.duration(run.end - run.start) }),
                ),
            ),
            runs.length > shown.length ? h("li", { class: "faint", text: `and ${Format.count(runs.length - shown.length)} more` }) : null,
        );
    },
};
