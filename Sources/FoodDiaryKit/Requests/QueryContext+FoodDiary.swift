import Foundation
public import QueryKit

extension QueryContext {
    private enum FoodDiaryKey: Key {
        static var defaultValue: FoodDiaryRepositories? { nil }
    }

    /// The diary that requests read and mutations write. Default: `nil`; requests then fail with a message that explains this.
    ///
    /// ```swift
    /// var context = QueryContext()
    /// context.foodDiary = FoodDiaryRepositories(InMemoryFoodDiary())
    /// ```
    public var foodDiary: FoodDiaryRepositories? {
        get { self[FoodDiaryKey.self] }
        set { self[FoodDiaryKey.self] = newValue }
    }

    /// The diary; throws if the context has none.
    func diary(for path: QueryPath) throws -> FoodDiaryRepositories {
        guard let foodDiary else {
            throw QueryError(.invalidParameters, "The context has no food diary: set context.foodDiary.", path: path)
        }
        return foodDiary
    }

    /// The current day for a run; throws if it is invalid. Consistent requests that are read together share it, even if midnight passes
    /// between their reads.
    func today(for path: QueryPath) async throws -> FoodDay {
        let shared = await QueryReads.current?.snapshot(of: SharedDate.source) { SharedDate($0) }
        let today = FoodDay(shared?.date(of: clock) ?? clock.date, in: timeZone)
        try (today...today).check(for: path)
        return today
    }

    /// The current day in the user's time zone.
    var today: FoodDay { FoodDay(clock.date, in: timeZone) }
}

/// The date that consistent requests read together.
private final class SharedDate: SourceSnapshot {
    /// Identifies the clock among the sources of a round.
    final class Source: Sendable {}

    static let source = Source()

    private let date = Lock<Date?>(nil)
    private let moment: SnapshotMoment

    init(_ moment: SnapshotMoment) { self.moment = moment }

    /// The date of the clock at the first call.
    func date(of clock: any QueryClock) -> Date {
        if let date = date.withLock(\.self) { return date }
        // Before the date is read: if the day changes in between, the invalidation that follows counts for this run, too.
        moment.note()
        let now = clock.date
        return date.withLock { date in
            let first = date ?? now
            date = first
            return first
        }
    }

    func end() {}
}
