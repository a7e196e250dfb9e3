/// The days of a week on which a habit was done.
package struct History: Hashable, Sendable {
    package var days: Set<Day>

    package init(_ days: some Sequence<Day> = []) { self.days = Set(days) }

    package func isDone(on day: Day) -> Bool { days.contains(day) }

    /// The number of days in a row that end with a day. A last day on which the habit isn't done yet doesn't end the streak.
    package func streak(upTo lastDay: Day) -> Int {
        var day = isDone(on: lastDay) ? lastDay : lastDay.advanced(by: -1)
        var count = 0
        while isDone(on: day) {
            count += 1
            day = day.advanced(by: -1)
        }
        return count
    }
}

/// How much of a week was done.
package struct Statistics: Hashable, Sendable {
    package let doneCount: Int
    package let possibleCount: Int
    /// The first of the days with the most habits; `nil` if no habit was done.
    package let bestDay: Day?

    package init(of histories: some Collection<History>, in week: Week) {
        let counts = week.days.map { day in (day, histories.count { $0.isDone(on: day) }) }
        doneCount = counts.reduce(0) { $0 + $1.1 }
        possibleCount = histories.count * counts.count
        let best = counts.map(\.1).max() ?? 0
        bestDay = best == 0 ? nil : counts.first { $0.1 == best }?.0
    }

    private init() { (doneCount, possibleCount, bestDay) = (0, 0, nil) }

    /// The statistics of no habits.
    package static let none = Statistics()
}
