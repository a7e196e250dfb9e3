import QueryKit

/// The clients that a database tells of its changes.
final class ClientLinks: Sendable {
    private struct Link {
        weak var client: QueryClient?
    }

    private struct State {
        var links: [Link] = []
        var feed: QuerySubscription?
    }

    private let state = Lock(State())
    private let source: String

    private init(_ core: DatabaseCore) { source = core.name }

    /// The links of a database, made by the first who asks.
    static func links(of core: DatabaseCore) -> ClientLinks {
        let (links, isNew) = core.attachment { ClientLinks(core) }
        if isNew { core.observeReads { [weak links] in links?.observer } }
        return links
    }

    /// Adds a client; false if it is there already.
    func add(_ client: QueryClient, to core: DatabaseCore) -> Bool {
        let (isNew, isFirst) = state.withLock { state in
            state.links.removeAll { $0.client == nil }
            if state.links.contains(where: { $0.client === client }) { return (false, false) }
            state.links.append(Link(client: client))
            return (true, state.feed == nil)
        }
        if isFirst {
            let feed = core.feed.subscribe { [weak self] in self?.tell($0) }
            state.withLock { $0.feed = feed }
        }
        return isNew
    }

    /// Who is told what the present task reads; `nil` outside of a run.
    private var observer: (any ReadObserver)? {
        QueryReads.current.map { RunObserver(reads: $0, links: self) }
    }

    private func tell(_ change: SQLiteChangeSet) {
        self.change(regions(Array(change.regions)), change.origin == .local ? .regionChanged : .otherProcess)
    }

    fileprivate func change(_ regions: [QueryRegion], _ cause: QueryCause) {
        let clients = state.withLock { $0.links.compactMap(\.client) }
        for client in clients { client.changed(regions, cause: cause) }
        // The last one has gone: nobody has to look for changes any more.
        guard clients.isEmpty else { return }
        _ = state.withLock { state in state.links.contains { $0.client != nil } ? nil : state.feed.take() }
    }

    fileprivate func regions(_ regions: [SQLiteRegion]) -> [QueryRegion] {
        regions.map { QueryRegion(source: source, name: $0.table, partition: $0.partition) }
    }
}

/// One read of a run, as a database sees it.
// A class, so that handing it to the thread of a connection costs one reference.
private final class RunObserver: ReadObserver {
    private let reads: QueryReads
    private let links: ClientLinks

    init(reads: QueryReads, links: ClientLinks) {
        self.reads = reads
        self.links = links
    }

    func note(_ list: RegionList) {
        if let known = list.translation as? RecurringRegions { return reads.note(known) }
        let regions = RecurringRegions(links.regions(list.regions))
        list.translation = regions
        reads.note(regions)
    }

    func outdate(_ regions: [SQLiteRegion]) { links.change(links.regions(regions), .regionChanged) }
}
