package import QueryKit

/// The requests of one row.
extension Habit {
    package func isDone(on day: Day, in week: Week) -> InlineQuery<Bool> {
        InlineQuery(rowPath.appending("done"), week, day) { try await $0.habits.history(of: id, in: week).isDone(on: day) }
    }

    package func streak(in week: Week) -> InlineQuery<Int> {
        InlineQuery(rowPath.appending("streak"), week) { try await $0.habits.history(of: id, in: week).streak(upTo: week.lastDay) }
    }

    /// The path of all requests of the row.
    package var rowPath: QueryPath { ["habits", "row", id] }
}
