import QueryKit

/// What connects a database to its clients: translates what requests read and commits change into regions of the clients.
final class ClientLinks: Sendable {
    private let clients: ConnectedClients
    private let isFollowed: Bool

    private init(_ core: DatabaseCore) {
        clients = ConnectedClients(source: core.name)
        isFollowed = core.configuration.isFollowed
    }

    /// Starts recording which clients read the database, unless `isFollowed` is off.
    static func noteReads(of core: DatabaseCore) { if core.configuration.isFollowed { _ = links(of: core) } }

    /// Returns the links of a database. The first call creates them.
    static func links(of core: DatabaseCore) -> ClientLinks {
        let (links, isNew) = core.attachment { ClientLinks(core) }
        if isNew {
            // Strong references: the core has the links until it is deallocated itself, and they don't refer to it. Counting references to
            // an object with weak references takes several times as long.
            core.observeReads { links.observer(isWrite: $0) }
            core.feed.watched.setIsRead { links.readsRanges(of: $0) }
        }
        return links
    }

    /// Connects a client until it is deallocated; returns false if it is connected already.
    func add(_ client: QueryClient, to core: DatabaseCore) -> Bool {
        clients.add(client) { core.feed.subscribe(entering: { [self] in enter($0, by: $1) }) }
    }

    // MARK: Reads

    /// Whether a request of a connected client has read a range of this table.
    private func readsRanges(of table: String) -> Bool {
        clients.contains { $0.readsRanges(of: QueryRegion(source: clients.source, name: table)) }
    }

    /// The observer for the current task's reads and writes; `nil` outside of a run.
    ///
    /// While no client is connected, only reads are recorded, in case a client connects later.
    private func observer(isWrite: Bool) -> (any ReadObserver)? {
        guard let reads = QueryReads.current else { return nil }
        let isConnected = !clients.isEmpty
        if isWrite, !isConnected { return nil }
        if !isWrite, isFollowed { clients.noteReader(of: reads) }
        return RunObserver(reads: reads, links: self, isFollowed: isConnected)
    }

    // MARK: Changes

    /// Enters a change into the connected clients, and returns a closure that notifies their requests.
    private func enter(_ change: SQLiteChangeSet, by writer: (any ReadObserver)?) -> @Sendable () -> Void {
        let cause: QueryCause =
            switch change.origin {
            case .local: .regionChanged
            case .otherProcess: .otherProcess
            }
        return clients.enter(regions(change.details), cause: cause, by: (writer as? RunObserver)?.reads)
    }

    fileprivate func regions(_ regions: some Collection<SQLiteRegion>) -> [QueryRegion] {
        regions.map { QueryRegion(source: clients.source, $0) }
    }
}

extension QueryRegion {
    /// A region of the database with this name.
    init(source: String, _ region: SQLiteRegion) {
        self.init(
            source: source,
            name: region.table,
            partition: region.partition,
            row: region.rowID.map(String.init),
            columns: region.columns,
            keys: region.keys
        )
    }
}

/// One read of a run, as the database sees it.
// A class, so that handing it to the thread of a connection costs one reference.
private final class RunObserver: ReadObserver {
    fileprivate let reads: QueryReads
    private let links: ClientLinks
    /// Whether a client is connected. If none is, there is no need to note which commits a read saw.
    private let isFollowed: Bool

    init(reads: QueryReads, links: ClientLinks, isFollowed: Bool) {
        self.reads = reads
        self.links = links
        self.isFollowed = isFollowed
    }

    func note(_ list: RegionList) { reads.note(translation(of: list)) }

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) { if isFollowed { reads.note(ReadMoment(commits, of: gate)) } }

    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate) {
        let regions = translation(of: list)
        if isFollowed { reads.note(regions, commits, of: gate) } else { reads.note(regions) }
    }

    private func translation(of list: RegionList) -> RecurringRegions {
        if let known = list.translation as? RecurringRegions { return known }
        let regions = RecurringRegions(links.regions(list.regions), readBy: list.statement)
        list.translation = regions
        return regions
    }

    func outdate(_ regions: [SQLiteRegion]) { reads.outdate(links.regions(regions)) }

    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)? {
        reads.writes.map { MutationCommitObserver(writes: $0, links: links, gate: gate) }
    }

    var mayShare: Bool { isFollowed && reads.mayShare }

    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? {
        await reads.snapshot(of: source, make)
    }

    func readAlone() { reads.readAlone() }

    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) { reads.willWrite(to: source, isExclusive: isExclusive) }
}

/// Reports the commits of a mutation to its layers.
private struct MutationCommitObserver: CommitObserver {
    let writes: QueryWrites
    let links: ClientLinks
    let gate: CommitGate

    func begin(_ change: SQLiteChangeSet) -> UInt64 {
        let number = gate.begin()
        writes.begin(links.regions(change.details), at: SourceCommit(number, of: gate))
        return number
    }

    func end(_ number: UInt64, isDone: Bool) {
        if !isDone { writes.withdraw(SourceCommit(number, of: gate)) }
        gate.end()
    }
}
