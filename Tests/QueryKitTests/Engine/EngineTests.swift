import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The engine with real tasks. What the ledger decides is tested by ``LedgerLifeTests``.
struct EngineTests {
    private struct Item: QueryRequest {
        typealias Value = Int
        let id: Int
        let source: Source

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await source.fetch(id, continuation)
        }

        static func == (left: Item, right: Item) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private final class Source: Sendable {
        let count = Lock(0)
        let work: @Sendable (Int, QueryContinuation<Int>) async throws -> Int

        init(_ work: @escaping @Sendable (Int, QueryContinuation<Int>) async throws -> Int = { id, _ in id }) { self.work = work }

        func fetch(_ id: Int, _ continuation: QueryContinuation<Int>) async throws -> Int {
            count.withLock { $0 += 1 }
            return try await work(id, continuation)
        }
    }

    private let clock = ManualClock()
    private let engine: Engine

    init() { engine = Engine(clock: clock) }

    private func make(_ id: Int = 1, _ source: Source, _ change: (inout QueryContext) -> Void = { _ in }) -> (Entry, Settings) {
        var context = QueryContext()
        context.clock = clock
        change(&context)
        let request = Item(id: id, source: source)
        let settings = Settings(RequestSettings(request, context))
        return (engine.entry(for: request.identity, ["item", id], Typing<Item.State>.shared), settings)
    }

    private func value(_ entry: Entry) -> Int? { engine.state(entry).current?.unboxed(as: Int.self) }

