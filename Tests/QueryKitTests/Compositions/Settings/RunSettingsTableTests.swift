import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// The row about runs in the table of settings: retry, timeout, network mode, abandonment and context come from the caller or observer
    /// that caused the run; a run that the library starts uses those of the latest observer, or of the last caller.
    struct RunSettingsTableTests {
        /// Requests that differ in each of these settings.
        enum Name: String, CaseIterable {
            case first, second, caller

            var limit: Int { Name.allCases.firstIndex(of: self)! + 1 }
            var mode: QueryNetworkMode { [.offlineFirst, .online, .always][limit - 1] }
            var abandonment: QueryAbandonment { self == .second ? .finish : .cancel }

            var request: some QueryRequest<Int, Number.State> {
                Number().ttl(.infinity)
                    .retry(limit: limit, backoff: .none)
                    .timeout(.seconds(limit))
                    .networkMode(mode)
                    .whenAbandoned(abandonment)
                    .modifier(Named(name: rawValue))
            }
        }

        /// What caused a run.
        enum Cause: CaseIterable {
            case caller, subscription, invalidationWithTwoObservers, invalidationAfterTheSecondLeft, invalidationAfterBothLeft

            var expected: Name {
                switch self {
                case .caller, .invalidationAfterBothLeft: .caller
                case .subscription, .invalidationAfterTheSecondLeft: .first
                case .invalidationWithTwoObservers: .second
                }
            }
        }

        @Test(arguments: Cause.allCases)
        func `R30 table: a run has the settings of its cause`(_ cause: Cause) async throws {
            let contexts = Recorder<QueryContext>()
            let bench = TestBench { call in
                contexts.note(call.context)
                return call.number
            }
            let client = bench.client
            func observe(_ name: Name) -> QuerySubscription { client.store(for: name.request).record(Recorder()) }
            func invalidate(_ refetch: QueryRefetch = .active) async {
                _ = contexts.take()
                client.invalidate("number/*", refetch: refetch)
                await client.settled()
            }
            switch cause {
            case .caller:
                let observer = observe(.first)
                await client.settled()
                _ = try await client.store(for: Name.caller.request).fetch()
                observer.cancel()
            case .subscription:
                let handle = client.store(for: Name.second.request)
                let observer = observe(.first)
                await client.settled()
                observer.cancel()
                withExtendedLifetime(handle) {}
            default:
                let (first, second) = (observe(.first), observe(.second))
                _ = try await client.store(for: Name.caller.request).fetch()
                if cause != .invalidationWithTwoObservers { second.cancel() }
                if cause == .invalidationAfterBothLeft { first.cancel() }
                await invalidate(cause == .invalidationAfterBothLeft ? .all : .active)
                for subscription in [first, second] { subscription.cancel() }
            }
            let (context, expected) = (try #require(contexts.last), cause.expected)
            #expect(context[NameKey.self] == expected.rawValue)
            #expect(context.retry.limit == expected.limit)
            #expect(context.timeout == .seconds(expected.limit))
            #expect(context.networkMode == expected.mode)
            #expect(context.abandonment == expected.abandonment)
        }

        @Test(arguments: [false, true])
        func `R30 table: a caller that gets a fresh value does not change the settings`(_ isNested: Bool) async throws {
            let bench = TestBench()
            let client = bench.client
            _ = try await client.fetch(Number().ttl(.infinity))
            let disabled = Number().ttl(.infinity).enabled(false)
            if isNested { _ = try await client.fetch(Outer(inner: disabled)) } else { _ = try await client.fetch(disabled) }
            client.invalidate("number/*", refetch: .all)
            await client.settled()
            #expect(bench.backend.count == 2)
        }

        // MARK: Effects of a second observer

        @Test func `R30 table: the retries of a second observer apply while it is the latest`() async {
            let bench = TestBench { _ in throw TestError() }
            let first = bench.client.store(for: Number().retry(limit: 2, backoff: .none)).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 3)
            let second = bench.client.store(for: Number().ttl(.infinity).retry(limit: 0)).record(Recorder())
            await bench.client.settled()
            let count = bench.backend.count
            await invalidate(bench)
            #expect(bench.backend.count == count + 1)
            second.cancel()
            await invalidate(bench)
            #expect(bench.backend.count == count + 4)
            first.cancel()
        }

        @Test func `R30 table: the timeout of a second observer applies while it is the latest`() async {
            let gate = Gate()
            let bench = TestBench { call in
                if call.number > 1 { try await gate.pass() }
                return call.number
            }
            let store = bench.client.store(for: Number().ttl(.infinity).retry(limit: 0))
            let first = store.record(Recorder())
            await bench.client.settled()
            let second = bench.client.store(for: Number().ttl(.infinity).retry(limit: 0).timeout(.seconds(1))).record(Recorder())
            await invalidate(bench)
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(store.errorUpdateCount == 1)
            second.cancel()
            await invalidate(bench)
            bench.clock.advance(by: .seconds(1_000))
            await bench.client.settled()
            #expect(store.isFetching)
            gate.open()
            await bench.client.settled()
            #expect(store.value == 3)
            first.cancel()
        }

        @Test func `R30 table: the network mode of a second observer applies while it is the latest`() async {
            let bench = TestBench(network: ManualNetworkObserver(isOnline: false))
            let online = bench.client.store(for: Number().ttl(.infinity))
            online.setValue(0)
            let first = online.record(Recorder())
            let second = bench.client.store(for: Number().ttl(.infinity).networkMode(.always)).record(Recorder())
            await invalidate(bench)
            #expect(online.value == 1)
            second.cancel()
            await invalidate(bench)
            #expect(online.isPaused)
            #expect(bench.backend.count == 1)
            first.cancel()
        }

        @Test(arguments: [QueryAbandonment.finish, .cancel])
        func `R30 table: an abandoned run ends as its cause's settings require, regardless of later observers`(
            _ abandonment: QueryAbandonment
        ) async {
            let gate = Gate()
            let bench = TestBench { call in
                try await gate.pass()
                return call.number
            }
            let store = bench.client.store(for: Number().whenAbandoned(abandonment))
            let first = store.record(Recorder())
            await gate.arrived()
            let other: QueryAbandonment = abandonment == .finish ? .cancel : .finish
            let second = bench.client.store(for: Number().whenAbandoned(other)).record(Recorder())
            for subscription in [first, second] { subscription.cancel() }
            gate.open()
            await bench.client.settled()
            #expect(store.value == (abandonment == .finish ? 1 : nil))
        }

        private func invalidate(_ bench: TestBench) async {
            bench.client.invalidate("number/*")
            await bench.client.settled()
        }
    }
}

private enum NameKey: QueryContext.Key {
    static var defaultValue: String { "none" }
}

/// Sets a name in the context of the runs.
private struct Named<Request: QueryRequest>: QueryModifier {
    let name: String

    func setup(context: inout QueryContext, using request: Request) { context[NameKey.self] = name }
}

/// Fetches another request.
private struct Outer<Inner: QueryRequest>: QueryRequest where Inner.State == Number.State {
    let inner: Inner

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.queryClient?.fetch(inner) ?? 0
    }
}
