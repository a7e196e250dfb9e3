import Foundation
import QueryKit
import TestSupport
import Testing

/// Lives of random requests that fetch each other, with random sources, observers, callers, sessions and clients.
///
/// A life uses real tasks, so its seed decides which steps are taken but not in which order threads run them. With `QUERYKIT_SEED` one life
/// is repeated a thousand times.
struct GraphModelTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds = environment["QUERYKIT_LONG"] == nil ? 80 : 10_000

    @Test func `R18 every observed value is that of a fresh fetch, or is stale and being refetched`() async {
        let chosen = Self.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        for seed in chosen.map({ Array(repeating: $0, count: 1_000) }) ?? Array(0..<Self.seeds) {
            let life = GraphLife(seed: seed)
            guard let fault = await life.run(steps: 60) else { continue }
            Issue.record("QUERYKIT_SEED=\(seed): \(fault)\n\(life.log.joined(separator: "\n"))")
            if chosen != nil { return }
        }
    }
}
