import Dispatch
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Batches of the engine. That they are seen whole in any life is tested by ``LedgerLifeTests``.
struct EngineBatchTests {
    private struct Item: QueryRequest {
        typealias Value = Int
        let id: Int
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
    }

    private struct Failure: Error {}

    private let clock = ManualClock()
    private let engine: Engine
    private let settings: Settings
    private let seen = Lock<[[Int?]]>([])

    init() {
        engine = Engine(clock: clock)
        var context = QueryContext()
        context.clock = clock
        settings = Settings(RequestSettings(Item(id: 0), context))
    }

    private func entry(_ id: Int) -> Entry {
        engine.entry(for: Item(id: id).identity, ["item", id], Typing<Item.State>.shared)
    }

    private func number(_ state: StateBox) -> Int? { state.current?.unboxed(as: Int.self) }
    private func value(_ id: Int) -> Int? { number(engine.shown(entry(id))) }
    private func write(_ id: Int, _ value: Int) { engine.write(entry(id), .success(AnyValue(value))) }
    private func double(_ id: Int) -> Bool { engine.update(entry(id)) { AnyValue(2 * $0.unboxed(as: Int.self)) } }

    /// Notes what each of two requests shows whenever one of them publishes a state.
    private func observe(_ ids: Int...) -> [QuerySubscription] {
        let (engine, seen, entries) = (engine, seen, ids.map { entry($0) })
        let subscriptions = entries.map { entry in
            engine.subscribe(entry, settings) { publication in
                guard publication.changes.contains(.state) else { return }
                let values = engine.states(entries).map { $0.current?.unboxed(as: Int.self) }
                seen.withLock { $0.append(values) }
            }
        }
        return subscriptions
    }

    @Test func `R29 a batch is one change for each request that it concerns, and all are seen together`() async {
        for id in 1...2 { write(id, id) }
        let subscriptions = observe(1, 2)
        seen.withLock { $0 = [] }
        engine.batch {
            write(1, 10)
            write(2, 20)
            #expect(double(1))
            #expect(double(1))
            engine.invalidate(.pattern("item/**"), .manual, refetch: .none)
            #expect(seen.withLock { $0.isEmpty })
        }
        #expect(seen.withLock { $0 } == [[40, 20], [40, 20]])
        #expect([1, 2].allSatisfy { engine.state(entry($0)).record.flags.contains(.invalidated) })
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `R29 a batch sees its own writes, and others don't`() async throws {
        write(1, 1)
        let gate = Gate()
        let task = engine.batch {
            write(1, 5)
            #expect(double(1))
            #expect(!double(2))
            write(2, 7)
            #expect(value(1) == 10 && value(2) == 7)
            engine.batch { write(2, 8) }
            #expect(value(2) == 8)
            #expect(number(engine.state(entry(1))) == 1 && number(engine.state(entry(2))) == nil)
            return Task {
                try await gate.pass()
                write(3, 3)
                return number(engine.state(entry(3)))
            }
        }
        gate.open()
        #expect(try await task.value == 3, "a task that began in the batch writes at once after it")
        #expect(value(1) == 10 && value(2) == 8)
    }

    @Test func `R29 a value that was written after an invalidation is fresh, and one from before is stale`() {
        engine.batch {
            write(1, 1)
            engine.invalidate(.pattern("item/**"), .manual)
            write(2, 2)
        }
        #expect(engine.state(entry(1)).record.flags.contains(.invalidated))
        #expect(!engine.state(entry(2)).record.flags.contains(.invalidated))
    }

    @Test func `R29 what a batch has changed before it throws counts`() {
        #expect(throws: Failure.self) {
            try engine.batch {
                write(1, 1)
                throw Failure()
            }
        }
        #expect(value(1) == 1)
    }

    @Test func `R29 a batch of one client changes another client at once`() {
        let other = Engine(clock: clock)
        engine.batch {
            let entry = other.entry(for: Item(id: 1).identity, ["item", 1], Typing<Item.State>.shared)
            other.write(entry, .success(AnyValue(1)))
            #expect(number(other.state(entry)) == 1)
            other.batch { write(1, 2) }
            #expect(number(engine.state(self.entry(1))) == nil && value(1) == 2)
        }
        #expect(value(1) == 2)
    }

