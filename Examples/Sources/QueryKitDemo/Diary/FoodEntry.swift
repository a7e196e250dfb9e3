/// A day of the diary.
enum Day: String, Sendable {
    case yesterday, today
}

/// Something that was eaten.
struct FoodEntry: Hashable, Sendable {
    let day: Day
    let name: String
    let kilocalories: Int
}
