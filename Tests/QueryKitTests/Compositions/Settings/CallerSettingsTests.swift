import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private enum MarkKey: QueryContext.Key {
    static var defaultValue: String { "none" }
}

/// Sets a mark in the context of the runs.
private struct Marked<Request: QueryRequest>: QueryModifier {
    let mark: String

    func setup(context: inout QueryContext, using request: Request) { context[MarkKey.self] = mark }
}

extension Compositions {
    /// Runs use the settings of the caller or observer that caused them, and a request fetches when it becomes enabled.
    struct CallerSettingsTests {
        private func failing() -> TestBench { TestBench { _ in throw TestError() } }

        // MARK: Causes of runs

        @Test func `R30 a caller without retries does not use another handle's retries`() async throws {
            let bench = failing()
            let patient = bench.client.store(for: Number(1).retry(limit: 3, backoff: .none))
            await #expect(throws: TestError.self) { try await bench.client.fetch(Number(1)) }
            #expect(bench.backend.count == 1)
            withExtendedLifetime(patient) {}
        }

        @Test func `R30 a caller keeps its retries if a later request sets none`() async throws {
            let bench = failing()
            let patient = bench.client.store(for: Number(1).retry(limit: 3, backoff: .none))
            _ = bench.client.store(for: Number(1).retry(limit: 0))
            await #expect(throws: TestError.self) { try await patient.fetch() }
            #expect(bench.backend.count == 4)
        }

        @Test func `R30 a caller without a timeout does not use another caller's`() async throws {
            let bench = TestBench()
            await #expect(throws: QueryError.self) { try await bench.client.fetch(Number(1).timeout(.zero)) }
            let value = try? await bench.client.fetch(Number(1))
            #expect(value == 1)
        }

        @Test func `R30 a caller with network mode always runs offline even if another handle requires the network`() async throws {
            let bench = TestBench(network: ManualNetworkObserver(isOnline: false)) { $0.number }
            let always = bench.client.store(for: Number(1).networkMode(.always))
            let online = bench.client.store(for: Number(1).networkMode(.online))
            let caller = Task { try await always.fetch() }
            await reaches { always.value != nil || always.isPaused }
            #expect(always.value == 1)
            caller.cancel()
            _ = await caller.result
            withExtendedLifetime(online) {}
        }

        @Test func `R30 an abandoned run is finished if its caller's request requires that, regardless of later requests`() async throws {
            let gate = Gate()
            let bench = TestBench { call in
                try await gate.pass()
                return call.number
            }
            let finishing = bench.client.store(for: Number(1).whenAbandoned(.finish))
            let other = bench.client.store(for: Number(1).whenAbandoned(.cancel))
            let caller = Task { try await finishing.fetch() }
            await gate.arrived()
            caller.cancel()
            _ = await caller.result
            gate.open()
            await bench.client.settled()
            #expect(finishing.value == 1)
            withExtendedLifetime(other) {}
        }

        @Test func `R30 a run has the context of the request that caused it`() async throws {
            let marks = Recorder<String>()
            let bench = TestBench { call in
                marks.note(call.context[MarkKey.self])
                return call.number
            }
            let (first, second) = (
                bench.client.store(for: Number(1).modifier(Marked(mark: "first"))),
                bench.client.store(for: Number(1).modifier(Marked(mark: "second")))
            )
            _ = try await first.fetch()
            _ = try await second.fetch()
            _ = try await bench.client.fetch(Number(1))
            #expect(marks.all == ["first", "second", "none"])
        }

        @Test func `R30 a run started by the library uses the settings of the latest observer`() async throws {
            let marks = Recorder<String>()
            let bench = TestBench { call in
                marks.note(call.context[MarkKey.self])
                return call.number
            }
            func observe(_ mark: String) -> QuerySubscription {
                bench.client.store(for: Number(1).ttl(.infinity).modifier(Marked(mark: mark))).record(Recorder())
            }
            let (first, second) = (observe("first"), observe("second"))
            await bench.client.settled()
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(marks.take().last == "second")
            second.cancel()
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(marks.all == ["first"])
            first.cancel()
        }

        // MARK: Becoming enabled

        @Test func `R30 an enabled subscription fetches even if a disabled one observes too`() async {
            let bench = TestBench()
            let disabled = bench.client.store(for: Number(1).enabled(false)).record(Recorder())
            let enabled = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            for subscription in [disabled, enabled] { subscription.cancel() }
        }

        @Test func `R30 a subscription that is explicitly enabled fetches even if a disabled one observes too`() async {
            let bench = TestBench()
            let disabled = bench.client.store(for: Number(1).enabled(false)).record(Recorder())
            let enabled = bench.client.store(for: Number(1).enabled(true)).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            for subscription in [disabled, enabled] { subscription.cancel() }
        }

        @Test func `R30 a condition that has become true applies to the next subscription`() async {
            let isEnabled = Lock(false)
            let bench = TestBench()
            let request = Number(1).enabled { _ in isEnabled.withLock { $0 } }
            let first = bench.client.store(for: request).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 0)
            isEnabled.withLock { $0 = true }
            let second = bench.client.store(for: request).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            for subscription in [first, second] { subscription.cancel() }
        }

        @MainActor @Test func `R30 a mirror that switches to the enabled request fetches at once`() async {
            let bench = TestBench()
            let mirror = QueryMirror(Number(1).enabled(false), client: bench.client)
            await bench.client.settled()
            mirror.show(Number(1).enabled(true))
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            withExtendedLifetime(mirror) {}
        }

        @MainActor @Test func `R30 a mirror that switches to a shorter ttl fetches if the value is stale`() async {
            let bench = TestBench()
            let mirror = QueryMirror(Number(1).ttl(.infinity), client: bench.client)
            await bench.client.settled()
            mirror.show(Number(1).ttl(.zero))
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            withExtendedLifetime(mirror) {}
        }

        @Test func `R30 a shared query that switches to the enabled request fetches when it is read`() async {
            let bench = TestBench()
            var query = SharedQuery(Number(1).enabled(false), client: bench.client)
            _ = query.value
            await bench.client.settled()
            query.show(Number(1).enabled(true))
            _ = query.value
            await bench.client.settled()
            #expect(bench.backend.count == 1)
        }

        @Test func `R30 an invalidation while all observers are disabled causes a run when an enabled one subscribes`() async {
            let bench = TestBench()
            let disabled = bench.client.store(for: Number(1).ttl(.infinity).enabled(false)).record(Recorder())
            bench.client.setValue(5, for: Number(1))
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(bench.backend.count == 0)
            let enabled = bench.client.store(for: Number(1).ttl(.infinity).enabled(true)).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            for subscription in [disabled, enabled] { subscription.cancel() }
        }
    }
}
