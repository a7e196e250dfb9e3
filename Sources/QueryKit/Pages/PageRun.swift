/// One attempt of a paginated request's run. Decides which pages to fetch or keep, and builds the resulting list.
struct PageRun<Request: PaginatedRequest>: Sendable {
    typealias Pages = QueryPages<Request.PageID, Request.PageValue>
    typealias Page = QueryPage<Request.PageID, Request.PageValue>

    private let request: Request
    private let context: QueryContext
    private let continuation: QueryContinuation<Pages>
    /// The run of the request's own store; `nil` if `fetch` was called directly, which fetches the first page.
    private let scope: RunScope?

    init(of request: Request, in context: QueryContext, with continuation: QueryContinuation<Pages>) {
        self.request = request
        self.context = context
        self.continuation = continuation
        let scope = RunScope.current
        self.scope = scope?.store?.identity == request.identity ? scope : nil
    }

    private var limit: Int { max(request.maxPages ?? .max, 1) }

    func result() async throws -> Pages {
        let progress = scope?.progress as? PageProgress ?? begin()
        let base = progress.base?.unboxed(as: Pages.self) ?? Pages([])
        switch scope?.start?.aim ?? .everything {
        case .next where !base.isEmpty:
            guard let id = base.nextPageID else { return list(base) }
            return list(base, with: try await fetch(id), at: .last)
        case .previous where !base.isEmpty:
            guard let id = base.previousPageID else { return list(base) }
            return list(base, with: try await fetch(id), at: .first)
        case .page(let identity):
            guard let id: Request.PageID = identity.value() else { return list(base) }
            return list(base, with: try await fetch(id, isFirst: base.isEmpty))
        case .everything, .next, .previous:
            return try await refetch(base, progress)
        }
    }

    /// In the first attempt of a run, determines the existing pages and the changes since they were read.
    private func begin() -> PageProgress {
        guard let scope, let store = scope.store, let start = scope.start else { return PageProgress() }
        // Called by each run, because the store keeps track of changes only after the first call.
        var changes: [QueryRegion]?
        if case .some(let set) = store.changes(for: start), start.cause == .regionChanged || start.cause == .otherProcess {
            changes = set.regions
        }
        let progress = PageProgress(base: store.baseValue, changes: changes)
        scope.remember(progress)
        return progress
    }

    // MARK: Fetching

    /// Fetches as many pages as there were, beginning with the first, and keeps pages without changes.
    private func refetch(_ base: Pages, _ progress: PageProgress) async throws -> Pages {
        let count = min(max(base.count, 1), limit)
        var list = Pages(progress.done.pages.map { $0.page(as: Page.self) })
        // A page can be kept only if the list has had the same ids up to this page.
        var isAligned = progress.mayKeep && list.indices.allSatisfy { $0 < base.count && list[$0].id == base[$0].id }
        if let last = list.last { list.nextPageID = next(after: last, in: list) }
        var next = list.isEmpty ? base.first?.id ?? request.initialPageID : list.nextPageID
        while list.count < count, let id = next {
            try Task.checkCancellation()
            let position = list.count
            isAligned = isAligned && position < base.count && base[position].id == id
            let isKept = isAligned && progress.keeps(base.anyPage(at: position))
            let page = isKept ? base[position] : try await fetch(id, isFirst: base.isEmpty)
            let element = isKept ? base.anyPage(at: position) : AnyPage(page)
            list.add(element, id, at: .last)
            next = self.next(after: page, in: list)
            list.nextPageID = next
            progress.add(element, at: position, isKept: isKept)
        }
        list = beginning(list)
        guard progress.done.hasKept, let scope else { return list }
        // The list is as old as the pages that were kept.
        if let store = scope.store { scope.date(store.record.valueTime.date) }
        note(list)
        return list
    }

    private func fetch(_ id: Request.PageID, isFirst: Bool = false) async throws -> Page {
        let partial = QueryContinuation<Request.PageValue> { [continuation] value in
            if isFirst { continuation.yield(Pages([Page(id: id, value: value)])) }
        }
        let (value, reads) = try await RunScope.collecting { [request, context] in
            try await request.fetchPage(id, in: context, with: partial)
        }
        return Page(id: id, value: value, reads: reads)
    }

    // MARK: The list of pages

    /// The list after a page was fetched: the page replaces an old one, is added at one end, or begins a new list.
    private func list(_ base: Pages, with page: Page) -> Pages {
        var changed = base
        if changed.replace(page) { return list(changed) }
        if page.id == base.nextPageID { return list(base, with: page, at: .last) }
        if page.id == base.previousPageID { return list(base, with: page, at: .first) }
        return list(Pages([page]))
    }

    /// The list with a page added at one end.
    private func list(_ base: Pages, with page: Page, at end: PageEnd) -> Pages {
        var list = base
        list.add(AnyPage(page), page.id, at: end, limit: limit)
        return self.list(list)
    }

    /// The list with the ids of its next and previous pages.
    private func list(_ pages: Pages) -> Pages {
        var list = pages
        // The ids were determined for the previous list.
        (list.nextPageID, list.previousPageID) = (nil, nil)
        if let last = list.last { list.nextPageID = next(after: last, in: list) }
        list = beginning(list)
        note(list)
        return list
    }

    /// The id of the page after the last.
    private func next(after last: Page, in list: Pages) -> Request.PageID? {
        guard let id = request.pageID(after: last, in: list) else { return nil }
        return isNew(id, in: list) ? id : nil
    }

    /// The list with the id of its previous page.
    private func beginning(_ list: Pages) -> Pages {
        var list = list
        if let first = list.first, let id = request.pageID(before: first, in: list), isNew(id, in: list) { list.previousPageID = id }
        return list
    }

    /// Notes the regions of all pages as read by this run, because it fetched only some of the pages.
    private func note(_ list: Pages) {
        guard let scope, let store = scope.store else { return }
        let reads = list.reads
        if !reads.regions.isEmpty { scope.noteEarlier() }
        scope.note(reads.regions)
        // A page with unknown regions may depend on any region that the store has read so far.
        if reads.isPartlyUnknown { scope.note(store.reads) }
    }

    /// Whether no page has this id. If a page has it, the list ends here, because it would otherwise repeat itself endlessly.
    private func isNew(_ id: Request.PageID, in list: Pages) -> Bool {
        if !list.contains(id) { return true }
        if let store = scope?.store, let start = scope?.start, store.host.wantsEvents {
            store.host.report(QueryEvent(kind: .pageRepeated, path: store.path, cause: start.cause, instant: context.clock.now, error: nil))
        }
        return false
    }
}
