import FoodDiaryKit
import Terminal

/// Each month as a small calendar; a darker day had more energy. Months wrap, so they fit a page of any width.
struct YearCalendar {
    let report: DiaryReport

    private static let cell = 14.0
    private static let gap = 2.0

    var section: Markup {
        let energy = Dictionary(report.totals.map { ($0.day, $0.nutrients.kilocalories) }) { first, _ in first }
        let heat = Heat(of: energy.values.map { $0 })
        // Months before the first entry would only take up space.
        let first = energy.keys.min() ?? report.days.lowerBound
        let months = Set((max(first, report.days.lowerBound)...report.days.upperBound).map { FoodMonth($0) }).sorted()
        return """
            <section aria-labelledby="calendar">
            <h2 id="calendar">Calendar</h2>
            \(legend(heat))
            <div class="months">
            \(months.map { month($0, energy, heat) })
            </div>
            </section>
            """
    }

    private func legend(_ heat: Heat) -> Markup {
        let steps = (0..<Heat.levels).map { level -> Markup in "<i class=\"box h\(level)\"></i>" }
        return """
            <p class="legend"><span>≤ \(FoodNumber.kilocalories(heat.low))</span><span class="steps">\(Markup(steps, separator: ""))</span><span>≥ \(FoodNumber.kilocalories(heat.high))</span><span><i class="box none"></i>not logged</span><span>Beside each month: kcal of an average day</span></p>
            """
    }

    private func month(_ month: FoodMonth, _ energy: [FoodDay: Double], _ heat: Heat) -> Markup {
        let pitch = Self.cell + Self.gap
        let start = month.days.lowerBound.week(startingOn: report.weekStart).lowerBound
        let cells = month.days.map { day -> Markup in
            let place = start.distance(to: day)
            let (x, y) = (Double(place % 7) * pitch, Double(place / 7) * pitch)
            let value = energy[day]
            let isOutside = !report.days.contains(day)
            let style = value.map { "h\(heat.level(of: $0))" } ?? (isOutside ? "outside" : "none")
            let mark = day == report.today ? " today" : ""
            let said = value.map { FoodNumber.kilocalories($0) } ?? "not logged"
            return """
                <rect class="\(style)\(mark)" x="\(x + 1)" y="\(y + 1)" width="\(Self.cell)" height="\(Self.cell)" rx="2.5"><title>\(DayName.long(day)): \(said)</title></rect>
                """
        }
        let logged = month.days.compactMap { energy[$0] }
        let note = logged.isEmpty ? "–" : Number.whole(logged.reduce(0, +) / Double(logged.count))
        let rows = Double(start.distance(to: month.days.upperBound) / 7 + 1)
        return """
            <figure><figcaption><b>\(DayName.shortMonth(month.month)) \(month.year)</b><span>\(note)</span></figcaption>
            <svg viewBox="0 0 \(pitch * 7) \(rows * pitch)" role="img" aria-label="\(DayName.long(month)): \(note) kilocalories on an average day, \(logged.count) days logged">
            \(cells)
            </svg></figure>
            """
    }
}
