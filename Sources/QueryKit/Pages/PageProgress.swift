/// The progress of a paginated request's run, which each attempt passes on to the next.
final class PageProgress: Sendable {
    /// The pages that the run has so far, beginning with the first page.
    struct Done: Sendable {
        var pages: [AnyPage] = []
        /// Whether some of them were kept instead of fetched.
        var hasKept = false
    }

    /// The pages that the store had before the run; `nil` if it had none.
    let base: AnyValue?
    /// The changed regions, for a run that only updates changed pages; `nil` for a run that fetches everything.
    private let changes: [QueryRegion]?
    private let shared = Lock(Done())

    init(base: AnyValue? = nil, changes: [QueryRegion]? = nil) {
        self.base = base
        self.changes = changes
    }

    var done: Done { shared.withLock { $0 } }

    /// Whether the run may keep pages.
    var mayKeep: Bool { changes != nil }

    /// Whether the run may keep a page, because no change affects it.
    func keeps(_ page: AnyPage) -> Bool { changes.map { !page.isConcerned(by: $0) } ?? false }

    /// Adds a page for later attempts, unless another attempt has added it: an abandoned attempt may still add pages.
    func add(_ page: AnyPage, at position: Int, isKept: Bool) {
        shared.withLock { done in
            guard done.pages.count == position else { return }
            done.pages.append(page)
            if isKept { done.hasKept = true }
        }
    }
}
