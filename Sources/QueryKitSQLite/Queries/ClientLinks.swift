import QueryKit

/// The clients that are connected to a database. Holds them weakly, and observes the database only while at least one is connected.
///
/// Also records clients that read the database without being connected, so that their requests are invalidated when they connect.
final class ClientLinks: Sendable {
    private struct Link {
        /// Identifies the client. The client isn't loaded from the weak reference under the lock: the load could release its last
        /// reference, and its deinit calls `remove`, which takes the lock.
        let id: ObjectIdentifier
        weak var client: QueryClient?
    }

    private struct State {
        var links: [Link] = []
        var feed: QuerySubscription?
        /// The clients whose requests have read the database without being connected to it.
        var unconnectedReaders: Set<ObjectIdentifier> = []
    }

    private let state = Lock(State())
    /// The id of one connected client, so that its reads take no lock here; 0 if there is none.
    private let connectedID = Gauge()
    private let source: String
    private let isFollowed: Bool

    private init(_ core: DatabaseCore) {
        source = core.name
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

    /// Connects a client until it is deallocated; returns false if it is connected already. What its requests have read before is
    /// invalidated.
    func add(_ client: QueryClient, to core: DatabaseCore) -> Bool {
        let id = client.clientID
        let (isNew, isFirst, isLate) = state.withLock { state in
            if state.links.contains(where: { $0.id == id }) { return (false, false, false) }
            state.links.append(Link(id: id, client: client))
            connectedID.set(id)
            return (true, state.feed == nil, state.unconnectedReaders.remove(id) != nil)
        }
        guard isNew else { return false }
        client.hold(QuerySubscription { [self] in remove(id) })
        if isFirst { followChanges(of: core) }
        // After the subscription has begun, so that no commit is missed in between.
        if isLate { catchUp(client) }
        return true
    }

    private func followChanges(of core: DatabaseCore) {
        let feed = core.feed.subscribe(entering: { [self] in enter($0, by: $1) })
        // If two calls were the first at the same time, cancel the other's subscription outside the lock.
        let other = state.withLock { state in
            defer { state.feed = feed }
            return state.feed
        }
        other?.cancel()
    }

    /// Disconnects a client. With the last one, the observation of the database ends.
    private func remove(_ id: ObjectIdentifier) {
        let feed = state.withLock { state -> QuerySubscription? in
            state.links.removeAll { $0.id == id }
            state.unconnectedReaders.remove(id)
            connectedID.set(state.links.last?.id)
            return state.links.isEmpty ? state.feed.take() : nil
        }
        feed?.cancel()
    }

    // MARK: Reads

    /// Whether a request of a connected client has read a range of this table.
    private func readsRanges(of table: String) -> Bool {
        let links = state.withLock { $0.links }
        return links.contains { $0.client?.readsRanges(of: QueryRegion(source: source, name: table)) == true }
    }

    /// The observer for the current task's reads and writes; `nil` outside of a run.
    ///
    /// While no client is connected, only reads are recorded, in case a client connects later.
    private func observer(isWrite: Bool) -> (any ReadObserver)? {
        guard let reads = QueryReads.current else { return nil }
        let connectedID = connectedID.value
        if isWrite, connectedID == 0 { return nil }
        if !isWrite, let id = reads.clientID, id.number != connectedID { noteReader(id, reads) }
        return RunObserver(reads: reads, links: self, isFollowed: connectedID != 0)
    }

    /// Reports a client that isn't connected, once.
    private func noteReader(_ id: ObjectIdentifier, _ reads: QueryReads) {
        if state.withLock({ isConnected(id, $0) || $0.unconnectedReaders.contains(id) }) || !isFollowed { return }
        guard let (path, context) = reads.request, let client = context.queryClient else { return }
        guard state.withLock({ !isConnected(id, $0) && $0.unconnectedReaders.insert(id).inserted }) else { return }
        client.hold(QuerySubscription { [self] in remove(id) })
        client.report(
            .unconnectedDatabase,
            about: source,
            at: path,
            """
            The request \(path) has read the database "\(source)", and its client isn't connected to it, so no commit makes the request \
            run again. Call client.connect(to: database) before the first fetch. If requests needn't follow the database, set \
            isFollowed = false in its configuration.
            """
        )
    }

    private func isConnected(_ id: ObjectIdentifier, _ state: State) -> Bool {
        guard state.links.contains(where: { $0.id == id }) else { return false }
        connectedID.set(id)
        return true
    }

    /// Invalidates everything that the requests of a client have read from this database, because they may have missed commits.
    private func catchUp(_ client: QueryClient) {
        client.enter([QueryRegion(source: source)], cause: .regionChanged, by: nil).notify()
        client.report(
            .lateConnection,
            about: source,
            """
            The client was connected to the database "\(source)" after its requests had read it. They are out of date now, and those \
            with observers run again. Call client.connect(to: database) before the first fetch.
            """
        )
    }

    // MARK: Changes

    /// Enters a change into the connected clients, and returns a closure that notifies their requests.
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
        return { for change in entered { change.notify() } }
    }

    fileprivate func regions(_ regions: some Collection<SQLiteRegion>) -> [QueryRegion] {
        regions.map { QueryRegion(source: source, $0) }
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

extension ObjectIdentifier {
    fileprivate var number: UInt64 { UInt64(UInt(bitPattern: self)) }
}

extension Gauge {
    fileprivate func set(_ id: ObjectIdentifier?) { set(id?.number ?? 0) }
}
