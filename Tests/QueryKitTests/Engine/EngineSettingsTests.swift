import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Settings of requests: made once for equal requests with the same modifiers, and kept no longer than their entries.
struct EngineSettingsTests {
    private struct Item: QueryRequest {
        typealias Value = Int
        let id: Int
        let setups: Counter

        var path: QueryPath { ["item", id] }

        func setup(context: inout QueryContext) {
            setups.count.withLock { $0 += 1 }
            context.timeout = .seconds(id)
        }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }

        static func == (left: Item, right: Item) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private final class Counter: Sendable { let count = Lock(0) }

    private let clock = ManualClock()
    private let setups = Counter()
    private let engine: Engine

    init() { engine = Engine(clock: clock) }

    private func item(_ id: Int = 1) -> Item { Item(id: id, setups: setups) }

    private func handle<Request: QueryRequest>(_ request: Request) -> Handle where Request.State.StateValue: ExpressibleByNilLiteral {
        engine.handle(for: request, Typing<Request.State>.shared)
    }

    private var setupCount: Int { setups.count.withLock { $0 } }

    @Test func `equal requests with equal modifiers have the same settings, made once`() async throws {
        let plain = handle(item())
        _ = try await engine.fetch(plain)
        #expect(handle(item()).settings === plain.settings)
        #expect(setupCount == 1)
        #expect(plain.settings.timeout == Nanoseconds(.seconds(1)))

        let adjusted = handle(item().ttl(.seconds(5)).keep(for: .seconds(7)))
        #expect(setupCount == 2)
        #expect(handle(item().ttl(.seconds(5)).keep(for: .seconds(7))).settings === adjusted.settings)
        #expect(setupCount == 2)
        #expect(adjusted.settings.ttl == Nanoseconds(.seconds(5)))
        #expect(adjusted.settings.retention == Nanoseconds(.seconds(7)))
        #expect(adjusted.settings.timeout == plain.settings.timeout)
    }

    @Test func `R17 a refetch of all runs a request that was only written, unless its condition forbids that`() async {
        let requests = [handle(item(1)), handle(item(2).onEvent(QueryEventHandler())), handle(item(3).enabled(false))]
        for handle in requests { engine.enter(handle) { ledger, entry, _ in ledger.write(entry, .success(AnyValue(0))) } }
        engine.invalidate(.entries(requests.map(\.entry)), .manual, refetch: .all)
        await engine.settled()
        #expect(requests.map { engine.state($0).current?.unboxed(as: Int.self) } == [1, 2, 0])
    }

    @Test func `other modifiers, other values and closures have settings of their own`() async throws {
        _ = try await engine.fetch(handle(item()))
        let all = [
            handle(item()), handle(item(2)), handle(item().ttl(.seconds(5))), handle(item().ttl(.seconds(6))),
            handle(item().keep(for: .seconds(5))), handle(item().ttl(.seconds(5)).keep(for: .seconds(5))),
            handle(item().ttl { .seconds($0) }), handle(item().ttl { .seconds($0) }),
        ]
        #expect(Set(all.map { ObjectIdentifier($0.settings) }).count == all.count)
        #expect(handle(item().ttl(.seconds(6))).settings.ttl == Nanoseconds(.seconds(6)))
        #expect(handle(item(2)).settings.timeout == Nanoseconds(.seconds(2)))
    }

    @Test func `defaults apply to matching paths, before setup and modifiers`() {
        let defaults: [(QueryPattern, @Sendable (inout QueryContext) -> Void)] = [
            ("item/*", { ($0.ttl, $0.timeout) = (.seconds(3), .seconds(9)) }), ("other/**", { $0.ttl = .seconds(4) }),
        ]
        let engine = Engine(clock: clock, defaults: defaults.map { (pattern: $0.0, apply: $0.1) })
        let plain = engine.handle(for: item(), Typing<Item.State>.shared).settings
        #expect(plain.ttl == Nanoseconds(.seconds(3)))
        #expect(plain.timeout == Nanoseconds(.seconds(1)))
        let adjusted = engine.handle(for: item().ttl(.seconds(8)), Typing<Item.State>.shared).settings
        #expect(adjusted.ttl == Nanoseconds(.seconds(8)))
    }

    @Test func `settings end with the handles and entries that have them`() async throws {
        weak let plain = handle(item()).settings
        #expect(plain == nil)
        let used = handle(item(2))
        _ = try await engine.fetch(used)
        weak let kept = used.settings
        #expect(handle(item(2)).settings === kept)
    }

    @Test func `settings end with their entry`() async throws {
        weak var settings: Settings?
        do {
            let handle = handle(item())
            _ = try await engine.fetch(handle)
            settings = handle.settings
        }
        #expect(settings != nil)
        clock.advance(by: .seconds(301))
        await engine.settled()
        #expect(settings == nil)
    }

    @Test func `an inline closure ends with its last user, and the entry keeps the rest`() async throws {
        let owner = WeakOwner(engine, sharing: ClientShare())
        var context = QueryContext()
        context.owner = owner
        let engine = Engine(clock: clock, context: context)
        weak var captured: Counter?
        do {
            let flag = Counter()
            captured = flag
            let request = InlineQuery<Int>("inline", fetch: { _ in flag.count.withLock { $0 + 4 } })
            let value = try await engine.fetch(engine.handle(for: request.ttl(.seconds(60)), Typing<InlineQuery<Int>.State>.shared))
            #expect(value.unboxed(as: Int.self) == 4)
        }
        await engine.settled()
        #expect(captured == nil)
        let unbound = engine.handle(for: InlineQuery<Int>("inline"), Typing<InlineQuery<Int>.State>.shared)
        #expect(engine.state(unbound).current?.unboxed(as: Int.self) == 4)
        engine.enterNow { $0.invalidate(.pattern("inline"), .manual, refetch: .all) }
        await engine.settled()
        #expect(engine.state(unbound).record.flags.contains(.invalidated))
        await #expect(throws: QueryError.self) { try await engine.fetch(unbound) }
    }
}
