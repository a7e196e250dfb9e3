/// What the overview shows: the list, the state on one day, the streaks, and the statistics of the week.
package struct Overview: Hashable, Sendable {
    package struct Row: Hashable, Identifiable, Sendable {
        package let habit: Habit
        package let isDone: Bool
        package let streak: Int

        package var id: Habit.ID { habit.id }
    }

    package let day: Day
    package let rows: [Row]
    package let statistics: Statistics

    package init(day: Day, rows: [Row], statistics: Statistics) {
        (self.day, self.rows, self.statistics) = (day, rows, statistics)
    }

    /// Puts together what was read by four separate use cases.
    package init(day: Day, habits: [Habit], done: Set<Habit.ID>, streaks: [Habit.ID: Int], statistics: Statistics) {
        let rows = habits.map { Row(habit: $0, isDone: done.contains($0.id), streak: streaks[$0.id] ?? 0) }
        self.init(day: day, rows: rows, statistics: statistics)
    }

    /// Computes everything from the histories of a week.
    package init(day: Day, habits: [Habit], histories: [Habit.ID: History], week: Week) {
        let rows = habits.map { habit in
            let history = histories[habit.id] ?? History()
            return Row(habit: habit, isDone: history.isDone(on: day), streak: history.streak(upTo: week.lastDay))
        }
        self.init(day: day, rows: rows, statistics: Statistics(of: histories.values, in: week))
    }

    /// The mark that a tap on a habit makes.
    package func toggled(_ habit: Habit) -> Mark {
        Mark(habit, on: day, isDone: !rows.contains { $0.id == habit.id && $0.isDone })
    }
}
