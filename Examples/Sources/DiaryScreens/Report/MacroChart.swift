import FoodDiaryKit
import Terminal

/// Protein, carbohydrates and fat as stacked bars, for the average day of each span.
struct MacroChart {
    let report: DiaryReport

    private static let parts: [(name: String, style: String)] = [("Protein", "protein"), ("Carbs", "carbs"), ("Fat", "fat")]

    private static func amounts(_ nutrients: Nutrients) -> [Double] { [nutrients.protein, nutrients.carbohydrates, nutrients.fat] }

    var section: Markup {
        let noun = ReportSpan.noun(of: report)
        let title = noun == "day" ? "Grams by day" : "Grams of an average day, by \(noun)"
        let legend = Self.parts.map { part -> Markup in "<span><i class=\"box \(part.style)\"></i>\(part.name)</span>" }
        return """
            <section aria-labelledby="macros">
            <h2 id="macros">Macronutrients</h2>
            <p class="legend"><span>\(title)</span>\(legend)</p>
            \(Plot.both("\(title): protein, carbohydrates and fat. The numbers are in the table below.", draw))
            \(table)
            </section>
            """
    }

    private func draw(_ plot: Plot) -> Markup {
        let spans = ReportSpan.spans(of: report)
        let scale = Scale(of: spans.map { Self.amounts($0.average).reduce(0, +) }, intervals: plot.isWide ? 5 : 4, startsAtZero: true)
        let pitch = plot.innerWidth / Double(max(spans.count, 1))
        let thickness = min(pitch * 0.74, 34)
        let centers = spans.indices.map { plot.left + pitch * (Double($0) + 0.5) }
        let bars = zip(spans, centers).map { span, center in bar(span, x: center - thickness / 2, thickness, plot, scale) }
        return """
            \(plot.grid(scale))
            \(bars)
            \(plot.captions(spans.map { captionName($0) }, centers: centers))
            """
    }

    private func captionName(_ span: ReportSpan) -> String {
        ReportSpan.noun(of: report) == "month" ? DayName.shortMonth(span.days.lowerBound.month) : DayName.short(span.days.lowerBound)
    }

    private func bar(_ span: ReportSpan, x: Double, _ thickness: Double, _ plot: Plot, _ scale: Scale) -> Markup {
        var low = 0.0
        var rects: [Markup] = []
        for (part, amount) in zip(Self.parts, Self.amounts(span.average)) {
            let (y, end) = (plot.y(scale.position(of: low + amount)), plot.y(scale.position(of: low)))
            rects.append("<rect class=\"\(part.style)\" x=\"\(x)\" y=\"\(y)\" width=\"\(thickness)\" height=\"\(max(0, end - y))\"/>")
            low += amount
        }
        let amounts = zip(Self.parts, Self.amounts(span.average)).map { "\($0.name.lowercased()) \(FoodNumber.grams($1))" }
        return "<g>\(Markup(rects, separator: ""))<title>\(span.name): \(amounts.joined(separator: ", "))</title></g>"
    }

    private var table: Markup {
        let rows = ReportSpan.spans(of: report).reversed().map { span -> Markup in
            let cells = Self.amounts(span.average).map { amount -> Markup in "<td>\(FoodNumber.grams(amount))</td>" }
            return """
                <tr><th scope="row">\(span.name)</th>\(Markup(cells, separator: ""))<td>\(Number.whole(span.average.kilocalories))</td><td>\(span.loggedDays)</td></tr>
                """
        }
        let noun = ReportSpan.noun(of: report)
        return """
            <details><summary>Each \(noun) as a table</summary><div class="scroll"><table>
            <thead><tr><th scope="col">\(noun.prefix(1).uppercased() + noun.dropFirst())</th><th scope="col">Protein</th><th scope="col">Carbs</th><th scope="col">Fat</th><th scope="col">kcal</th><th scope="col">Days logged</th></tr></thead>
            <tbody>
            \(Array(rows))
            </tbody></table></div></details>
            """
    }
}
