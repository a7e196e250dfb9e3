/// One act of the demo: what it shows, its code, and how it is played.
package struct Act: Sendable {
    package let title: String

    /// What the act shows, in one sentence.
    package let claim: String

    package let code: ActCode

    /// Plays the act on a new stage.
    package let play: @MainActor @Sendable (Stage) async throws -> Void

    /// All acts, in order.
    package static let all = [
        Act(
            title: "1,000 callers, one fetch",
            claim: "Callers that ask for the same share one run. While the value is fresh, nothing runs at all.",
            code: .manyCallers,
            play: ManyCallers.play
        ),
        Act(
            title: "Stale while revalidate",
            claim: "A fresh value needs no request. A stale one is shown at once, and refetched.",
            code: .staleWhileRevalidate,
            play: StaleWhileRevalidate.play
        ),
        Act(
            title: "A commit in another process",
            claim: "The database notes what each query reads. A commit refetches those that read what it wrote.",
            code: .commitElsewhere,
            play: CommitElsewhere.play
        ),
        Act(
            title: "Optimistic update, overlap and rollback",
            claim: "Changes are shown before the server answers. A refused one disappears, and the other one stays.",
            code: .optimisticUpdate,
            play: OptimisticUpdate.play
        ),
        Act(
            title: "Offline queue and relaunch",
            claim: "A change made without a network waits in a file. The next launch shows and sends it.",
            code: .offlineQueue,
            play: OfflineQueue.play
        ),
        Act(
            title: "Pages",
            claim: "A list grows page by page. A refetch fetches the pages in turn, and is shown as one change.",
            code: .pages,
            play: Pages.play
        ),
        Act(
            title: "Retry with backoff",
            claim: "A failed attempt is repeated after an increasing delay. The run stays one run.",
            code: .backoff,
            play: Backoff.play
        ),
        Act(
            title: "Log-out",
            claim: "A logout empties all screens at once, and drops the results of runs under way.",
            code: .logOut,
            play: LogOut.play
        ),
        Act(
            title: "Why each run ran",
            claim: "Each state carries the cause of its run: an observer, a pattern, a table, a trigger, or the app.",
            code: .causes,
            play: Causes.play
        ),
    ]
}
