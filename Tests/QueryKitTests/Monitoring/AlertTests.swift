import QueryKit
import TestSupport
import Testing

struct AlertTests {
    private func bench(_ adjust: (inout AlertThresholds) -> Void, _ behavior: @escaping Backend.Behavior) -> TestBench {
        var configuration = QueryClient.Configuration.isolated
        configuration.alerts.missRate = nil
        adjust(&configuration.alerts)
        return TestBench(configuration: configuration, behavior)
    }

    @Test func `R27 a failure rate above its threshold raises one alert, which is cleared once`() async throws {
        let fails = Lock(true)
        let bench = bench {
            $0.minimumSamples = 4
            $0.window = 10
        } _: { call in
            if fails.withLock({ $0 }) { throw TestError() }
            return call.number
        }
        var events = bench.client.events.makeAsyncIterator()
        for _ in 0..<3 { _ = try? await bench.client.fetch(Number()) }
        #expect(bench.client.alerts.isEmpty)
        for _ in 0..<3 { _ = try? await bench.client.fetch(Number()) }
        let alert = try #require(bench.client.alerts.first)
        #expect(bench.client.alerts.count == 1)
        #expect(alert.kind == .failureRate)
        #expect(alert.prefix == "number")
        #expect(alert.measured == 1)
        #expect(alert.threshold == 0.05)
        #expect(alert.description == "failureRate number 100 % > 5 %")
        fails.withLock { $0 = false }
        for _ in 0..<30 { _ = try await bench.client.fetch(Number()) }
        #expect(bench.client.alerts.isEmpty)
        bench.client.remove(.all)
        var kinds: [QueryEvent.Kind] = []
        var ends = 0
        while let event = await events.next(), event.kind != .storeRemoved {
            // The alert follows the run that caused it.
            if event.kind == .alertRaised { #expect(ends == 4) }
            if event.duration != nil { ends += 1 }
            guard event.alert != nil else { continue }
            kinds.append(event.kind)
            #expect(event.path == "number")
            #expect(event.cause == .manual)
            if event.kind == .alertRaised { #expect(event.alert?.measured == 1) }
        }
        #expect(kinds == [.alertRaised, .alertCleared])
        #expect(ends == 36)
    }

    @Test func `R27 one failure among many raises no alert with the default thresholds`() async throws {
        let bench = bench { _ in
        } _: { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        for _ in 0..<40 { _ = try? await bench.client.fetch(Number()) }
        #expect(bench.client.alerts.isEmpty)
    }

    @Test func `R27 a p95 above twice its target raises an alert at the prefix with that target`() async throws {
        let step = Lock(Duration.milliseconds(250))
        let bench = bench {
            $0.p95Targets = ["number": .milliseconds(100)]
            $0.window = 20
        } _: { call in
            (call.context.clock as? ManualClock)?.advance(by: step.withLock { $0 })
            return call.number
        }
        for _ in 0..<19 { _ = try await bench.client.fetch(Number()) }
        #expect(bench.client.alerts.isEmpty)
        _ = try await bench.client.fetch(Number())
        let alert = try #require(bench.client.alerts.first)
        #expect(alert.kind == .p95)
        #expect(alert.threshold == 0.2)
        #expect(abs(alert.measured - 0.25) < 0.0125)
        step.withLock { $0 = .milliseconds(50) }
        for _ in 0..<41 { _ = try await bench.client.fetch(Number()) }
        #expect(bench.client.alerts.isEmpty)
        #expect(try #require(bench.client.metrics.total.p95) > .milliseconds(200))
    }

    @Test func `R27 a miss rate over 80 % raises an alert, and hits clear it`() async throws {
        var configuration = QueryClient.Configuration.isolated
        configuration.alerts.window = 20
        let bench = TestBench(configuration: configuration)
        for id in 0..<20 { _ = try await bench.client.fetch(Number(id).ttl(.infinity)) }
        #expect(bench.client.alerts.map(\.kind) == [.missRate])
        #expect(bench.client.alerts.first?.description == "missRate number 100 % > 80 %")
        for id in 0..<20 { _ = try await bench.client.fetch(Number(id).ttl(.infinity)) }
        #expect(bench.client.alerts.isEmpty)
    }

    @Test func `R27 requests that are always fetched count no misses and raise no alert`() async throws {
        let bench = TestBench(configuration: .isolated)
        for id in 0..<30 {
            _ = try await bench.client.fetch(Number(id))
            _ = try await bench.client.fetch(Number(id).ttl(.zero))
            _ = try await bench.client.fetch(Number(id).ttl(.zero).deduplicated(false))
        }
        #expect(bench.client.alerts.isEmpty)
        #expect(bench.client.metrics.total.misses == 0 && bench.client.metrics.total.hitRate == nil)
        #expect(bench.client.metrics.total.runs == 90)
    }

    @Test func `R27 a request with a ttl closure counts misses even if its values are never fresh`() async throws {
        let bench = TestBench()
        for _ in 0..<3 { _ = try await bench.client.fetch(Number().ttl { _ in .zero }) }
        #expect(bench.client.metrics.total.misses == 3)
    }

    @Test func `R27 memory above its threshold raises an alert for the whole client`() async throws {
        let bench = bench {
            $0.byteCount = 20
        } _: {
            $0.number
        }
        for id in 0..<3 { _ = try await bench.client.fetch(Number(id)) }
        let alert = try #require(bench.client.alerts.first)
        #expect(alert.kind == .byteCount)
        #expect(alert.prefix == nil)
        #expect(alert.description == "byteCount 24 B > 20 B")
        bench.client.clear()
        #expect(bench.client.alerts.isEmpty)
    }

    @Test func `R27 memory is checked every sixteenth run`() async throws {
        let bench = bench {
            $0.byteCount = 20
        } _: {
            $0.number
        }
        let events = bench.client.events
        for id in 0..<16 { _ = try await bench.client.fetch(Number(id)) }
        for await event in events where event.kind == .alertRaised {
            #expect(event.alert?.measured == 128)
            break
        }
    }
}
