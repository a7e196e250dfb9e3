#if Postgres
import QueryKit

/// The clients that are connected to a database. Holds them weakly, and listens to the server only while at least one is connected.
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
    /// The name of the database in regions and messages.
    let source: String

    init(source: String) { self.source = source }

    /// Connects a client until it is deallocated; returns false if it is connected already. What its requests have read before is
    /// invalidated.
    ///
    /// - Parameter listen: Reads the log of changes until its task is cancelled.
    func add(_ client: QueryClient, to follower: Follower, listening listen: @escaping @Sendable () async -> Void) -> Bool {
        let id = client.clientID
        let (isNew, isFirst, isLate) = state.withLock { state in
            if state.links.contains(where: { $0.id == id }) { return (false, false, false) }
            state.links.append(Link(id: id, client: client))
            return (true, state.feed == nil, state.unconnectedReaders.remove(id) != nil)
        }
        guard isNew else { return false }
        client.hold(QuerySubscription { [self] in remove(id) })
        if isFirst { followChanges(of: follower, listen) }
        // After the subscription has begun, so that no commit is missed in between.
        if isLate { catchUp(client) }
        return true
    }

    private func followChanges(of follower: Follower, _ listen: @escaping @Sendable () async -> Void) {
        let feed = follower.subscribe(entering: { [self] in enter($0, by: $1) }, listening: listen)
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
            return state.links.isEmpty ? state.feed.take() : nil
        }
        feed?.cancel()
    }

    // MARK: Reads

    /// The observer for the current task's reads and writes; `nil` outside of a run.
    ///
    /// While no client is connected, only the fact that a request has read the database is recorded, in case its client connects later.
    func observer(isWrite: Bool) -> (any ReadObserver)? {
        guard let reads = QueryReads.current else { return nil }
        let isFollowed = state.withLock { !$0.links.isEmpty }
        if isWrite, !isFollowed { return nil }
        if !isWrite, let id = reads.clientID {
            noteReader(id, reads)
            if !isFollowed {
                reads.note([QueryRegion(source: source)])
                return nil
            }
        }
        return RunObserver(reads: reads, links: self, isFollowed: isFollowed)
    }

    /// Reports a client that isn't connected, once.
    private func noteReader(_ id: ObjectIdentifier, _ reads: QueryReads) {
        if state.withLock({ isConnected(id, $0) || $0.unconnectedReaders.contains(id) }) { return }
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

    private func isConnected(_ id: ObjectIdentifier, _ state: State) -> Bool { state.links.contains { $0.id == id } }

    /// Reports tables that a request has read although their changes aren't reported, once each.
    fileprivate func report(_ tables: [String], readBy reads: QueryReads) {
        guard let (path, context) = reads.request, let client = context.queryClient else { return }
        for table in tables {
            client.report(
                .unfollowedTable,
                about: "\(source)/\(table)",
                at: path,
                """
                The request \(path) has read "\(table)" of the database "\(source)". Changes of that table aren't reported, so the value is \
                stale at once. Foreign tables and materialized views never report changes. Other tables do if the role of the database owns \
                them when the database is opened, or may create triggers on them. If requests needn't follow the database, set \
                isFollowed = false in its configuration.
                """
            )
        }
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
    private func enter(_ change: ChangeSet, by writer: (any ReadObserver)?) -> @Sendable () -> Void {
        let regions = regions(change.regions)
        let links = state.withLock { $0.links }
        let reads = (writer as? RunObserver)?.reads
        let cause: QueryCause = change.isOwn ? .regionChanged : .otherProcess
        let entered = links.compactMap { $0.client?.enter(regions, cause: cause, by: reads) }
        return { for change in entered { change.notify() } }
    }

    fileprivate func regions(_ regions: some Collection<PostgresRegion>) -> [QueryRegion] {
        regions.map { QueryRegion(source: source, name: $0.table, partition: $0.partition) }
    }
}

/// One transaction of a run, as the database sees it.
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

    var wantsReads: Bool { !reads.areUnused }

    func note(_ regions: [PostgresRegion]) { reads.note(links.regions(regions)) }

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) { if isFollowed { reads.note(ReadMoment(commits, of: gate)) } }

    func outdate(_ regions: [PostgresRegion]) { reads.outdate(links.regions(regions)) }

    func noteUnfollowed(_ tables: [String]) {
        guard isFollowed else { return }
        reads.noteUnfollowed()
        links.report(tables, readBy: reads)
    }

    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)? {
        reads.writes.map { MutationCommitObserver(writes: $0, links: links, gate: gate) }
    }

    func willWrite() { reads.willWrite(to: links, isExclusive: false) }
}

/// Reports a commit of a mutation to its layers.
private final class MutationCommitObserver: CommitObserver {
    private let writes: QueryWrites
    private let links: ClientLinks
    private let gate: CommitGate
    /// Two numbers for one commit: one while it may have changed everything, and one with the regions that it has changed. Both begin
    /// before COMMIT is sent. A read that happens before the commit has ended can't determine whether it sees the commit.
    private let anything: UInt64
    private let known: UInt64

    init(writes: QueryWrites, links: ClientLinks, gate: CommitGate) {
        self.writes = writes
        self.links = links
        self.gate = gate
        anything = gate.begin()
        known = gate.begin()
    }

    func begin() { writes.begin([QueryRegion(source: links.source)], at: SourceCommit(anything, of: gate)) }

    func note(_ regions: Set<PostgresRegion>) {
        if !regions.isEmpty { writes.begin(links.regions(regions), at: SourceCommit(known, of: gate)) }
        writes.withdraw(SourceCommit(anything, of: gate))
    }

    func end(isDone: Bool) {
        for number in [anything, known] {
            if !isDone { writes.withdraw(SourceCommit(number, of: gate)) }
            gate.end(number)
        }
    }
}
#endif
