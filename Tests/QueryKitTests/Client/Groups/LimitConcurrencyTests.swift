import TestSupport
import Testing

@testable import QueryKit

/// Counts the workers at this moment, and their maximum so far.
private final class Workers: Sendable {
    private let counts = Lock((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func work(_ dice: inout Dice) async {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
        for _ in 0..<dice.roll(5) { await Task.yield() }
        counts.withLock { $0.now -= 1 }
    }
}

/// Many threads at the limits of one client. Runs under the thread sanitizer in CI.
struct LimitConcurrencyTests {
    @Test(arguments: 0..<5) func `two hundred random callers never exceed a limit, and none is left waiting`(_ seed: Int) async {
        let workers = Workers()
        let even = Workers()
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(3, matching: "number/*")
        for id in stride(from: 0, to: 60, by: 2) { configuration.setLimit(1, matching: ["number", .value(id)]) }
        configuration.setLimit(2, matching: "*/*")
        let bench = TestBench(configuration: configuration) { call in
            var dice = Dice(seed: seed * 10_000 + call.number)
            await workers.work(&dice)
            if call.id % 2 == 0 { await even.work(&dice) }
            if dice.roll(10) == 0 { throw TestError() }
            return call.number
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask(priority: [.low, .medium, .high][number % 3]) {
                    var dice = Dice(seed: seed * 1000 + number)
                    let store = bench.client.store(for: Number(dice.roll(60)))
                    let task = Task { try await store.fetch() }
                    if dice.roll(4) == 0 {
                        await Task.yield()
                        task.cancel()
                    }
                    _ = await task.result
                    if dice.roll(8) == 0 { bench.client.invalidate("number/*", refetch: .all) }
                    if dice.roll(20) == 0 { bench.client.cancel("number/*") }
                }
            }
        }
        await bench.client.settled()
        #expect(workers.most <= 2 && workers.most > 0)
        let gate = bench.client.core.runGate as? LimitGate
        #expect(gate?.waitingPriorities == [])
        // A cancelled run may still be leaving; after these fetches all slots must be free.
        for id in 0..<4 { _ = try? await bench.client.fetch(Number(100 + id)) }
    }

    @Test func `runs that fetch each other's neighbors don't deadlock under narrow limits`() async throws {
        struct Ring: QueryRequest {
            let id: Int
            let depth: Int
            var path: QueryPath { ["ring", id % 4, id, depth] }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                guard depth > 0, let client = context.queryClient else { return 1 }
                async let left = client.fetch(Ring(id: (id * 7 + 3) % 24, depth: depth - 1))
                async let right = client.fetch(Ring(id: (id * 5 + 1) % 24, depth: depth - 1))
                return try await left + right
            }
        }
        var configuration = QueryClient.Configuration.isolated
        for id in 0..<4 { configuration.setLimit(1, matching: ["ring", .value(id), .rest]) }
        configuration.setLimit(3, matching: "ring/**")
        let client = QueryClient(configuration: configuration)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 0..<24 { group.addTask { try await client.fetch(Ring(id: id, depth: 3)) } }
            for try await sum in group { #expect(sum == 8) }
        }
        await client.settled()
    }
}
