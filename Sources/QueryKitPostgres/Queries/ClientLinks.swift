#if Postgres
import QueryKit

/// What connects a database to its clients: translates what requests read and commits change into regions of the clients.
final class ClientLinks: Sendable {
    private let clients: ConnectedClients

    init(source: String) { clients = ConnectedClients(source: source) }

    /// The name of the database in regions and messages.
    var source: String { clients.source }

    /// Connects a client until it is deallocated; returns false if it is connected already.
    ///
    /// - Parameter listen: Reads the log of changes until its task is cancelled.
    func add(_ client: QueryClient, to follower: Follower, listening listen: @escaping @Sendable () async -> Void) -> Bool {
        clients.add(client) { follower.subscribe(entering: { [self] in enter($0, by: $1) }, listening: listen) }
    }

    // MARK: Reads

    /// The observer for the current task's reads and writes; `nil` outside of a run.
    ///
    /// While no client is connected, only the fact that a request has read the database is recorded, in case its client connects later.
    func observer(isWrite: Bool) -> (any ReadObserver)? {
        guard let reads = QueryReads.current else { return nil }
        let isFollowed = !clients.isEmpty
        if isWrite, !isFollowed { return nil }
        if !isWrite { clients.noteReader(of: reads) }
        if !isWrite, !isFollowed, reads.clientID != nil {
            reads.note([QueryRegion(source: source)])
            return nil
        }
        return RunObserver(reads: reads, links: self, isFollowed: isFollowed)
    }

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
                them when the database is opened, or may create triggers on them, and while the log of changes can be read. If requests \
                needn't follow the database, set isFollowed = false in its configuration.
                """
            )
        }
    }

    // MARK: Changes

    /// Enters a change into the connected clients, and returns a closure that notifies their requests.
    private func enter(_ change: ChangeSet, by writer: (any ReadObserver)?) -> @Sendable () -> Void {
        let cause: QueryCause = change.isOwn ? .regionChanged : .otherProcess
        return clients.enter(regions(change.regions), cause: cause, by: (writer as? RunObserver)?.reads)
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
