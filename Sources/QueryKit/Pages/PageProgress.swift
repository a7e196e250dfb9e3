/// How far a run of a paginated request has come: what an attempt leaves to the next one.
final class PageProgress<PageID: Hashable & Sendable, PageValue: Sendable>: Sendable {
    /// The pages that a run has so far, from the first one on.
    struct Done: Sendable {
        var list = QueryPages<PageID, PageValue>([])
        /// Whether there are some that were not fetched again.
        var hasKept = false
    }

    /// The pages before the run.
    let base: QueryPages<PageID, PageValue>
    /// What has changed of what they were read from, for a run that brings nothing else; `nil` for one that fetches everything.
    private let changes: [QueryRegion]?
    private let shared = Lock(Done())

    init(base: QueryPages<PageID, PageValue>? = nil, changes: [QueryRegion]? = nil) {
        self.base = base ?? QueryPages([])
        self.changes = changes
    }

    var done: Done { shared.withLock { $0 } }

    /// Adds a page for attempts to come, unless another one has: an attempt that was left behind may still speak.
    func add(_ page: QueryPage<PageID, PageValue>, leadingTo next: PageID?, at position: Int, isKept: Bool) {
        shared.withLock { done in
            guard done.list.count == position else { return }
            done.list.pages.append(page)
            done.list.nextPageID = next
            if isKept { done.hasKept = true }
        }
    }

    /// The page that stood at a position, if the run may leave it so: nothing on it has changed.
    func page(toKeepAt position: Int) -> QueryPage<PageID, PageValue>? {
        guard let changes, !base[position].isConcerned(by: changes) else { return nil }
        return base[position]
    }
}
