import FoodDiaryKit
import Foundation
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct MarkupTests {
    @Test func `interpolated text is escaped, and literals and nested markup are not`() {
        let name = "<b>\"Tom's\" & \u{0}\u{202E}co</b>"
        let piece: Markup = "<p title=\"\(name)\">\(1)</p>"
        #expect(piece.text == "<p title=\"&lt;b&gt;&quot;Tom&#39;s&quot; &amp;   co&lt;/b&gt;\">1</p>")
        #expect(("<i>\(piece)</i>" as Markup).text == "<i>\(piece.text)</i>")
    }

    @Test func `numbers are rounded to one decimal`() {
        #expect(("\(1.0) \(2.26) \(-0.04) \(-3.55) \(Double.nan)" as Markup).text == "1 2.3 0 -3.6 0")
    }
}

@Suite(.timeLimit(.minutes(5))) struct ReportPageTests {
    private static let last = FoodDay(number: 20_778)

    private static func report(days count: Int, name: String = "Rye bread") -> DiaryReport {
        let days = last.advanced(by: 1 - count)...last
        let totals = days.filter { $0.number % 7 != 0 }.map { day in
            DailyTotal(
                day: day,
                entryCount: 4,
                nutrients: Nutrients(kilocalories: 1500 + Double(day.number % 50) * 20, protein: 80),
                averageConfidence: 0.9
            )
        }
        let summary = NutritionalSummary(
            days: days,
            loggedDays: totals.count,
            entryCount: totals.count * 4,
            nutrients: totals.reduce(.zero) { $0 + $1.nutrients },
            averageConfidence: 0.9
        )
        let most = [IngredientConsumption(id: .init(rawValue: 1), name: name, entryCount: 12, grams: 900, kilocalories: 2000)]
        return DiaryReport(days: days, today: last, totals: totals, summary: summary, hours: Array(0..<24), most: most)
    }

    @Test(arguments: [1, 2, 30, 31, 60, 365, 800]) func `a page is well-formed for any number of days`(count: Int) throws {
        let html = ReportPage(Self.report(days: count)).html
        var depth: [Substring] = []
        for tag in html.matches(of: /<(\/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*?)(\/?)>/) {
            let name = tag.output.2
            if ["meta"].contains(name) || tag.output.4 == "/" { continue }
            if tag.output.1 == "/" {
                #expect(depth.popLast() == name)
            } else {
                depth.append(name)
            }
        }
        #expect(depth.isEmpty)
        #expect(!html.contains("nan") && !html.contains("inf"))
    }

    @Test func `a page contains no script and loads no other resource`() {
        let html = ReportPage(Self.report(days: 365)).html
        for word in ["<script", "http://", "https://", "src=", "url(", "@import", "<link", "onload"] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(html.contains("Content-Security-Policy"))
    }

    @Test func `a name that contains HTML is escaped`() {
        let html = ReportPage(Self.report(days: 30, name: "</style><script>alert(1)</script>")).html
        #expect(!html.contains("<script"))
        #expect(html.contains("&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;"))
    }

    @Test func `each chart has a label and a table of its numbers`() {
        let html = ReportPage(Self.report(days: 365)).html
        for picture in html.matches(of: /<svg[^>]*>/) {
            #expect(picture.output.contains("role=\"img\"") && picture.output.contains("aria-label="))
        }
        #expect(html.matches(of: /<details>/).count == 3)
        #expect(html.contains("prefers-color-scheme: dark") && html.contains("@media print"))
    }

    @Test func `a report without entries says that nothing was logged`() {
        let days = Self.last...Self.last
        let summary = NutritionalSummary(days: days, loggedDays: 0, entryCount: 0, nutrients: .zero, averageConfidence: nil)
        let html = ReportPage(DiaryReport(days: days, today: Self.last, totals: [], summary: summary, hours: [], most: [])).html
        #expect(html.contains("Nothing was logged") && !html.contains("<svg"))
    }

    @Test func `the calendar begins with the month of the first entry`() {
        let whole = Self.report(days: 365)
        let totals = whole.totals.filter { $0.day >= Self.last.advanced(by: -30) }
        let late = DiaryReport(
            days: whole.days,
            today: whole.today,
            totals: totals,
            summary: whole.summary,
            hours: whole.hours,
            most: whole.most
        )
        let months = { (report: DiaryReport) in ReportPage(report).html.components(separatedBy: "<figure>").count - 1 }
        #expect(months(whole) == 13 && months(late) == 2)
    }

    @Test func `a report groups days by week or by month if there are many`() {
        #expect(
            [1, 31, 32, 400, 401, 3_650].map { ReportSpan.noun(of: Self.report(days: $0)) } == [
                "day", "day", "week", "week", "month", "month",
            ]
        )
        let spans = ReportSpan.spans(of: Self.report(days: 365))
        #expect(spans.count == 53 && spans.allSatisfy { $0.days.count <= 7 && (1...7).contains($0.loggedDays) })
    }
}
