public import QueryKit

extension QueryContext {
    private enum FoodDiaryKey: Key {
        static var defaultValue: FoodDiaryRepositories? { nil }
    }

    /// The diary that requests read and mutations write. Default: `nil`, and they fail with a message that says so.
    ///
    /// ```swift
    /// var context = QueryContext()
    /// context.foodDiary = FoodDiaryRepositories(InMemoryFoodDiary())
    /// ```
    public var foodDiary: FoodDiaryRepositories? {
        get { self[FoodDiaryKey.self] }
        set { self[FoodDiaryKey.self] = newValue }
    }

    /// The diary, where there has to be one.
    func diary(for path: QueryPath) throws -> FoodDiaryRepositories {
        guard let foodDiary else {
            throw QueryError(.invalidParameters, "The context has no food diary: set context.foodDiary.", path: path)
        }
        return foodDiary
    }

    /// The day that it is now, where there has to be one.
    func today(for path: QueryPath) throws -> FoodDay {
        let today = today
        try (today...today).check(for: path)
        return today
    }

    /// The day that it is now, where the user is.
    var today: FoodDay { FoodDay(clock.date, in: timeZone) }
}
