import QueryKit

/// A request that reads the diary, with its path, its freshness and its priority.
protocol DiaryRequest: QueryRequest {
    /// The path below `diary`.
    var place: QueryPath { get }

    /// How long a value is fresh, and how long it is kept without observers. Zero for values that are read each time.
    var freshness: Duration { get }

    /// Whether other reads have priority. Default: no.
    var isInBackground: Bool { get }

    @concurrent
    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> Value
}

extension DiaryRequest {
    var path: QueryPath { place }

    var isInBackground: Bool { false }

    func setup(context: inout QueryContext) { context.useDiary(freshFor: freshness) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        let diary = try context.diary(for: path)
        guard isInBackground else { return try await read(diary, in: context) }
        // A child task is cancelled with the run, and its reads are noted for the run.
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(priority: .background) { try await read(diary, in: context) }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension QueryContext {
    /// Doesn't set the network mode, so the client's mode applies: requests of a diary on the device need no network for their first
    /// attempt, and requests of a diary on a server wait for the network after a failure.
    mutating func useDiary(freshFor freshness: Duration) {
        ttl = freshness
        retention = freshness
    }
}

extension ClosedRange<FoodDay> {
    /// Throws for a day that was computed from an invalid date. Such a day is before all others, so it can only be the first of a range.
    func check(for path: QueryPath) throws {
        guard lowerBound >= FoodDay.range.lowerBound else {
            throw QueryError(.invalidParameters, "The day is invalid: it was created from a Date that is not a number.", path: path)
        }
    }
}

/// How long values are fresh according to the contracts. A commit that changes what was read invalidates them earlier.
enum DiaryFreshness {
    static let today = Duration.seconds(5 * 60)
    static let history = Duration.seconds(60 * 60)
    static let search = Duration.seconds(30 * 60)
    static let statistics = Duration.zero
}
