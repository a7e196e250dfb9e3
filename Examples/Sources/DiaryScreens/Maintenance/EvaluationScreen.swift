package import FoodDiarySamples
package import Terminal

/// How well and how fast the search finds misspelled names.
package struct EvaluationScreen: Sendable, TextScreen, JSONScreen {
    private let outcome: SearchEvaluation

    package init(_ outcome: SearchEvaluation) { self.outcome = outcome }

    private var scores: [(name: String, score: SearchEvaluation.Score)] {
        [("as it is", outcome.exact), ("one error", outcome.oneError), ("two errors", outcome.twoErrors)]
    }

    package func lines(width: Int) -> [Line] {
        let rows: [[Line]] = scores.map { name, score in
            [
                Line(name, .name), Line(Number.whole(score.count)), Line(Number.percent(score.recall, digits: 1), .strong),
                Line(Number.percent(score.precision, digits: 1)),
            ]
        }
        let table = Table([.init("Typed"), .init("Names", .right), .init("Found", .right), .init("First", .right)], rows: rows)
        let latency = outcome.latency
        let times = "p50 \(Number.duration(latency.p50)), p95 \(Number.duration(latency.p95)), p99 \(Number.duration(latency.p99))"
        let noise = "\(Number.whole(outcome.noiseFound)) of \(Number.whole(outcome.noiseCount)) meaningless words found something."
        return table.lines(width: width)
            + ["", Line("Found means among the first 20. \(noise)", .faint), Line(times)]
            .flatMap { Line.wrapped($0.text, to: width) }
    }

    private struct Answer: Encodable {
        struct Score: Encodable {
            let typed: String
            let count: Int
            let recallAt20: Double
            let top1: Double
        }

        let scores: [Score]
        let noiseCount: Int
        let noiseFound: Int
        let p50Milliseconds: Double
        let p95Milliseconds: Double
        let p99Milliseconds: Double
    }

    package func json() throws -> String {
        let milliseconds = { (duration: Duration) in duration / .milliseconds(1) }
        let answer = Answer(
            scores: scores.map { .init(typed: $0.name, count: $0.score.count, recallAt20: $0.score.recall, top1: $0.score.precision) },
            noiseCount: outcome.noiseCount,
            noiseFound: outcome.noiseFound,
            p50Milliseconds: milliseconds(outcome.latency.p50),
            p95Milliseconds: milliseconds(outcome.latency.p95),
            p99Milliseconds: milliseconds(outcome.latency.p99)
        )
        return try DiaryJSON.text(answer)
    }
}
