import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct ScaleTests {
    @Test(arguments: [
        ([1234, 2876], 5, false, [1000, 1500, 2000, 2500, 3000]), ([0, 330], 4, true, [0, 100, 200, 300, 400]),
        ([5], 4, true, [0, 2, 4, 6]), ([], 4, true, [0, 0.5]),
        ([2000, 2000], 4, false, [1500, 2000]), ([0, 0], 3, true, [0, 0.5]),
    ])
    func `the ticks of an axis are round, and enclose all values`(values: [Double], intervals: Int, startsAtZero: Bool, ticks: [Double]) {
        #expect(Scale(of: values, intervals: intervals, startsAtZero: startsAtZero).ticks == ticks)
    }

    @Test func `any values, even infinite ones, have an axis with a limited number of ticks`() {
        for values in [[1e300, -1e300], [.nan, 3], [.infinity], [1e-12, 2e-12], [-5, -1]] {
            let scale = Scale(of: values, intervals: 4, startsAtZero: false)
            #expect((2...100).contains(scale.ticks.count))
            #expect((0...1).contains(scale.position(of: values[0].isNaN ? 3 : values[0])))
        }
    }

    @Test func `heat has five levels from the lowest to the highest value, without outliers`() {
        let heat = Heat(of: [100, 600])
        #expect([100, 199, 200, 350, 599, 600].map(heat.level) == [0, 0, 1, 2, 4, 4])
        #expect(Heat(of: [7]).level(of: 7) == 2)
        #expect(Heat(of: []).level(of: 7) == 2)
        let many = Heat(of: (1...39).map { Double($0) } + [1_000])
        #expect(many.low == 3 && many.high == 38)
        #expect([1, 1_000].map(many.level) == [0, 4])
    }
}

@Suite(.timeLimit(.minutes(5))) struct TerminalChartTests {
    @Test func `a trend chart shows an axis, a line and the average`() {
        let chart = TrendChart(values: [100, 200, nil, 300, 400], labels: ["a", "b", "c", "d", "e"], average: 250)
        #expect(
            chart.lines(width: 24, height: 6).map(\.text) == [
                "400 ┤              ⢀⡠⠤⠒⠉",
                "    │╌ ╌ ╌ ╌ ╌ ╌ ╌⠈⠁ ╌ ╌",
                "200 ┤⣀⠤⠔⠒⠉",
                "  0 ┤",
                "    └───────────────────",
                "     a        c        e",
            ]
        )
    }

    @Test(arguments: 40...200) func `no chart is wider than the terminal, at any width`(width: Int) {
        let values = (0..<365).map { index -> Double? in index % 17 == 0 ? nil : Double((index * 7919) % 3000) }
        let labels = (0..<365).map { "\($0 % 28 + 1) Nov" }
        let charts = [
            TrendChart(values: values, labels: labels, average: 1500).lines(width: width, height: 12),
            TrendChart(values: [], labels: []).lines(width: width, height: 5),
            TrendChart(values: [3], labels: ["a"]).lines(width: width, height: 5),
            ColumnChart(values: (0..<24).map { Double($0 * $0) }, labels: [0: "0:00", 12: "12:00"]).lines(width: width, height: 8),
            BarList([.init("味噌汁 and a name that goes on and on", 3, text: "3 × · 1.2 kg"), .init("b", 0, text: "0 ×")]).lines(width: width),
            MonthGrid((1...31).map { .init($0, value: Double($0 * 100)) }, leadingBlanks: 6, weekdays: Array(repeating: "Mo", count: 7))
                .lines(width: width),
            [StackedBar([.init("a", 1, text: "1 g"), .init("b", 2, text: "2 g")]).bar(width: width)],
        ]
        for line in charts.joined() { #expect(line.width <= width) }
    }

    @Test func `the axis of a single point starts at zero`() {
        let lines = TrendChart(values: [nil, 4_200, nil], labels: ["a", "b", "c"]).lines(width: 24, height: 6).map(\.text)
        #expect(lines.contains { $0.hasPrefix("    0 ┤") } && !lines.contains { $0.hasPrefix("4,000 ┤") && $0 == lines[3] })
    }

    @Test func `a column chart is drawn with its axis and labels`() {
        let chart = ColumnChart(values: [0, 1, 4, 2], labels: [0: "a", 2: "c"])
        #expect(
            chart.lines(width: 14, height: 6).map(\.text) == [
                "4 ┤    █", "  │    █", "  │    █ █", "  │  █ █ █", "0 └────────", "   a   c",
            ]
        )
    }

    @Test func `bars are scaled to the longest, and a small value is still visible`() {
        let bars = BarList([
            .init("Bread", 100, text: "100"), .init("Tea", 50, text: "50"), .init("Salt", 0.01, text: "0"), .init("Air", 0, text: "0"),
        ])
        #expect(
            bars.lines(width: 24).map(\.text) == [
                "Bread  ████████████  100", "Tea    ██████         50", "Salt   ▏               0", "Air                    0",
            ]
        )
    }

    @Test func `a month shows its weeks, the heat of its days and the average of each week`() {
        let days = (1...4).map { MonthGrid.Day($0, value: $0 == 2 ? nil : Double($0) * 500, isMarked: $0 == 3) }
        let grid = MonthGrid(days, leadingBlanks: 5, weekdays: ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"])
        #expect(
            grid.lines(width: 40).map(\.text) == [
                "  Mo   Tu   We   Th   Fr   Sa   Su", "                           1·   2", "                          500",
                " ›3▓   4█", "1500 2000",
            ]
        )
        #expect(grid.lines(width: 60).map(\.text)[2].hasSuffix("500"))
        #expect(grid.lines(width: 60).first?.text.hasSuffix("Average") == true)
    }

    @Test func `the parts of a stacked bar fill its whole width`() {
        let bar = StackedBar([.init("Protein", 1, text: "1 g"), .init("Carbs", 1, text: "1 g"), .init("Fat", 1, text: "1 g")])
        #expect(bar.bar(width: 10).text == "████▓▓▓▒▒▒")
        #expect(bar.legend(width: 80).map(\.text) == ["█ Protein 1 g   ▓ Carbs 1 g   ▒ Fat 1 g"])
        #expect(bar.legend(width: 28).map(\.text) == ["█ Protein 1 g   ▓ Carbs 1 g", "▒ Fat 1 g"])
        #expect(StackedBar([.init("a", 0, text: "0")]).bar(width: 3).text == "···")
    }

    @Test func `a sparkline has a block for each value and a gap for each missing one`() {
        #expect(Sparkline.text([0, 1, nil, 7]) == "▁▂ █")
        #expect(Sparkline.text([5, 5]) == "▄▄")
        #expect(Sparkline.condensed([1, 3, nil, nil, 5, 7], to: 3) == [2, nil, 6])
    }
}
