import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// Random lives of a ledger: in any order of tasks, answers and deliveries, observed values are fresh at the end, each caller is
/// answered once, and nothing is left.
struct LedgerLifeTests {
    private static let lifeCount = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 2_000 : 200_000
    private static let length = 400

    private func problems(_ numbers: [Int]) -> [String] {
        let life = LedgerLife(numbers)
        life.live()
        return life.problems
    }

    /// What kind of problem comes first, without numbers.
    private func kind(_ problems: [String]) -> Substring? { problems.first?.prefix { !$0.isNumber } }

    /// The shortest life with the same kind of problem that can be found by leaving parts out.
    private func shortened(_ numbers: [Int], _ wanted: Substring?) -> [Int] {
        var numbers = numbers
        var size = numbers.count / 2
        while size > 0 {
            var start = 0
            while start < numbers.count {
                var fewer = numbers
                fewer.removeSubrange(start..<min(start + size, numbers.count))
                if kind(problems(fewer)) == wanted { numbers = fewer } else { start += size }
            }
            size /= 2
        }
        return numbers
    }

    @Test func `R29 R17 R18 R19 R22 in random lives of the ledger nothing is lost and nothing is left`() {
        for seed in 0..<Self.lifeCount {
            var dice = Dice(seed: seed)
            let numbers = (0..<Self.length).map { _ in dice.roll(1 << 20) }
            let found = problems(numbers)
            if found.isEmpty { continue }
            let short = shortened(numbers, kind(found))
            let life = LedgerLife(short, keepsLog: true)
            life.live()
            Issue.record("Seed \(seed): \(found), shortened \(life.problems) after these steps:\n\(life.log.joined(separator: "\n"))")
            return
        }
    }
}
