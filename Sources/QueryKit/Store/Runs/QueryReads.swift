/// Notes what a run reads, for data sources; see ``QueryRegion``.
///
/// A source calls ``note(_:)-swift.type.method`` before it reads, so that a change which comes meanwhile is not missed. The note travels with the task, through
/// use cases, repositories and child tasks. A source that reads on a thread of its own takes ``current`` along.
///
/// ```swift
/// func entries(on day: String) async throws -> [Entry] {
///     QueryReads.note([QueryRegion(source: "diary", name: "entries", partition: day)])
///     return try await load(day)
/// }
/// ```
public struct QueryReads: Sendable {
    let scope: RunScope

    /// The run, and what lets it read together with others; `nil` where no request of its client is consistent.
    var pictureRun: (StoreRun, Picture)? {
        guard let run = scope.pictureRun, run.store.host.picture.isUsed else { return nil }
        return (run, run.store.host.picture)
    }

    /// What the run of the present task reads; `nil` where no run is under way.
    public static var current: QueryReads? { RunScope.current.map { QueryReads(scope: $0) } }

    /// Notes that the present run reads some regions. Does nothing outside of a run.
    ///
    /// More than 256 partitions and rows of a part count as the whole part, and more than 256 parts of a source as the whole source.
    public static func note(_ regions: some Collection<QueryRegion>) { RunScope.current?.note(Array(regions)) }

    /// Notes that the run reads some regions, on whatever thread.
    public func note(_ regions: some Collection<QueryRegion>) { scope.note(Array(regions)) }

    /// The client whose request reads, to be compared with ``QueryClient/clientID``; `nil` if no request follows what is read: in a mutation, and once
    /// the run is over.
    package var clientID: ObjectIdentifier? { scope.follower.map { ObjectIdentifier($0.store.host) } }

    /// That request.
    package var request: (path: QueryPath, context: QueryContext)? { scope.follower.map { ($0.store.path, $0.storeContext) } }

    /// The same for regions that a source notes again and again: those that the run knows already cost no more than a comparison.
    package func note(_ regions: RecurringRegions) { scope.note(regions) }

    /// Notes which commits of a source the run sees: for a source that numbers them.
    package func note(_ moment: ReadMoment) { scope.note(moment) }

    /// What the mutation changes that runs here; `nil` if none does, or if it has no layers.
    package var writes: QueryWrites? { scope.effects.map { QueryWrites(effects: $0) } }

    /// Says that some of what the run has noted had changed before the note, so that no ``QueryClient/changed(_:cause:)`` has reached it: for a source
    /// whose reads see an earlier moment. The result is published as out of date, and another run follows.
    public func outdate(_ regions: some Collection<QueryRegion>) { scope.outdate(Array(regions)) }

    /// Does some work and answers with the regions that it noted: for testing a source by itself.
    public static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, regions: Set<QueryRegion>) {
        let (result, regions) = try await collectingColumns(work)
        return (result, Set(regions.map(\.inAllColumns)))
    }

    /// The same with the columns that were read.
    package static func collectingColumns<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, regions: Set<QueryRegion>) {
        let (result, reads) = try await RunScope.collecting(work)
        return (result, Set(reads.regions))
    }
}

/// Tells of the commits of a mutation before they can be read, for a source that numbers its commits.
///
/// By the numbers a layer knows whether a value that was read at the same time holds what the mutation did.
package struct QueryWrites: Sendable {
    fileprivate let effects: CallEffects

    /// A commit begins. Call this before the commit can be read.
    package func begin(_ regions: some Collection<QueryRegion>, at place: CommitPlace) { effects.begin(Array(regions), at: place) }

    /// The commit has failed.
    package func withdraw(_ place: CommitPlace) { effects.withdraw(place) }
}

/// Regions that a source notes in many runs, such as those of a prepared statement.
package final class RecurringRegions: Sendable {
    let regions: [QueryRegion]

    package init(_ regions: [QueryRegion]) { self.regions = regions }
}
