/// How far a run of a paginated request has come: what an attempt leaves to the next one.
final class PageProgress: Sendable {
    /// The pages that a run has so far, from the first one on.
    struct Done: Sendable {
        var pages: [AnyPage] = []
        /// Whether there are some that were not fetched again.
        var hasKept = false
    }

    /// The pages before the run; `nil` for none.
    let base: AnyValue?
    /// What has changed of what they were read from, for a run that brings nothing else; `nil` for one that fetches everything.
    private let changes: [QueryRegion]?
    private let shared = Lock(Done())

    init(base: AnyValue? = nil, changes: [QueryRegion]? = nil) {
        self.base = base
        self.changes = changes
    }

    var done: Done { shared.withLock { $0 } }

    /// Whether the run may keep pages.
    var mayKeep: Bool { changes != nil }

    /// Whether the run may leave a page as it is: nothing on it has changed.
    func keeps(_ page: AnyPage) -> Bool { changes.map { !page.isConcerned(by: $0) } ?? false }

    /// Adds a page for attempts to come, unless another one has: an attempt that was left behind may still add pages.
    func add(_ page: AnyPage, at position: Int, isKept: Bool) {
        shared.withLock { done in
            guard done.pages.count == position else { return }
            done.pages.append(page)
            if isKept { done.hasKept = true }
        }
    }
}
