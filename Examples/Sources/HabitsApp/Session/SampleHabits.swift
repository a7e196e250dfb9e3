/// Thirty habits with a week of marks, the same on every machine.
package enum SampleHabits {
    package static let names = [
        "Make the bed", "Drink water", "Stretch", "Meditate", "Eat breakfast", "Take vitamins", "Walk", "Learn Spanish", "Read", "Write",
        "Play the piano", "Tidy the desk", "Empty the inbox", "Eat fruit", "Eat vegetables", "Cook", "No sugar", "Run", "Swim",
        "Lift weights",
        "Practise drawing", "Water the plants", "Call a friend", "Plan tomorrow", "Track expenses", "Wash up", "Floss",
        "Screen off at nine",
        "Keep a diary", "Sleep eight hours",
    ]

    /// Adds the habits to an empty database, with marks on the days before the last one.
    package static func add(to repository: any HabitRepository, in week: Week) async throws {
        for name in names { try await repository.add(name) }
        for (index, habit) in try await repository.habits().enumerated() {
            for (age, day) in week.days.reversed().enumerated().dropFirst() where (index * 3 + age * (index % 4 + 1)) % 5 < 3 {
                try await repository.save(Mark(habit, on: day, isDone: true))
            }
        }
    }
}
