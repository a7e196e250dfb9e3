import QueryKit

/// A request that reads the diary: where it stands, how long its answer is good, and how it is read.
protocol DiaryRequest: QueryRequest {
    /// The path below `diary`.
    var place: QueryPath { get }

    /// How long an answer counts as fresh, and is kept when nobody looks; zero for what is to be read each time.
    var freshness: Duration { get }

    /// Whether others go first. Default: no.
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
        // A child is cancelled with the run, and what it reads is noted for it.
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(priority: .background) { try await read(diary, in: context) }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension QueryContext {
    /// The network mode is the client's: a diary on the device needs no network for its first attempt, and one on a server waits for it.
    mutating func useDiary(freshFor freshness: Duration) {
        ttl = freshness
        retention = freshness
    }
}

extension ClosedRange<FoodDay> {
    /// Refuses a day that was made of no date. It is before all others, so it can only be the first.
    func check(for path: QueryPath) throws {
        guard lowerBound >= FoodDay.range.lowerBound else {
            throw QueryError(.invalidParameters, "There is no such day: it was made of a Date that is not a number.", path: path)
        }
    }
}

/// How long answers are good, as the contracts say. A commit that touches what was read ends it earlier.
enum DiaryFreshness {
    static let today = Duration.seconds(5 * 60)
    static let history = Duration.seconds(60 * 60)
    static let search = Duration.seconds(30 * 60)
    static let statistics = Duration.zero
}
