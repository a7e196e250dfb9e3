import FoodDiaryKit
import Terminal

/// Energy by day: a dot per day, the seven-day average as a line, and the average of all days as a dashed line.
struct EnergyChart {
    let report: DiaryReport

    /// With fewer of the seven days an average means little.
    private static let leastDays = 3

    private var average: Double? { report.summary.averagePerDay?.kilocalories }

    var section: Markup {
        """
        <section aria-labelledby="energy">
        <h2 id="energy">Energy</h2>
        <p class="legend"><span><i class="dot"></i>a day</span><span><i class="stroke"></i>seven-day average</span><span><i class="dash"></i>average of all days, \(average.map { FoodNumber.kilocalories($0) } ?? "–")</span></p>
        \(Plot.both("Energy by day, in kilocalories. The numbers are in the table below.", draw))
        \(table)
        </section>
        """
    }

    private func draw(_ plot: Plot) -> Markup {
        let scale = Scale(of: report.totals.map(\.nutrients.kilocalories), intervals: plot.isWide ? 5 : 4, startsAtZero: false)
        let dots = report.totals.map { total -> Markup in
            let energy = total.nutrients.kilocalories
            return """
                <circle class="day" cx="\(x(total.day, plot))" cy="\(plot.y(scale.position(of: energy)))" r="\(plot.isWide ? 2.2 : 1.8)"><title>\(DayName.long(total.day)): \(FoodNumber.kilocalories(energy))</title></circle>
                """
        }
        return """
            \(plot.grid(scale))
            \(dots)
            \(averageLine(plot, scale))
            \(strokes(plot, scale))
            \(captions(plot))
            """
    }

    private func averageLine(_ plot: Plot, _ scale: Scale) -> Markup {
        guard let average else { return "" }
        let y = plot.y(scale.position(of: average))
        return "<line class=\"average\" x1=\"\(plot.left)\" x2=\"\(plot.width - plot.right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
    }

    /// The moving average as a line, with gaps where too few days of the week have entries.
    private func strokes(_ plot: Plot, _ scale: Scale) -> Markup {
        let energy = Dictionary(report.totals.map { ($0.day, $0.nutrients.kilocalories) }) { first, _ in first }
        var runs: [[Markup]] = [[]]
        for day in report.days {
            let around = (-3...3).compactMap { energy[day.advanced(by: $0)] }
            guard around.count >= Self.leastDays else {
                if runs.last?.isEmpty == false { runs.append([]) }
                continue
            }
            let value = around.reduce(0, +) / Double(around.count)
            runs[runs.count - 1].append("\(x(day, plot)),\(plot.y(scale.position(of: value)))")
        }
        return Markup(runs.filter { $0.count > 1 }.map { "<polyline class=\"trend\" points=\"\(Markup($0, separator: " "))\"/>" })
    }

    private func x(_ day: FoodDay, _ plot: Plot) -> Double {
        let length = report.days.lowerBound.distance(to: report.days.upperBound)
        return plot.x(length == 0 ? 0.5 : Double(report.days.lowerBound.distance(to: day)) / Double(length))
    }

    /// Names of months if there are several, otherwise days.
    private func captions(_ plot: Plot) -> Markup {
        let isLong = report.days.count > 62
        let marked = isLong ? report.days.filter { $0.dayOfMonth == 1 } : Array(report.days)
        let names = marked.map { isLong ? DayName.shortMonth($0.month) + ($0.month == 1 ? " \($0.year)" : "") : DayName.short($0) }
        return plot.captions(names, centers: marked.map { x($0, plot) })
    }

    private var table: Markup {
        let rows = report.totals.reversed().map { total -> Markup in
            let nutrients = total.nutrients
            return """
                <tr><th scope="row">\(total.day.description)</th><td>\(Number.whole(nutrients.kilocalories))</td><td>\(FoodNumber.grams(nutrients.protein))</td><td>\(FoodNumber.grams(nutrients.carbohydrates))</td><td>\(FoodNumber.grams(nutrients.fat))</td><td>\(total.entryCount)</td></tr>
                """
        }
        return """
            <details><summary>Each day as a table</summary><div class="scroll"><table>
            <thead><tr><th scope="col">Day</th><th scope="col">kcal</th><th scope="col">Protein</th><th scope="col">Carbs</th><th scope="col">Fat</th><th scope="col">Entries</th></tr></thead>
            <tbody>
            \(Array(rows))
            </tbody></table></div></details>
            """
    }
}
