/// One attempt of a paginated request's run: which pages are fetched, which are kept, and what the list is afterwards.
struct PageRun<Request: PaginatedRequest>: Sendable {
    typealias Pages = QueryPages<Request.PageID, Request.PageValue>
    typealias Page = QueryPage<Request.PageID, Request.PageValue>
    private typealias Progress = PageProgress<Request.PageID, Request.PageValue>

    private let request: Request
    private let context: QueryContext
    private let continuation: QueryContinuation<Pages>
    /// The run of the request's own store; `nil` where `fetch` was called directly, which fetches the first page.
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
        let progress = scope?.progress as? Progress ?? begin()
        let base = progress.base
        switch scope?.start?.aim ?? .everything {
        case .next where !base.isEmpty:
            guard let id = base.nextPageID else { return list(base) }
            return list((base.pages + [try await fetch(id)]).suffix(limit))
        case .previous where !base.isEmpty:
            guard let id = base.previousPageID else { return list(base) }
            return list(([try await fetch(id)] + base.pages).prefix(limit))
        case .page(let identity):
            guard let id: Request.PageID = identity.value() else { return list(base) }
            return try await list(with: id, base)
        case .everything, .next, .previous:
            return try await refetch(progress)
        }
    }

    /// The first attempt of a run finds out what there is, and what has changed since.
    private func begin() -> Progress {
        guard let scope, let store = scope.store, let start = scope.start else { return Progress() }
        let base = store.baseValue?.unboxed(as: Pages.self)
        // Asked by each run, because the store keeps account of changes from the first time on.
        var changes: [QueryRegion]?
        if case .some(let set) = store.changes(for: start), start.cause == .regionChanged || start.cause == .otherProcess {
            changes = set.regions
        }
        let progress = Progress(base: base, changes: changes)
        scope.remember(progress)
        return progress
    }

    // MARK: Fetching

    /// As many pages as there were, from the first one on: fetched again, or kept where nothing has changed.
    private func refetch(_ progress: Progress) async throws -> Pages {
        let base = progress.base
        let count = min(max(base.count, 1), limit)
        var list = progress.done.list
        // A long list is not searched again for each of its pages.
        var ids = Set(list.map(\.id))
        var isAligned = list.pages.indices.allSatisfy { $0 < base.pages.count && list.pages[$0].id == base.pages[$0].id }
        var next = list.isEmpty ? base.first?.id ?? request.initialPageID : list.nextPageID
        while list.pages.count < count, let id = next {
            try Task.checkCancellation()
            let position = list.pages.count
            isAligned = isAligned && position < base.pages.count && base.pages[position].id == id
            let kept = isAligned ? progress.page(toKeepAt: position) : nil
            let page = if let kept { kept } else { try await fetch(id, isFirst: base.isEmpty) }
            list.pages.append(page)
            ids.insert(id)
            next = unlessThere(request.pageID(after: page, in: list)) { ids.contains($0) }
            list.nextPageID = next
            progress.add(page, leadingTo: next, at: position, isKept: kept != nil)
        }
        // Pages that were kept are as old as they were.
        if progress.done.hasKept, let store = scope?.store { scope?.date(store.record.valueTime.date) }
        return complete(list)
    }

    /// The list with one page fetched: again, at one of the ends, or as the beginning of another list.
    private func list(with id: Request.PageID, _ base: Pages) async throws -> Pages {
        let page = try await fetch(id, isFirst: base.isEmpty)
        if let position = base.position(of: id) {
            var changed = base
            changed.pages[position] = page
            return list(changed)
        }
        if id == base.nextPageID { return list((base.pages + [page]).suffix(limit)) }
        if id == base.previousPageID { return list(([page] + base.pages).prefix(limit)) }
        return list([page])
    }

    private func fetch(_ id: Request.PageID, isFirst: Bool = false) async throws -> Page {
        let partial = QueryContinuation<Request.PageValue> { [continuation] value in
            if isFirst { continuation.yield(Pages([Page(id: id, value: value)])) }
        }
        let (value, reads) = try await RunScope.collecting { try await request.fetchPage(id, in: context, with: partial) }
        return Page(id: id, value: value, reads: reads)
    }

    // MARK: The list

    private func list(_ pages: some Sequence<Page>) -> Pages {
        var list = Pages(pages)
        list.nextPageID = list.last.flatMap { last in
            unlessThere(request.pageID(after: last, in: list)) { list.position(of: $0) != nil }
        }
        return complete(list)
    }

    /// The list with what comes before it. What its pages were read from is noted for this run, also where it fetched only others.
    private func complete(_ list: Pages) -> Pages {
        var list = list
        list.previousPageID = list.first.flatMap { first in
            unlessThere(request.pageID(before: first, in: list)) { list.position(of: $0) != nil }
        }
        guard let scope, let store = scope.store else { return list }
        scope.note(list.pages.flatMap { $0.reads?.regions ?? [] })
        // A page without known regions may come from any region that the store has read so far.
        if list.pages.contains(where: { $0.reads == nil }) { scope.note(store.reads) }
        return list
    }

    /// The id of a neighbour, unless that is there already: then the list ends, rather than go round in circles.
    private func unlessThere(_ id: Request.PageID?, _ isThere: (Request.PageID) -> Bool) -> Request.PageID? {
        guard let id, isThere(id) else { return id }
        if let store = scope?.store, let start = scope?.start, store.host.wantsEvents {
            store.host.report(QueryEvent(kind: .pageRepeated, path: store.path, cause: start.cause, instant: context.clock.now, error: nil))
        }
        return nil
    }
}
