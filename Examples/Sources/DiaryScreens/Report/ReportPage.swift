import FoodDiaryKit
import QueryKitSQLite
import Terminal

/// A report as one self-contained page: no script, font, image or network. It follows the light or dark mode of the reader's system, and
/// prints in light mode.
package struct ReportPage: Sendable {
    private let report: DiaryReport

    package init(_ report: DiaryReport) { self.report = report }

    package var html: String { page.text + "\n" }

    private var page: Markup {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Food diary, \(DayName.range(report.days))</title>
        <style>
        \(ReportStyle.sheet)
        </style>
        </head>
        <body>
        <header>
        <p class="kicker">Food diary</p>
        <h1>\(DayName.range(report.days))</h1>
        </header>
        <main>
        \(report.totals.isEmpty ? nothing : content)
        </main>
        <footer>Made on \(DayName.long(report.today)). Averages are over days on which something was logged.</footer>
        </body>
        </html>
        """
    }

    private var nothing: Markup { "<section><h2>Nothing was logged</h2><p>There are no entries on these days.</p></section>" }

    private var content: Markup {
        """
        \(tiles)
        \(EnergyChart(report: report).section)
        \(MacroChart(report: report).section)
        \(YearCalendar(report: report).section)
        \(HourChart(hours: report.hours).section)
        \(most)
        """
    }

    private var tiles: Markup {
        let average = report.summary.averagePerDay ?? .zero
        let macros = average.macronutrients
        let days = report.days.count
        let facts: [(String, String, String)] = [
            ("Energy a day", Number.whole(average.kilocalories), "kcal on average"),
            (
                "Days logged", Number.whole(report.summary.loggedDays),
                "of \(Number.whole(days)), \(Number.percent(Double(report.summary.loggedDays) / Double(days)))"
            ),
            (
                "Entries", Number.whole(report.summary.entryCount),
                report.summary.averageConfidence.map { "\(Number.percent($0)) sure on average" } ?? ""
            ),
            (
                "Fiber a day", FoodNumber.grams(average.fiber),
                "sugar \(FoodNumber.grams(average.sugar)), salt \(FoodNumber.grams(average.salt))"
            ),
        ]
        let tiles = facts.map { fact -> Markup in "<li><span>\(fact.0)</span><b>\(fact.1)</b><small>\(fact.2)</small></li>" }
        let total = max(macros.protein + macros.carbohydrates + macros.fat, .leastNonzeroMagnitude)
        let parts = [("protein", "Protein", macros.protein), ("carbs", "Carbs", macros.carbohydrates), ("fat", "Fat", macros.fat)]
        let shares = parts.map { part -> Markup in "<i class=\"\(part.0)\" style=\"flex-grow:\(max(part.2 / total * 100, 0))\"></i>" }
        let legend = parts.map { part -> Markup in
            "<span><i class=\"box \(part.0)\"></i>\(part.1) <b>\(FoodNumber.grams(part.2))</b></span>"
        }
        return """
            <section aria-label="Summary">
            <ul class="tiles">
            \(tiles)
            </ul>
            <div class="shares" aria-hidden="true">\(Markup(shares, separator: ""))</div>
            <p class="legend"><span>On average a day:</span>\(legend)</p>
            </section>
            """
    }

    private var most: Markup {
        guard !report.most.isEmpty else { return "" }
        let highest = Double(report.most.map(\.entryCount).max() ?? 1)
        let rows = report.most.map { food -> Markup in
            """
            <li><span class="food">\(food.name)</span><span class="track"><i style="width:\(Double(food.entryCount) / highest * 100)%"></i></span><span class="amount">\(Number.whole(food.entryCount)) × · \(FoodNumber.grams(food.grams)) · \(FoodNumber.kilocalories(food.kilocalories))</span></li>
            """
        }
        return """
            <section aria-labelledby="most">
            <h2 id="most">Eaten most</h2>
            <ol class="most">
            \(rows)
            </ol>
            </section>
            """
    }
}
