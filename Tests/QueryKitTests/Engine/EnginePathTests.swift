import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Paths whose elements are values of the app: their `hash`, `==` and deinit are called without the lock of the client.
struct EnginePathTests {
    /// What the elements call.
    private final class Probe: Sendable {
        let calls = Lock(0)
        let engine = Lock<Engine?>(nil)

        /// Waits for ever if the ledger is locked.
        func call() {
            calls.withLock { $0 += 1 }
            engine.withLock { $0 }?.enter { _ in }
        }
    }

    private final class Element: Hashable, Sendable {
        let number: Int
        let probe: Probe

        init(_ number: Int, _ probe: Probe) { (self.number, self.probe) = (number, probe) }

        deinit { probe.call() }

        static func == (left: Element, right: Element) -> Bool {
            left.probe.call()
            return left.number == right.number
        }

        /// All have the same hash.
        func hash(into hasher: inout Hasher) { probe.call() }
    }

    private struct Item: Hashable { let number: Int }

    private func entry(_ engine: Engine, _ number: Int, _ probe: Probe) -> Entry {
        engine.entry(for: QueryIdentity(Item(number: number)), ["item", Element(number, probe)], nil)
    }

    private func isStale(_ engine: Engine, _ entry: Entry) -> Bool { engine.state(entry).record.flags.contains(.invalidated) }

    @Test(.timeLimit(.minutes(5))) func `elements that call the client are hashed, compared and released without its lock`() {
        let probe = Probe()
        let engine = Engine(clock: ManualClock())
        probe.engine.withLock { $0 = engine }
        defer { probe.engine.withLock { $0 = nil } }
        let entries = (0..<5).map { entry(engine, $0, probe) }
        for entry in entries { engine.write(entry, .success(AnyValue(1))) }
        engine.invalidate(.pattern(["item", .value(Element(3, probe))]), .manual)
        #expect(entries.map { isStale(engine, $0) } == [false, false, false, true, false])
        engine.invalidate(.pattern(["item", .any]), .manual)
        #expect(entries.allSatisfy { isStale(engine, $0) })
        // Listed later, with an element that a pattern has named before.
        engine.invalidate(.pattern(["item", .value(Element(7, probe))]), .manual)
        let late = entry(engine, 7, probe)
        engine.write(late, .success(AnyValue(1)))
        _ = engine.batch { engine.invalidate(.pattern(["item", .value(Element(7, probe))]), .manual) }
        #expect(isStale(engine, late))
        engine.releaseStale([["item", .value(Element(7, probe))]])
        #expect(engine.enter { $0[$0.tables].count } == 5)
        #expect(probe.calls.withLock { $0 } > 0)
    }

    @Test(.timeLimit(.minutes(5))) func `elements end with the entries that have them, without the lock`() {
        let probe = Probe()
        let engine = Engine(clock: ManualClock())
        probe.engine.withLock { $0 = engine }
        defer { probe.engine.withLock { $0 = nil } }
        weak var first: Element?
        do {
            let element = Element(1, probe)
            first = element
            engine.write(engine.entry(for: QueryIdentity(Item(number: 1)), ["item", element], nil), .success(AnyValue(1)))
            // Its path has an equal element of its own.
            engine.write(engine.entry(for: QueryIdentity(Item(number: 2)), ["item", Element(1, probe)], nil), .success(AnyValue(1)))
        }
        #expect(first != nil)
        engine.enter { $0.remove($0.matches("item/*")) }
        engine.enter { $0.endDeadlines() }
        #expect(first == nil)
        #expect(engine.enter { $0[$0.tables].paths.nodeCount } == 1)
    }

    @Test func `elements that have ended are forgotten`() {
        let elements = PathElements()
        func path(_ number: Int) -> QueryPath { ["item", Item(number: number)] }
        for number in 0..<1_000 { _ = elements.unique(path(number)) }
        #expect(elements.count <= 128)
        let unique = elements.unique(path(5))
        #expect(unique == elements.unique(path(5)))
        #expect(unique != elements.unique(path(6)))
        #expect(unique == path(5))
        #expect(elements.unique(QueryPattern(["item", .value(Item(number: 5))])).matches(unique))
    }
}
