package import FoodDiaryKit
package import Terminal

/// The number of entries, their hours, and their average confidence.
package struct StatsScreen: Hashable, Sendable, TextScreen {
    package let days: ClosedRange<FoodDay>
    package let entryCount: Int
    package let averageConfidence: Double?
    package let hours: [Int]

    package init(days: ClosedRange<FoodDay>, entryCount: Int, averageConfidence: Double?, hours: [Int]) {
        self.days = days
        self.entryCount = entryCount
        self.averageConfidence = averageConfidence
        self.hours = hours
    }

    package func lines(width: Int) -> [Line] {
        let width = min(width, 100)
        var lines = heading("Entries, \(DayName.range(days))", FoodNumber.entries(entryCount), width: width)
        guard entryCount > 0 else { return lines }
        let perDay = Number.short(Double(entryCount) / Double(days.count))
        lines.append(Line("\(perDay) a day" + (averageConfidence.map { " · \(Number.percent($0)) sure on average" } ?? ""), .faint))
        let labels = Dictionary(uniqueKeysWithValues: stride(from: 0, to: 24, by: 6).map { ($0, "\($0):00") })
        lines += ["", Line("By the hour of the day", .title)]
        return lines + ColumnChart(values: hours.map { Double($0) }, labels: labels).lines(width: width, height: 10)
    }
}