    @Test func `R22 R29 the layers of a call in a batch are seen with the rest of it`() async throws {
        for id in 1...2 { write(id, id) }
        let subscriptions = observe(1, 2)
        seen.withLock { $0 = [] }
        let gate = Gate()
        engine.batch {
            write(1, 10)
            let layer: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Int.self) + 5) } }
            engine.submit(CallEntry(1, layers: [(entry(2), layer)], work: HeldCall(gate)))
            #expect(value(2) == 7)
        }
        #expect(seen.withLock { $0 } == [[10, 7], [10, 7]])
        gate.open()
        await engine.settled()
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `R29 two threads that batch don't wait for each other, and a write beside them is seen at once`() async {
        for id in 1...3 { write(id, 0) }
        let subscriptions = observe(1, 2, 3)
        let (entered, signal) = AsyncStream.makeStream(of: Void.self)
        let held = (1...2).map { _ in DispatchSemaphore(value: 0) }
        // Threads of their own, because the threads of tasks must not wait.
        let queue = DispatchQueue(label: "batches", attributes: .concurrent)
        for id in 1...2 {
            queue.async { [self] in
                engine.batch {
                    write(id, id)
                    signal.yield()
                    held[id - 1].wait()
                }
            }
        }
        for await _ in entered.prefix(2) {}
        write(3, 3)
        #expect(seen.withLock { $0.last } == [0, 0, 3])
        for semaphore in held { semaphore.signal() }
        await withCheckedContinuation { all in queue.async(flags: .barrier) { all.resume() } }
        #expect((1...3).map { value($0) } == [1, 2, 3])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `R29 a batch can't change a value that consists of layers only`() async {
        let gate = Gate()
        let layer: @Sendable (AnyValue?) -> AnyValue? = { _ in AnyValue(5) }
        engine.submit(CallEntry(1, layers: [(entry(1), layer)], work: HeldCall(gate)))
        #expect(value(1) == 5)
        engine.batch { #expect(!double(1)) }
        #expect(!double(1) && value(1) == 5)
        gate.open()
        await engine.settled()
    }

    @Test func `R24 R29 what a batch has changed before a log-out is gone, even for an observed request`() async {
        let subscriptions = observe(1, 2)
        await engine.settled()
        engine.batch {
            write(1, 10)
            engine.begin(session: "next", nil)
            #expect(value(1) != 10)
            write(2, 20)
            #expect(value(1) != 10 && value(2) == 20)
        }
        #expect(value(1) != 10 && value(2) == 20)
        engine.batch {
            write(1, 11)
            engine.begin(session: nil, nil)
        }
        #expect(value(1) != 11)
        await engine.settled()
        #expect(!seen.withLock { $0 }.contains { $0.contains(10) || $0.contains(11) })
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `R22 R35 a call that was set aside shows its layers again when it is retried`() async {
        let engine = Engine(clock: clock, limits: Ledger.Limits(failures: 1))
        let entry = engine.entry(for: Item(id: 1).identity, ["item", 1], Typing<Item.State>.shared)
        engine.write(entry, .success(AnyValue(1)))
        let gate = Gate()
        gate.failOnce(with: Failure())
        let layer: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Int.self) + 5) } }
        let call = CallEntry(1, isDurable: true, layers: [(entry, layer)], work: HeldCall(gate))
        engine.submit(call)
        await engine.settled()
        #expect(number(engine.state(entry)) == 1)
        engine.enterNow { $0.retry(call) }
        #expect(number(engine.state(entry)) == 6)
        gate.open()
        await engine.settled()
    }

    private final class HeldCall: CallCode {
        private let gate: Gate
        init(_ gate: Gate) { self.gate = gate }

        func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
            do {
                try await gate.pass()
                return .success(AnyValue(0))
            } catch {
                return .failure(error, .passing(after: .zero, counts: true))
            }
        }

        func append() async throws {}
        func remove() async {}
    }
}
