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

    /// The current day; throws if it is invalid.
    func today(for path: QueryPath) throws -> FoodDay {
        let today = today
        try (today...today).check(for: path)
        return today
    }

    /// The current day in the user's time zone.
    var today: FoodDay { FoodDay(clock.date, in: timeZone) }
}
