package import FoodDiaryKit

/// The contents of a report.
package struct DiaryReport: Hashable, Sendable {
    package let days: ClosedRange<FoodDay>
    package let today: FoodDay
    package let totals: [DailyTotal]
    package let summary: NutritionalSummary
    package let hours: [Int]
    package let most: [IngredientConsumption]
    package let weekStart: FoodWeekday

    package init(
        days: ClosedRange<FoodDay>,
        today: FoodDay,
        totals: [DailyTotal],
        summary: NutritionalSummary,
        hours: [Int],
        most: [IngredientConsumption],
        weekStart: FoodWeekday = .monday
    ) {
        self.days = days
        self.today = today
        // Charts are drawn from left to right.
        self.totals = totals.filter { days.contains($0.day) && $0.entryCount > 0 }.sorted { $0.day < $1.day }
        self.summary = summary
        self.hours = hours
        self.most = most
        self.weekStart = weekStart
    }
}

/// Several days of a report that are shown as one, with the average of a day.
struct ReportSpan: Hashable, Sendable {
    let days: ClosedRange<FoodDay>
    let loggedDays: Int
    let average: Nutrients

    /// Days, weeks or months, so that there are few enough to distinguish.
    static func spans(of report: DiaryReport) -> [ReportSpan] {
        let key: (FoodDay) -> ClosedRange<FoodDay> =
            switch report.days.count {
            case ...31: { $0...$0 }
            case ...400: { $0.week(startingOn: report.weekStart) }
            default: { FoodMonth($0).days }
            }
        var spans: [ClosedRange<FoodDay>: (count: Int, sum: Nutrients)] = [:]
        for total in report.totals {
            let span = spans[key(total.day)] ?? (0, .zero)
            spans[key(total.day)] = (span.count + 1, span.sum + total.nutrients)
        }
        return spans.map { days, span in
            ReportSpan(days: days.clamped(to: report.days), loggedDays: span.count, average: span.sum.scaled(by: 1 / Double(span.count)))
        }.sorted { $0.days.lowerBound < $1.days.lowerBound }
    }

    /// The name of such a span.
    static func noun(of report: DiaryReport) -> String {
        switch report.days.count {
        case ...31: "day"
        case ...400: "week"
        default: "month"
        }
    }

    /// `21 Nov`, `16 – 22 Nov`, `November 2026`.
    var name: String {
        let (first, last) = (days.lowerBound, days.upperBound)
        if first == last { return DayName.short(first) }
        if days.count > 7 { return DayName.long(FoodMonth(first)) }
        return first.month == last.month
            ? "\(first.dayOfMonth) – \(DayName.short(last))" : "\(DayName.short(first)) – \(DayName.short(last))"
    }
}
