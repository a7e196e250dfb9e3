/// A habit to keep up every day.
package struct Habit: Hashable, Identifiable, Sendable {
    package let id: Int64
    package let name: String

    package init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
}

/// A habit, marked as done on a day, or no longer marked.
package struct Mark: Hashable, Sendable {
    package let habit: Habit
    package let day: Day
    package let isDone: Bool

    package init(_ habit: Habit, on day: Day, isDone: Bool) { (self.habit, self.day, self.isDone) = (habit, day, isDone) }

    package func apply(to histories: inout [Habit.ID: History]) {
        if isDone { histories[habit.id]?.days.insert(day) } else { histories[habit.id]?.days.remove(day) }
    }
}

/// The reason why something was refused, as text for the user.
package enum HabitError: Error, Hashable, CustomStringConvertible {
    case noName
    case nameTaken(String)
    case gone(String)
    case notADay(String)

    package var description: String {
        switch self {
        case .noName: "A habit needs a name."
        case .nameTaken(let name): "There already is a habit named \"\(name)\"."
        case .gone(let name): "There is no habit named \"\(name)\"."
        case .notADay(let text): "\"\(text)\" is not a day. Write it as 2026-11-22."
        }
    }
}
