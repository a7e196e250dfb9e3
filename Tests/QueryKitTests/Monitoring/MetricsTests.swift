import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct MetricsTests {
    /// A request whose path has a prefix of its own.
    private struct Elsewhere: QueryRequest {
        var path: QueryPath { ["elsewhere", "deep", 1] }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await context.backend.fetch(100, context, continuation)
        }
    }

    @Test func `R27 runs are counted by their outcome`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.id == 2 { throw TestError() }
            if call.id == 3 { try await gate.pass() }
            return call.number
        }
        _ = try await bench.client.fetch(Number(1))
        _ = try await bench.client.fetch(Number(1))
        _ = try? await bench.client.fetch(Number(2))
        let task = Task { try await bench.client.fetch(Number(3)) }
        await gate.arrived()
        #expect(bench.client.metrics.total.running == 1)
        task.cancel()
        _ = await task.result
        let total = bench.client.metrics.total
        #expect([total.runs, total.successes, total.failures, total.cancelled, total.running] == [4, 2, 1, 1, 0])
        #expect(total.failureRate == 1.0 / 3)
        #expect(total.peakRunning == 1)
        #expect(bench.client.metrics.storeCount == 3)
    }

    @Test func `R27 a run's duration is measured by the client's clock and includes waits between attempts`() async throws {
        let bench = TestBench { call in
            if call.number == 1 { throw TestError() }
            (call.context.clock as? ManualClock)?.advance(by: .seconds(1))
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 1, backoff: .constant(.seconds(3))))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.clock.advance(by: .seconds(3))
        await bench.client.settled()
        let summary = try #require(bench.client.metrics.byPrefix["number"])
        #expect(summary.runs == 1)
        #expect(summary.failedAttempts == 1)
        #expect(summary.failures == 0)
        #expect(summary.p50 == .seconds(4))
        subscription.cancel()
    }

    @Test func `R27 a fresh value counts as a hit, and every caller that waits for a run as a miss`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.id == 2 { try await gate.pass() }
            return call.number
        }
        let request = Number(1).ttl(.seconds(60))
        for _ in 0..<4 { _ = try await bench.client.fetch(request) }
        bench.clock.advance(by: .seconds(60))
        _ = try await bench.client.fetch(request)
        _ = try await bench.client.fetch(Number(3).ttl(.seconds(60)).deduplicated(false))
        let joining = (0..<3).map { _ in Task { try await bench.client.fetch(Number(2).ttl(.seconds(60))) } }
        await gate.arrived()
        gate.open()
        for task in joining { _ = try await task.value }
        let total = bench.client.metrics.total
        #expect(total.hits == 3)
        // The first, the one after the ttl, the private one, and three that wait for a run of their own or a joined one.
        #expect(total.misses == 6)
        #expect(total.hitRate == 3.0 / 9)
    }

    @Test func `R27 fetching through a store, subscribing and reading a value count as neither hit nor miss`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        store.record(Recorder()).cancel()
        _ = bench.client.value(for: Number())
        #expect(bench.client.metrics.total.hits == 0)
        #expect(bench.client.metrics.total.misses == 0)
        #expect(bench.client.metrics.total.hitRate == nil)
    }

    @Test(arguments: [(0, ["": 2]), (1, ["number": 1, "elsewhere": 1]), (2, ["number/1": 1, "elsewhere/deep": 1])])
    func `R27 the depth of the prefixes can be set`(_ depth: Int, _ expected: [String: Int]) async throws {
        var configuration = QueryClient.Configuration.isolated
        configuration.metricsDepth = depth
        let bench = TestBench(configuration: configuration)
        _ = try await bench.client.fetch(Number())
        _ = try await bench.client.fetch(Elsewhere())
        #expect(bench.client.metrics.byPrefix.mapValues(\.runs) == expected)
        #expect(bench.client.metrics.other == nil)
    }

    @Test func `R27 a run whose result was overtaken by a write is counted by its outcome`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        store.setValue(7)
        gate.open()
        _ = await task.result
        await bench.client.settled()
        let total = bench.client.metrics.total
        #expect(total.runs == total.successes)
        #expect(total.running == 0)
    }

    @Test func `R27 a private run is counted like any other`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 2 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number().deduplicated(false))
        _ = try await store.fetch()
        let task = Task { try await store.fetch() }
        await gate.arrived()
        task.cancel()
        _ = await task.result
        let total = bench.client.metrics.total
        #expect([total.runs, total.successes, total.cancelled, total.running] == [2, 1, 1, 0])
    }

    @Test func `R27 the metrics print as a table`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number().ttl(.infinity))
        _ = try await bench.client.fetch(Number().ttl(.infinity))
        #expect(
            bench.client.metrics.description == """
                prefix   runs  failed  cancelled  now  peak  hits   p50   p95   p99
                number      1     0 %          0    0     1  50 %  0 ns  0 ns  0 ns
                (total)     1     0 %          0    0     1  50 %  0 ns  0 ns  0 ns
                1 stores, 8 B, 0 events dropped
                """
        )
    }
}
