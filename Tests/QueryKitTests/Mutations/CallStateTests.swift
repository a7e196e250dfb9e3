import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A mutation that yields its steps, waits at a gate, and returns the last step.
private struct Count: MutationRequest {
    let gate: Gate
    static func == (left: Count, right: Count) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with steps: [Int], in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        for step in steps.dropLast() { continuation.yield(step) }
        try await gate.pass()
        guard let last = steps.last, last >= 0 else { throw TestError() }
        return last
    }
}

/// A custom state that counts only values above a limit as results.
private struct Picky: QueryStateProtocol {
    let initialValue: Int?
    var current: Int?
    var record = QueryRecord()
    var value: Int? { current ?? initialValue }
    var status: QueryStatus<Int> { current.map { $0 > 1 ? .result(.success($0)) : .loading } ?? .idle }
    init(initialValue: Int?) { self.initialValue = initialValue }
}

private struct FetchPicky: QueryRequest {
    typealias State = Picky
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
}

private enum Name: QueryContext.Key { static var defaultValue: String { "store" } }

/// A mutation that records the contexts in which it is called.
private struct Named: MutationRequest {
    let seen: Recorder<String>
    static func == (left: Named, right: Named) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        seen.note(context[Name.self])
        return id
    }

    func optimistic(with id: Int, in layers: inout QueryLayers) { seen.note(layers.context[Name.self]) }
}

/// What a mutation's state shows of its calls.
struct CallStateTests {
    private let gate = Gate()

    /// What generic code sees that doesn't know the type of the state.
    private func seen<State: QueryStateProtocol>(_ state: State) -> String where State.QueryValue: Equatable {
        switch state.status {
        case .idle: "idle \(state.isLoading)"
        case .loading: "loading \(state.isLoading)"
        case .result(.success(let value)): "\(value) \(state.isLoading)"
        case .result(.failure(let error)): "\(error) \(state.isLoading)"
        }
    }

    private func count(adjusting adjust: (inout QueryContext) -> Void = { _ in }) -> (QueryClient, QueryStore<Count.State>) {
        let client = TestBench(adjusting: adjust).client
        return (client, client.store(for: Count(gate: gate)))
    }

    // MARK: Status

    @Test func `R21 the second call of a mutation shows as loading in its state, store and mirror`() async throws {
        let (client, store) = count()
        let mirror = await QueryMirror(store)
        gate.open()
        _ = try await store.mutate(with: [1])
        gate.close()
        let call = Task { try await store.mutate(with: [2]) }
        await gate.arrived(2)
        await client.settled()
        #expect(seen(store.state) == "loading true")
        #expect(store.isLoading && store.status.isLoading)
        #expect(await MainActor.run { mirror.isLoading })
        gate.open()
        _ = try await call.value
        #expect(seen(store.state) == "2 false")
    }

    @Test func `a custom state's own status is visible to generic code`() async throws {
        let store = TestBench().client.store(for: FetchPicky())
        #expect(seen(store.state) == "idle false")
        _ = try await store.fetch()
        #expect(seen(store.state) == "loading true")
        #expect(store.isLoading)
    }

    @Test func `R21 a result written after a call replaces the call's result`() async throws {
        let (_, store) = count()
        gate.open()
        _ = try await store.mutate(with: [1])
        store.setResult(to: .failure(TestError("written")))
        #expect(seen(store.state) == "written false")
        store.setValue(5)
        #expect(seen(store.state) == "5 false" && store.value == 5)
        await #expect(throws: TestError.self) { try await store.mutate(with: [-1]) }
        #expect(seen(store.state) == "broken false")
        store.setValue(6)
        #expect(seen(store.state) == "6 false" && store.value == 6 && store.error == nil)
        _ = try await store.mutate(with: [2])
        #expect(seen(store.state) == "2 false" && store.value == 2)
    }

    @Test func `R21 a result written during a call stays when the call ends`() async throws {
        let (_, store) = count()
        let call = Task { try await store.mutate(with: [1]) }
        await gate.arrived()
        store.setValue(5)
        #expect(seen(store.state) == "5 false")
        gate.open()
        _ = try await call.value
        #expect(seen(store.state) == "5 false" && store.value == 5)
    }

