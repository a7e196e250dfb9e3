/// Stores habits and marks. Independent of requests. Reads one habit at a time, as screens of one habit need it.
package protocol HabitRepository: Sendable {
    /// All habits, in the order in which they were added.
    func habits() async throws -> [Habit]

    /// The days of a week on which a habit was done.
    func history(of habit: Habit.ID, in week: Week) async throws -> History

    /// Saves a mark. Saving it again has no further effect.
    func save(_ mark: Mark) async throws

    /// Adds a habit with a name that no other habit has.
    func add(_ name: String) async throws
}