    @Test func `R6 a thousand callers share one run`() async throws {
        let gate = Gate()
        let source = Source { id, _ in
            try await gate.pass()
            return id
        }
        let (entry, settings) = make(7, source)
        let engine = engine
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 { group.addTask { try await engine.fetch(entry, settings).unboxed(as: Int.self) } }
            await gate.arrived(1)
            while engine.enter({ ledger in ledger[entry].run.map { ledger[$0].callers.count } }) != 1_000 { await Task.yield() }
            gate.open()
            return try await group.reduce(0, +)
        }
        #expect(sum == 7_000)
        #expect(source.count.withLock { $0 } == 1)
    }

    @Test func `R7 many callers leave in any order, and the last one ends the run`() async throws {
        let gate = Gate()
        let source = Source { id, _ in
            try await gate.pass()
            return id
        }
        let (entry, settings) = make(1, source)
        let engine = engine
        let tasks = (0..<500).map { _ in Task { try await engine.fetch(entry, settings) } }
        await gate.arrived(1)
        while engine.enter({ ledger in ledger[entry].run.map { ledger[$0].callers.count } }) != 500 { await Task.yield() }
        for task in tasks.reversed() { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await engine.settled()
        #expect(engine.enter { $0[entry].run == nil })
    }

    @Test func `R4 R17 an observer sees each state in order, and a change during a run causes one more run`() async throws {
        let gate = Gate()
        let source = Source { id, _ in
            try await gate.pass()
            return id
        }
        let (entry, settings) = make(1, source)
        let seen = Lock<[Int]>([])
        let fetching = Lock<[Bool]>([])
        let subscription = engine.subscribe(entry, settings) { publication in
            seen.withLock { $0.append(publication.state.record.revision) }
            fetching.withLock { $0.append(publication.state.record.flags.contains(.fetching)) }
        }
        await gate.arrived(1)
        for _ in 0..<3 { engine.enterNow { $0.invalidate(.pattern("item/**"), .manual) } }
        gate.open()
        await engine.settled()
        #expect(source.count.withLock { $0 } == 2)
        let revisions = seen.withLock { $0 }
        #expect(revisions == Array(0..<revisions.count))
        // Between the run that was too old and the one that follows, nothing is shown as if it were over.
        #expect(fetching.withLock { $0 }.dropFirst().dropLast().allSatisfy { $0 })
        subscription.cancel()
    }

    @Test(arguments: [false, true])
    func `R4 a handler unsubscribes the next one, which then isn't called`(isOnMainActor: Bool) async throws {
        let (entry, settings) = make(1, Source())
        let (second, count) = (Lock<QuerySubscription?>(nil), Lock(0))
        let first = engine.subscribe(entry, settings, isOnMainActor: isOnMainActor) { _ in second.withLock { $0 }?.cancel() }
        await engine.settled()
        let next = engine.subscribe(entry, settings, isOnMainActor: isOnMainActor) { _ in count.withLock { $0 += 1 } }
        await engine.settled()
        let former = count.withLock { $0 }
        second.withLock { $0 = next }
        engine.enterNow { $0.write(entry, .success(AnyValue(5))) }
        await engine.settled()
        #expect(count.withLock { $0 } == former)
        first.cancel()
    }

    @Test func `R7 a caller that is cancelled returns while a handler is slow`() async throws {
        let (entered, release) = (Gate(), Lock(false))
        let gate = Gate()
        let source = Source { id, _ in
            try await gate.pass()
            return id
        }
        let (entry, settings) = make(1, source)
        let isSlow = Lock(false)
        let subscription = engine.subscribe(entry, settings) { _ in
            guard isSlow.withLock({ $0 }) else { return }
            while !release.withLock({ $0 }) {}
        }
        await gate.arrived(1)
        isSlow.withLock { $0 = true }
        let engine = engine
        let caller = Task { try await engine.fetch(entry, settings) }
        while engine.enter({ ledger in ledger[entry].run.map { ledger[$0].callers.count } }) != 1 { await Task.yield() }
        gate.open()
        caller.cancel()
        _ = await caller.result
        release.withLock { $0 = true }
        entered.open()
        await engine.settled()
        subscription.cancel()
    }

    @Test func `R11 R33 a retry waits for the clock, and the client is settled meanwhile`() async throws {
        let source = Source { id, _ in throw TestError("fails \(id)") }
        let (entry, settings) = make(1, source) { $0.retry = QueryRetry(limit: 2, backoff: .constant(.seconds(5))) }
        let subscription = engine.subscribe(entry, settings) { _ in }
        await engine.settled()
        #expect(source.count.withLock { $0 } == 1)
        clock.advance(by: .seconds(5))
        await engine.settled()
        #expect(source.count.withLock { $0 } == 2)
        #expect(engine.state(entry).record.failures == 2)
        clock.advance(by: .seconds(5))
        await engine.settled()
        #expect(source.count.withLock { $0 } == 3)
        #expect(engine.state(entry).record.error != nil)
        subscription.cancel()
    }

    @Test func `R26 an attempt that takes too long fails, and its late value is ignored`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let source = Source { id, _ in
            try await gate.pass()
            return id
        }
        let (entry, settings) = make(1, source) { $0.timeout = .seconds(3) }
        let engine = engine
        let caller = Task { try await engine.fetch(entry, settings) }
        await gate.arrived(1)
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: QueryError.self) { try await caller.value }
        #expect(error?.code == .timeout)
        gate.open()
        await engine.settled()
        #expect(value(entry) == nil)
    }

    @Test func `R18 a fetch within a fetch hands over what it has read`() async throws {
        let (inner, innerSettings) = make(
            1,
            Source { id, _ in
                Scope.current?.note([QueryRegion(source: "s", name: "t")])
                return id
            }
        )
        let engine = engine
        let source = Source { _, _ in try await engine.fetch(inner, innerSettings).unboxed(as: Int.self) + 1 }
        let (outer, settings) = make(2, source)
        let subscription = engine.subscribe(outer, settings) { _ in }
        await engine.settled()
        #expect(value(outer) == 2)
        engine.enterNow { $0.changed([QueryRegion(source: "s", name: "t")], .regionChanged) }
        await engine.settled()
        #expect(source.count.withLock { $0 } == 2)
        subscription.cancel()
    }
}
