import Foundation
import TestSupport
import Testing

/// Runs random calls in two processes that share a journal, and compares them with a base plus ordered layers and with a server that counts
/// each idempotency key.
///
/// A life uses real tasks, so its seed decides which steps are taken but not in which order threads run them. With `QUERYKIT_SEED` one life
/// is repeated a thousand times.
struct CallModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["QUERYKIT_LONG"] == nil ? 40 : 10_000

    @Test func `R22 R24 each call takes effect once and in order, and lists show the server's items and calls under way`() async {
        let chosen = Self.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        for seed in chosen.map({ Array(repeating: $0, count: 1_000) }) ?? Array(0..<Self.seeds) {
            let life = CallLife(seed: seed)
            guard let fault = await life.run(steps: 60) else { continue }
            Issue.record("QUERYKIT_SEED=\(seed): \(fault)\n\(life.log.joined(separator: "\n"))")
            return
        }
    }
}