    @Test func `R7 R21 a cancelled call restores the state from before the call`() async throws {
        let (client, store) = count()
        func cancelOne(after arrivals: Int) async {
            gate.close()
            let call = Task { try await store.mutate(with: [9, 9]) }
            await gate.arrived(arrivals + 1)
            #expect(store.status.isLoading)
            call.cancel()
            _ = await call.result
            await client.settled()
            gate.open()
        }
        await cancelOne(after: 0)
        #expect(seen(store.state) == "idle false" && store.value == nil)
        gate.open()
        _ = try await store.mutate(with: [1])
        await cancelOne(after: 2)
        #expect(seen(store.state) == "1 false" && store.value == 1)
        store.setResult(to: .failure(TestError("written")))
        await cancelOne(after: 3)
        #expect(seen(store.state) == "written false")
    }

    // MARK: Changes during a call

    @Test func `R21 each yield of a mutation is shown, and a failure restores the value from before`() async throws {
        let (client, store) = count()
        gate.open()
        _ = try await store.mutate(with: [7])
        let values = Recorder<String>()
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in values.note("\(state.value ?? -1) \(state.history.last?.progress ?? -1)") }
        )
        await client.settled()
        _ = try await store.mutate(with: [1, 2, 3])
        #expect(values.take() == ["7 -1", "7 -1", "1 1", "2 2", "3 -1"])
        await #expect(throws: TestError.self) { try await store.mutate(with: [4, -1]) }
        #expect(values.take() == ["3 -1", "4 4", "3 -1"])
        subscription.cancel()
    }

    @Test func `R11 R21 failed attempts are counted as they happen, in the call and in the state`() async throws {
        let clock = ManualClock()
        let (client, store) = count {
            $0.clock = clock
            $0.retry.limit = 2
            $0.retry.backoff = .constant(.seconds(1))
        }
        gate.open()
        let seen = Recorder<String>()
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                seen.note("\(state.failureCount) \(state.history.last?.failureCount ?? -1) \(state.failureReason == nil)")
            }
        )
        try store.submit([-1])
        for _ in 1...2 {
            await client.settled()
            clock.advance(by: .seconds(1))
        }
        await client.settled()
        #expect(Array(seen.all.suffix(3)) == ["1 1 false", "2 2 false", "3 3 false"])
        _ = try await store.mutate(with: [1])
        #expect(seen.last == "0 0 true")
        subscription.cancel()
    }

    @Test func `R24 a resumed call keeps its original date`() async throws {
        let journal = MemoryMutationJournal()
        let first = MutationBench(journal: journal, isOnline: false)
        try first.changes.submit(Change.Step(1))
        await first.client.settled()
        let date = first.clock.date
        let second = MutationBench(journal: journal, isOnline: false)
        second.clock.advance(by: .seconds(3_600))
        _ = try await second.client.resumeMutations(of: [Change.self])
        #expect(second.changes.history.map(\.submittedAt) == [date])
    }

    @Test func `R21 R22 a call's layers are declared in the context of the call`() async throws {
        let client = TestBench().client
        let seen = Recorder<String>()
        var context = client.context
        context[Name.self] = "call"
        _ = try await client.store(for: Named(seen: seen)).mutate(with: 1, using: context)
        #expect(seen.all == ["call", "call"])
    }

    @Test(arguments: [true, false])
    func `R11 the state counts the failures of the latest call, no matter how an earlier one ends`(_ fails: Bool) async throws {
        let gate = Gate()
        let bench = MutationBench { call in
            if call.step.amount == 2 { throw TestError("latest") }
            try await gate.pass()
            if fails { throw QueryError(.invalidParameters) }
        }
        let store = bench.client.store(for: Change().retry(limit: 3, backoff: .constant(.seconds(10))))
        let earlier = try store.submit(Change.Step(1))
        await gate.arrived()
        try store.submit(Change.Step(2))
        await reaches { store.failureCount == 1 }
        gate.open()
        _ = try? await earlier.value
        #expect(store.failureCount == 1)
        #expect(store.record.failureReason is TestError)
        #expect(store.status.isLoading)
        store.cancel()
        await bench.client.settled()
    }
}
