import HabitsApp
import Testing

/// Days, streaks and statistics.
struct HistoryTests {
    private let week = Session.week

    @Test(arguments: [
        ([], 0), ([0], 1), ([1], 1), ([0, 1], 2), ([1, 2, 3], 3), ([2, 3], 0), ([0, 2, 3], 1), ([0, 1, 2, 3, 4, 5, 6], 7),
    ])
    func `a streak ends today or yesterday`(daysAgo: [Int], streak: Int) {
        let history = History(daysAgo.map { week.lastDay.advanced(by: -$0) })
        #expect(history.streak(upTo: week.lastDay) == streak)
    }

    @Test func `the statistics count the marks of the week, and name the first of the best days`() {
        let (first, last) = (week.days.lowerBound, week.lastDay)
        let statistics = Statistics(of: [History([first, last]), History([first, last, last.advanced(by: 1)])], in: week)
        #expect(statistics.doneCount == 4)
        #expect(statistics.possibleCount == 14)
        #expect(statistics.bestDay == first)
        #expect(Statistics(of: [History()], in: week).bestDay == nil)
    }

    @Test(arguments: ["1969-12-31", "1970-01-01", "2024-02-29", "2026-11-22"])
    func `a day is printed as it was written`(text: String) { #expect(Day(text)?.description == text) }

    @Test(arguments: ["2026-02-30", "22.11.2026", "today", ""])
    func `other text is not a day`(text: String) { #expect(Day(text) == nil) }
}
