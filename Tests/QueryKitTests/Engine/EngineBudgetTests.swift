import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// R15: sizes of values are measured by code of the app, and budgets hold in an engine.
struct EngineBudgetTests {
    private final class Heavy: Sendable {
        let size: Int
        let measure: @Sendable () -> Void

        init(_ size: Int, _ measure: @escaping @Sendable () -> Void) { (self.size, self.measure) = (size, measure) }
    }

    private struct Weighed: ByteEstimating, Equatable, Sendable {
        let heavy: Heavy
        var heapByteCount: Int {
            heavy.measure()
            return heavy.size
        }
        static func == (left: Weighed, right: Weighed) -> Bool { left.heavy.size == right.heavy.size }
    }

    private struct Item: QueryRequest {
        let id: Int
        let value: @Sendable () -> Weighed

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Weighed>) async throws -> Weighed {
            continuation.yield(value())
            return value()
        }

        static func == (left: Item, right: Item) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private func limits(entries: Int = .max, bytes: Int) -> Ledger.Limits {
        var limits = Ledger.Limits()
        (limits.entries, limits.bytes) = (entries, bytes)
        return limits
    }

    private func byteCount(_ engine: Engine) -> Int { engine.enter { $0[$0.tables].byteCount } }

    private func count(_ engine: Engine) -> Int { engine.enter { $0[$0.tables].count } }

    @Test(.timeLimit(.minutes(5)))
    func `R15 each value is measured without the lock, and the oldest ones make room`() async throws {
        let engine = Engine(clock: ManualClock(), limits: limits(bytes: 35_000))
        let measured = Lock(0)
        let measure = { @Sendable [weak engine] in
            measured.withLock { $0 += 1 }
            // Waits for ever if the ledger is locked.
            engine?.enter { _ in }
        }
        let value = { @Sendable in Weighed(heavy: Heavy(10_000) { measure() }) }
        let handles = (1...5).map { id in
            engine.handle(for: Item(id: id, value: value), Typing<Item.State>.shared)
        }
        for handle in handles { _ = try await engine.fetch(handle) }
        await engine.settled()
        #expect(handles.map { engine.state($0).current != nil } == [false, false, true, true, true])
        #expect(byteCount(engine) > 30_000 && byteCount(engine) <= 35_000)
        #expect(measured.withLock { $0 } >= 5)
        // A write, an update and a batch are measured, too.
        let entry = engine.present(handles[4]).entry
        engine.write(entry, .success(AnyValue(Weighed(heavy: Heavy(20_000) {}))))
        #expect(byteCount(engine) > 20_000 && byteCount(engine) <= 35_000)
        engine.update(entry) { _ in AnyValue(Weighed(heavy: Heavy(30_000) {})) }
        #expect(byteCount(engine) > 30_000 && byteCount(engine) <= 35_000)
        engine.batch { engine.write(entry, .success(AnyValue(Weighed(heavy: Heavy(5_000) {})))) }
        #expect(byteCount(engine) > 5_000 && byteCount(engine) < 10_000)
        #expect(engine.state(entry).byteCount == byteCount(engine))
    }

    @Test func `R15 nothing is measured if no limit counts bytes`() async throws {
        let engine = Engine(clock: ManualClock())
        let measured = Lock(0)
        let item = Item(id: 1) { Weighed(heavy: Heavy(10) { measured.withLock { $0 += 1 } }) }
        _ = try await engine.fetch(engine.handle(for: item, Typing<Item.State>.shared))
        #expect(measured.withLock { $0 } == 0)
    }

    @Test func `R15 a store is used by handles although there is no place for it`() async throws {
        let engine = Engine(clock: ManualClock(), limits: limits(entries: 0, bytes: .max))
        let handle = engine.handle(for: Item(id: 1) { Weighed(heavy: Heavy(1) {}) }, Typing<Item.State>.shared)
        _ = try await engine.fetch(handle)
        #expect(engine.state(handle).current == nil)
        let states = Lock(0)
        let subscription = engine.subscribe(handle) { _ in states.withLock { $0 += 1 } }
        await engine.settled()
        #expect(engine.state(handle).current != nil)
        subscription.cancel()
        #expect(engine.state(handle).current == nil)
        #expect(states.withLock { $0 } > 1)
    }

    @Test(.timeLimit(.minutes(5)))
    func `R15 memory pressure releases a thousand entries while others are written and read`() async {
        let engine = Engine(clock: ManualClock(), limits: limits(entries: 500, bytes: .max))
        let handles = (0..<1_000).map { id in
            engine.handle(for: Item(id: id) { Weighed(heavy: Heavy(1) {}) }, Typing<Item.State>.shared)
        }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for handle in handles[part * 250..<(part + 1) * 250] {
                        engine.enter(handle) { ledger, entry, _ in ledger.write(entry, .success(AnyValue(Weighed(heavy: Heavy(1) {})))) }
                        _ = engine.state(handles[(part * 250 + 7) % 1_000])
                        if part == 0 { engine.releaseMemory(.warning) }
                    }
                }
            }
        }
        await engine.settled()
        #expect(count(engine) <= 500)
        engine.releaseMemory(.critical)
        await engine.settled()
        #expect(count(engine) == 0)
    }
}
