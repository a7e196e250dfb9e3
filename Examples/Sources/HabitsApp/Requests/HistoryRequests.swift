import QueryKit

/// Requests that share what they read: the histories of all habits consist of the history of each habit.
extension History {
    /// Kept for a day, so that the next reader of all histories finds it.
    static func of(_ habit: Habit.ID, in week: Week) -> some QueryRequest<History, QueryState<History?, History>> {
        InlineQuery("habits/history", week, habit) { try await $0.habits.history(of: habit, in: week) }
            .freshUntilChanged()
            .keep(for: .seconds(86_400))
    }

    /// A commit concerns the histories of the habits that it has marked. Only these are read again.
    static func all(in week: Week) -> InlineQuery<[Habit.ID: History]> {
        InlineQuery("habits/histories", week) { context in
            guard let client = context.queryClient else { throw CancellationError() }
            var histories: [Habit.ID: History] = [:]
            for habit in try await client.fetch(Overview.habits.freshUntilChanged()) {
                histories[habit.id] = try await client.fetch(of(habit.id, in: week))
            }
            return histories
        }
    }
}

extension Mark {
    /// Saves a mark, and shows it at once. Marks are saved one after the other, in the order of the taps.
    static func save(in week: Week) -> InlineMutation<Mark, Void> {
        InlineMutation("habits/mark") { mark, context in
            try await MarkHabit(repository: context.habits)(mark)
        }
        .optimistic { mark, layers in layers.update(History.all(in: week)) { mark.apply(to: &$0) } }
        .scope("habits/mark")
    }
}
