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
    /// or the time zone changes between their reads.
    func today(for path: QueryPath) async throws -> FoodDay {
        let shared = await QueryReads.current?.snapshot(of: SharedDay.source) { SharedDay($0) }
        let today = shared?.day { self.today } ?? self.today
        try (today...today).check(for: path)
        return today
    }

    /// The current day in the user's time zone.
    var today: FoodDay { FoodDay(clock.date, in: timeZone) }
}

extension QueryContextNames {
    /// The name of `QueryContext.foodDiary`.
    public final var foodDiary: QueryContext.MemberOfTheSameName { .init() }
}

/// The current day for consistent requests that are read together.
private final class SharedDay: SourceSnapshot {
    /// Identifies the clock among the sources that these requests read together.
    final class Source: Sendable {}

    static let source = Source()

    private let day = Lock<FoodDay?>(nil)
    private let moment: SnapshotMoment

    init(_ moment: SnapshotMoment) { self.moment = moment }

    /// The day that the first call has read.
    func day(_ read: () -> FoodDay) -> FoodDay {
        if let day = day.withLock(\.self) { return day }
        // Noted before the day is read: if the day changes in between, the invalidation that follows counts for this run, too.
        moment.note()
        let now = read()
        return day.withLock { day in
            let first = day ?? now
            day = first
            return first
        }
    }

    func end() {}
}
