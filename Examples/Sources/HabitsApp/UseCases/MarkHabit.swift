/// Saves what a tap on a habit means.
package struct MarkHabit: Sendable {
    let repository: any HabitRepository

    package func callAsFunction(_ mark: Mark) async throws { try await repository.save(mark) }
}
