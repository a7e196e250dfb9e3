import Testing

@testable import QueryKit

struct AlertRuleTests {
    @Test func `R27 an alert is raised above its threshold and cleared at four fifths of it`() {
        var rule = AlertRule(.failureRate, above: 0.1)
        let story: [(measured: Double, changes: Bool, isRaised: Bool)] = [
            (0.05, false, false), (0.1, false, false), (0.11, true, true), (0.5, false, true), (0.1, false, true), (0.081, false, true),
            (0.08, true, false), (0.1, false, false), (0.2, true, true), (0, true, false),
        ]
        for step in story {
            let changes = rule.judge(step.measured)
            #expect(changes == step.changes)
            #expect(rule.isRaised == step.isRaised)
            #expect(rule.measured == step.measured)
        }
    }

    @Test func `R27 no alert is raised with too few samples`() {
        var rule = AlertRule(.failureRate, above: 0.1, neededSamples: 20)
        let judgements = [rule.judge(1, samples: 19), rule.judge(1, samples: 20)]
        #expect(judgements == [false, true])
    }

    @Test func `R27 a rule without a threshold is turned off`() {
        var rule = AlertRule(.missRate, above: nil)
        let changes = rule.judge(.infinity)
        #expect(!changes)
        #expect(!rule.isRaised)
    }

    @Test func `R27 a window drops samples older than twice its span`() {
        var window = RateWindow(span: 10)
        #expect(window.rate == 0)
        for _ in 0..<100 { window.note(isBad: true) }
        #expect(window.rate == 1)
        for _ in 0..<10 { window.note(isBad: false) }
        #expect(window.rate == 0.5)
        for _ in 0..<10 { window.note(isBad: false) }
        #expect(window.rate == 0)
        #expect(window.count == 20)
    }

    @Test func `R27 a window of durations also drops old samples`() {
        var window = LatencyWindow(span: 10)
        #expect(window.quantile(0.5) == nil)
        for _ in 0..<10 { window.note(nanoseconds: 1_000_000) }
        for _ in 0..<10 { window.note(nanoseconds: 10) }
        #expect(window.quantile(1) == .milliseconds(1))
        window.note(nanoseconds: 10)
        #expect(window.quantile(1) == .nanoseconds(10))
        #expect(window.count == 11)
    }

    @Test func `R27 the target of the longest matching prefix applies`() {
        var thresholds = AlertThresholds(p95Target: .seconds(1))
        thresholds.p95Targets = ["food": .seconds(2), "food/entries": .seconds(3)]
        #expect(thresholds.target(for: "weight") == .seconds(1))
        #expect(thresholds.target(for: "food") == .seconds(2))
        #expect(thresholds.target(for: "food/totals") == .seconds(2))
        #expect(thresholds.target(for: "food/entries/today") == .seconds(3))
    }
}
