import QueryKit

/// The clients that a database tells of its changes. It does not keep them, and it watches only while there is one.
final class ClientLinks: Sendable {
    private struct Link {
        /// By which it is known: nobody loads the client itself under the lock, because it may go just then, and comes here for that.
        let id: ObjectIdentifier
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

    /// Adds a client, which leaves when it goes; false if it is there already.
    func add(_ client: QueryClient, to core: DatabaseCore) -> Bool {
        let (isNew, isFirst) = state.withLock { state in
            if state.links.contains(where: { $0.id == ObjectIdentifier(client) }) { return (false, false) }
            state.links.append(Link(id: ObjectIdentifier(client), client: client))
            return (true, state.feed == nil)
        }
        guard isNew else { return false }
        let id = ObjectIdentifier(client)
        client.hold(QuerySubscription { [weak self] in self?.remove(id) })
        guard isFirst else { return true }
        let feed = core.feed.subscribe(entering: { [weak self] in self?.enter($0, by: $1) ?? {} })
        // If two were the first at the same time, the other's handler ends here, outside of the lock.
        let other = state.withLock { state in
            defer { state.feed = feed }
            return state.feed
        }
        other?.cancel()
        return true
    }

    /// With the last client the watch ends: nobody has to look for changes any more.
    private func remove(_ id: ObjectIdentifier) {
        let feed = state.withLock { state -> QuerySubscription? in
            state.links.removeAll { $0.id == id }
            return state.links.isEmpty ? state.feed.take() : nil
        }
        feed?.cancel()
    }

    /// Who is told what the present task reads; `nil` outside of a run.
    private var observer: (any ReadObserver)? {
        QueryReads.current.map { RunObserver(reads: $0, links: self) }
    }

    /// Lets the clients take note of a change, and returns what tells their requests.
    private func enter(_ change: SQLiteChangeSet, by writer: (any ReadObserver)?) -> @Sendable () -> Void {
        let regions = regions(change.details)
        let cause: QueryCause =
            switch change.origin {
            case .local: .regionChanged
            case .otherProcess: .otherProcess
            }
        let links = state.withLock { $0.links }
        let reads = (writer as? RunObserver)?.reads
        let entered = links.compactMap { $0.client?.enter(regions, cause: cause, by: reads) }
        return { for change in entered { change.tell() } }
    }

    fileprivate func regions(_ regions: some Collection<SQLiteRegion>) -> [QueryRegion] {
        regions.map { region in
            QueryRegion(
                source: source,
                name: region.table,
                partition: region.partition,
                row: region.rowID.map(String.init),
                columns: region.columns
            )
        }
    }
}

/// One read of a run, as a database sees it.
// A class, so that handing it to the thread of a connection costs one reference.
private final class RunObserver: ReadObserver {
    fileprivate let reads: QueryReads
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

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) { reads.note(ReadMoment(commits, of: gate)) }

    func outdate(_ regions: [SQLiteRegion]) { reads.outdate(links.regions(regions)) }

    func witness(_ gate: CommitGate) -> (any CommitWitness)? {
        reads.writes.map { MutationWitness(writes: $0, links: links, gate: gate) }
    }

    var mayShare: Bool { reads.mayShare }

    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? {
        await reads.snapshot(of: source, make)
    }

    func readAlone() { reads.readAlone() }

    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) { reads.willWrite(to: source, isExclusive: isExclusive) }
}

/// Tells the layers of a mutation of its commits.
private struct MutationWitness: CommitWitness {
    let writes: QueryWrites
    let links: ClientLinks
    let gate: CommitGate

    func begin(_ change: SQLiteChangeSet) -> UInt64 {
        let number = gate.begin()
        writes.begin(links.regions(change.details), at: CommitPlace(number, of: gate))
        return number
    }

    func end(_ number: UInt64, isDone: Bool) {
        if !isDone { writes.withdraw(CommitPlace(number, of: gate)) }
        gate.end()
    }
}
