/// Lets data sources note the regions that a run reads; see ``QueryRegion``.
///
/// A source calls ``note(_:)-swift.type.method`` before it reads, so that a change during the read isn't missed. The current run is a
/// task-local value, so this works inside use cases, repositories and child tasks. A source that reads on its own thread captures
/// ``current`` and calls `note` on it.
///
/// ```swift
/// func entries(on day: String) async throws -> [Entry] {
///     QueryReads.note([
///         QueryRegion(source: "diary", name: "entries", partition: day)
///     ])
///     return try await load(day)
/// }
/// ```
public struct QueryReads: Sendable {
    let scope: RunScope

    /// The run and the client's rounds; `nil` if no request of the client is consistent.
    var consistentRun: (run: StoreRun, rounds: ConsistentRounds)? {
        guard let run = scope.runInRounds, run.store.host.rounds.isUsed else { return nil }
        return (run, run.store.host.rounds)
    }

    /// The reads of the current task's run; `nil` outside of a run.
    public static var current: QueryReads? {
        guard let scope = RunScope.current else { return nil }
        return QueryReads(scope: scope)
    }

    /// Notes that the current run reads some regions. Does nothing outside of a run.
    ///
    /// More than 256 partitions and rows of a part count as the whole part, and more than 256 parts of a source as the whole source.
    public static func note(_ regions: some Collection<QueryRegion>) { RunScope.current?.note(Array(regions)) }

    /// Notes that the run reads some regions. You can call this on any thread.
    public func note(_ regions: some Collection<QueryRegion>) { scope.note(Array(regions)) }

    /// The client whose request reads, for comparison with ``QueryClient/clientID``; `nil` if no request depends on the reads: in a
    /// mutation, and once the run is over.
    package var clientID: ObjectIdentifier? { scope.follower.map { ObjectIdentifier($0.store.host) } }

    /// Whether nothing depends on the reads, because a mutation makes them.
    package var areUnused: Bool { scope.start?.isMutation ?? false }

    /// The request that reads; `nil` in the same cases as ``clientID``.
    package var request: (path: QueryPath, context: QueryContext)? { scope.follower.map { ($0.store.path, $0.storeContext) } }

    /// Notes regions that a source notes repeatedly. If the run has noted them already, this costs only a comparison.
    package func note(_ regions: RecurringRegions) { scope.note(regions) }

    /// Notes both recurring regions and which commits the run sees.
    package func note(_ regions: RecurringRegions, _ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        scope.note(regions, commits, of: source)
    }

    /// Notes which commits of a source the run sees, for a source that numbers its commits.
    package func note(_ moment: ReadMoment) { scope.note(moment) }

    /// Notes the commits of the current mutation; `nil` outside of a mutation, or if it has no layers.
    package var writes: QueryWrites? { scope.effects.map { QueryWrites(effects: $0) } }

    /// Reports regions that changed before the run noted them. The call of ``QueryClient/changed(_:cause:)`` for this change didn't affect
    /// the run, because the run hadn't noted the regions yet. Call this in a source whose reads may return data that is older than such a
    /// change. The result is published as out of date, and another run follows.
    public func outdate(_ regions: some Collection<QueryRegion>) { scope.outdate(Array(regions)) }

    /// Notes that the run reads a part of a source that reports no changes. The value counts as stale as soon as the run ends.
    package func noteUnfollowed() { scope.noteUnfollowed() }

    /// Calls a closure and returns its result with the regions that it noted. For tests of a data source.
    public static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, regions: Set<QueryRegion>) {
        let (result, regions) = try await collectingColumns(work)
        return (result, Set(regions.map(\.inAllColumns)))
    }

    /// Calls a closure and returns its result with the regions that it noted and the columns that were read.
    package static func collectingColumns<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, regions: Set<QueryRegion>) {
        let (result, reads) = try await RunScope.collecting(work)
        return (result, Set(reads.regions))
    }
}

/// Notes the commits of a mutation before they can be read, for a source that numbers its commits.
///
/// The numbers show whether a value that was read during the mutation includes the mutation's commit. If so, the layer is removed with that
/// value.
package struct QueryWrites: Sendable {
    fileprivate let effects: CallEffects

    /// Notes that a commit begins. Call this before the commit can be read.
    package func begin(_ regions: some Collection<QueryRegion>, at commit: SourceCommit) { effects.begin(Array(regions), at: commit) }

    /// Removes a commit that has failed.
    package func withdraw(_ commit: SourceCommit) { effects.withdraw(commit) }
}

/// Regions that a source notes in many runs, such as those of a prepared statement.
package final class RecurringRegions: Sendable {
    let regions: [QueryRegion]
    /// The statement that reads them, for snapshots of the client.
    let statement: (any ReadStatement)?

    package init(_ regions: [QueryRegion], readBy statement: (any ReadStatement)? = nil) {
        self.regions = regions
        self.statement = statement
    }
}
