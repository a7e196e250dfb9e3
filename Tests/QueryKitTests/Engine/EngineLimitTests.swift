import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Limits with real tasks. Which run begins first is tested by ``LedgerLimitTests``.
struct EngineLimitTests {
    private func engine(_ limits: [(Int, QueryPattern)]) -> Engine {
        var setting = Ledger.Limits()
        setting.runs = limits.map { Ledger.Limits.Runs(pattern: $1, count: $0) }
        return Engine(clock: ManualClock(), limits: setting)
    }

    @Test(.timeLimit(.minutes(5)), arguments: 0..<5)
    func `two hundred random callers never exceed a limit, and none is left waiting`(_ seed: Int) async {
        let engine = engine([(3, "code/*"), (1, ["code", 0]), (2, .all)])
        let workers = Lock((now: 0, most: 0))
        let requests = (0..<40).map { id in
            Coded(engine, id, isDeduplicated: id % 5 != 0) { number in
                workers.withLock { workers in
                    workers.now += 1
                    workers.most = max(workers.most, workers.now)
                }
                defer { workers.withLock { $0.now -= 1 } }
                for _ in 0..<(id + number) % 5 { await Task.yield() }
                if (id + number) % 7 == 0 { throw TestError() }
                return number
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask(priority: [.low, .medium, .high][number % 3]) {
                    var dice = Dice(seed: seed * 1000 + number)
                    let request = requests[dice.roll(40)]
                    let task = Task { try await request.fetch() }
                    if dice.roll(6) == 0 { engine.enterNow { $0.invalidate(.pattern("code/*"), .manual, refetch: .all) } }
                    if dice.roll(20) == 0 { engine.enterNow { $0.cancel(request.entry) } }
                    _ = await task.result
                }
            }
        }
        await engine.settled()
        #expect(workers.withLock { $0.most } == 2)
        engine.enter { ledger in
            #expect(ledger.places.queued.isEmpty)
            #expect((0..<3).allSatisfy { ledger.places.line($0).taken == 0 })
        }
    }

    @Test(.timeLimit(.minutes(5))) func `runs that fetch each other's neighbours end under narrow limits`() async throws {
        let engine = engine([(1, .all)])
        let inner = (0..<24).map { id in Coded(engine, id) { _ in 1 } }
        let outer = (0..<24).map { id in
            Coded(engine, 100 + id) { _ in
                async let left = inner[(id * 7 + 3) % 24].fetch(takesFresh: false)
                async let right = inner[(id * 5 + 1) % 24].fetch(takesFresh: false)
                return try await left + right
            }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for request in outer { group.addTask { try await request.fetch() } }
            for try await sum in group { #expect(sum == 2) }
        }
        await engine.settled()
    }
}
