import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct RetryTests {
    private let backoff = QueryBackoff.exponential(jitter: { 1 })

    @Test func `R11 a run started by the library makes four attempts, with delays of 1, 2 and 4 seconds`() async {
        let bench = TestBench { call in throw TestError("\(call.number)") }
        var configuration = QueryClient.Configuration.isolated
        configuration.setDefaults { [backoff] in $0.retry.backoff = backoff }
        var context = bench.client.context
        context.queryClient = nil
        let client = QueryClient(context: context, configuration: configuration)
        let store = client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await client.settled()
        #expect(bench.backend.count == 1)
        for (delay, count) in [(1, 2), (2, 3), (4, 4)] {
            bench.clock.advance(by: .seconds(delay) - .nanoseconds(1))
            await client.settled()
            #expect(bench.backend.count == count - 1)
            bench.clock.advance(by: .nanoseconds(1))
            await client.settled()
            #expect(bench.backend.count == count)
        }
        #expect(seen.all == ["idle", "loading", "loading 1x", "loading 2x", "loading 3x", "failed(4) 4x"])
        #expect(bench.clock.alarmCount <= 1)
        subscription.cancel()
    }

    @Test func `R11 the latest attempt's error is shown while attempts continue, and cleared by a success`() async {
        let bench = TestBench { call in
            if call.number < 3 { throw TestError("\(call.number)") }
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 2, backoff: .constant(.seconds(1))))
        let subscription = store.record(Recorder())
        for reason in ["1", "2"] {
            await bench.client.settled()
            #expect(store.failureReason as? TestError == TestError(reason))
            #expect(store.error == nil && store.status.isLoading)
            bench.clock.advance(by: .seconds(1))
        }
        await bench.client.settled()
        #expect(store.value == 3 && store.failureReason == nil)
        subscription.cancel()
    }

    @Test func `R11 a run started by a caller makes one attempt`() async {
        let bench = TestBench { _ in throw TestError() }
        await #expect(throws: TestError.self) { try await bench.client.fetch(Number()) }
        #expect(bench.backend.count == 1)
    }

    @Test func `R11 a request can set the number of retries for all its runs, including none`() async throws {
        let bench = TestBench { call in
            if call.number < 3 { throw TestError() }
            return call.number
        }
        #expect(try await bench.client.fetch(Number(1).retry(limit: 2, backoff: .none)) == 3)
        bench.backend.behave { _ in throw TestError() }
        let store = bench.client.store(for: Number(2).retry(limit: 0))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 4)
        subscription.cancel()
    }

    @Test func `R11 refused errors, invalid parameters and cancellation are not retried`() async {
        let errors: [any Error] = [TestError("refused"), QueryError(.invalidParameters), CancellationError()]
        for error in errors {
            let bench = TestBench { _ in throw error }
            let request = Number().retry(limit: 5, backoff: .none) { !("\($0)" == "refused") }
            _ = try? await bench.client.fetch(request)
            #expect(bench.backend.count == 1, "\(error)")
        }
    }

    @Test func `R11 a retry delay ends at once when the run is cancelled`() async {
        let gate = Gate()
        let bench = TestBench { _ in
            try await gate.pass()
            throw TestError()
        }
        let store = bench.client.store(for: Number().retry(limit: 5, backoff: .constant(.seconds(1000))))
        let task = Task { try await store.fetch() }
        await gate.arrived()
        gate.open()
        await bench.client.settled()
        #expect(store.failureCount == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await bench.client.settled()
        #expect(store.status.isIdle)
        #expect(store.failureCount == 0)
        bench.clock.advance(by: .seconds(2000))
        await bench.client.settled()
        #expect(bench.backend.count == 1)
    }

    @Test func `R11 failureCount is zero again after a success`() async throws {
        let bench = TestBench { call in
            if call.number < 3 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 3, backoff: .none))
        let counts = Recorder<Int>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in counts.note(state.failureCount) })
        await bench.client.settled()
        #expect(counts.all == [0, 0, 1, 2, 0])
        subscription.cancel()
    }

    @Test func `R26 an attempt that takes too long fails with a timeout and is retried`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
        let request = Number().timeout(.seconds(10)).retry(limit: 1, backoff: .none)
        let task = Task { try await bench.client.fetch(request) }
        await gate.arrived()
        bench.clock.advance(by: .seconds(10))
        #expect(try await task.value == 2)
    }

    @Test func `R26 a request that ignores cancellation and never returns is abandoned after its timeout`() async {
        let stubborn = Gate(ignoresCancellation: true)
        let bench = TestBench { call in
            try await stubborn.pass()
            return call.number
        }
        let task = Task { try await bench.client.fetch(Number().timeout(.seconds(10))) }
        await stubborn.arrived()
        bench.clock.advance(by: .seconds(10))
        do {
            _ = try await task.value
            Issue.record("It returned")
        } catch {
            #expect((error as? QueryError)?.code == .timeout)
            #expect((error as? QueryError)?.path == ["number", 1])
            #expect(
                (error as? QueryError)?.message
                    == "The request took longer than 10.0 seconds. Try again, or allow it more time with timeout(_:)."
            )
        }
        stubborn.open()
    }

    @Test(arguments: [false, true])
    func `R33 settled waits for the result of an attempt that has timed out`(_ ignoresCancellation: Bool) async {
        let gate = Gate(ignoresCancellation: ignoresCancellation)
        let bench = TestBench { call in
            try await gate.pass()
            return call.number
        }
        let store = bench.client.store(for: Number().timeout(.seconds(10)).retry(limit: 0))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.clock.advance(by: .seconds(10))
        await bench.client.settled()
        #expect((store.error as? QueryError)?.code == .timeout)
        subscription.cancel()
        gate.open()
    }

    @Test func `R26 a missing permission is requested once and then tried once more`() async throws {
        let bench = TestBench { call in
            if call.number == 1 { throw QueryError(.insufficientPermissions) }
            return call.number
        }
        let asked = Recorder<String>()
        var context = bench.client.context
        context.authorization = { error, _ in
            asked.note("\(error)")
            return true
        }
        let store = bench.client.store(for: Number())
        #expect(try await store.fetch(using: context) == 2)
        #expect(asked.count == 1)
        bench.backend.behave { _ in throw QueryError(.insufficientPermissions) }
        await #expect(throws: QueryError.self) { try await store.fetch(using: context) }
        #expect(asked.count == 2)
        #expect(bench.backend.count == 4)
    }

    @Test func `R26 a refused permission fails without another attempt`() async {
        let bench = TestBench { _ in throw QueryError(.insufficientPermissions) }
        var context = bench.client.context
        context.authorization = { _, _ in false }
        await #expect(throws: QueryError.self) { try await bench.client.store(for: Number()).fetch(using: context) }
        #expect(bench.backend.count == 1)
    }

    @Test func `R26 a context's recovery can override the standard one`() async {
        let bench = TestBench { _ in throw TestError() }
        var context = bench.client.context
        context.retry = QueryRetry(limit: 5, backoff: .none)
        context.recovery = QueryRecovery { error, standard in error is TestError ? .fail : standard }
        await #expect(throws: TestError.self) { try await bench.client.store(for: Number()).fetch(using: context) }
        #expect(bench.backend.count == 1)
    }

    @Test func `R26 invalid parameters are refused before any attempt`() async {
        struct Checked: QueryRequest {
            let day: Int
            func validate(in context: QueryContext) throws {
                if day < 0 { throw QueryError(.invalidParameters, "A day is not negative.", path: path) }
            }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await context.backend.fetch(day, context, continuation)
            }
        }
        let bench = TestBench()
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Checked(day: -1).retry(limit: 3, backoff: .none)) }
        #expect(bench.backend.count == 0)
        #expect(bench.client.store(for: Checked(day: -1)).error is QueryError)
    }
}
