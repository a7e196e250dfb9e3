import QueryKit

/// What connects a database to its clients: translates what requests read and commits change into regions of the clients.
final class ClientLinks: Sendable {
    private let clients: ConnectedClients
    /// Whether clients that read without being connected are noted.
    private let notesReaders: Bool

    private init(_ core: DatabaseCore) {
        clients = ConnectedClients(source: core.name)
        notesReaders = core.configuration.isFollowed
    }

    /// Starts recording which clients read the database, unless `isFollowed` is off.
    static func noteReads(of core: DatabaseCore) { if core.configuration.isFollowed { _ = links(of: core) } }

    /// Returns the links of a database. The first call creates them.
    static func links(of core: DatabaseCore) -> ClientLinks {
        let (links, isNew) = core.attachment { ClientLinks(core) }
        if isNew {
            // These references may be strong: the core retains the links until it is deallocated itself, and the links don't refer to the
            // core. Counting references to an object with weak references takes several times as long.
            core.observeReads(with: links)
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

    // MARK: Changes

    /// Enters a change into the connected clients, and returns a closure that notifies their requests.
    private func enter(_ change: SQLiteChangeSet, by writer: SourceRun?) -> @Sendable () -> Void {
        let cause: QueryCause =
            switch change.origin {
            case .local: .regionChanged
            case .otherProcess: .otherProcess
            }
        return clients.enter(regions(change.details), cause: cause, by: writer?.reads)
    }

    fileprivate func regions(_ regions: some Collection<SQLiteRegion>) -> [QueryRegion] {
        regions.map { QueryRegion(source: clients.source, $0) }
    }
}

extension ClientLinks: ReadObserver {
    /// While no client is connected, only reads are recorded, in case a client connects later.
    func begin(isWrite: Bool) -> ObservedReads? {
        guard let run = SourceRun.current else { return nil }
        if isWrite {
            if clients.isEmpty { return nil }
        } else if notesReaders, !clients.isKnown(clientOf: run) {
            clients.noteReader(of: run.reads)
        }
        return ObservedReads(observer: self, run: run)
    }

    var isFollowed: Bool { !clients.isEmpty }

    func note(_ list: RegionList, for run: SourceRun?) {
        run?.reads.note(translation(of: list))
    }

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) {
        if isFollowed { run?.reads.note(ReadMoment(commits, of: gate)) }
    }

    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) {
        guard let reads = run?.reads else { return }
        let regions = translation(of: list)
        if isFollowed { reads.note(regions, commits, of: gate) } else { reads.note(regions) }
    }

    private func translation(of list: RegionList) -> RecurringRegions {
        if let known = list.translation as? RecurringRegions { return known }
        let translation = RecurringRegions(regions(list.regions), readBy: list.statement)
        list.translation = translation
        return translation
    }

    func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) { run?.reads.outdate(self.regions(regions)) }

    func commitObserver(_ gate: CommitGate, for run: SourceRun?) -> (any CommitObserver)? {
        run?.reads.writes.map { MutationCommitObserver(writes: $0, links: self, gate: gate) }
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
