import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Sessions, handles, and the end of a client.
@Suite(.timeLimit(.minutes(5))) struct EngineSessionTests {
    private struct Item: QueryRequest {
        typealias Value = String
        let id: Int
        let app: App

        var path: QueryPath { ["item", id] }

        func setup(context: inout QueryContext) { app.onSetup.withLock(\.self)(context) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
            app.sessions.withLock { $0.append(context.session) }
            let hook = app.onFetch.withLock(\.self)
            return try await hook(context)
        }

        static func == (left: Item, right: Item) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private final class App: Sendable {
        let sessions = Lock<[String?]>([])
        let onSetup = Lock<@Sendable (QueryContext) -> Void>({ _ in })
        let onFetch = Lock<@Sendable (QueryContext) async throws -> String>({ $0.session ?? "nobody" })
    }

    /// What a context finds as its client.
    private final class Owner: Sendable {}

    private let clock = ManualClock()
    private let app = App()
    private let owner = Owner()
    private let engine: Engine

    init() {
        engine = Engine(clock: clock)
        engine.belong(to: WeakOwner(owner))
    }

    private func handle(_ id: Int = 1) -> Handle { handle(for: Item(id: id, app: app)) }

    private func handle<Request: QueryRequest>(for request: Request) -> Handle where Request.State.StateValue: ExpressibleByNilLiteral {
        engine.handle(for: request, Typing<Request.State>.shared)
    }

    private func begin(_ session: String?) { engine.begin(session: session, WeakOwner(owner)) }

    private func value(_ handle: Handle) -> String? { engine.state(handle).current?.unboxed(as: String.self) }

    private func observe(_ handle: Handle) -> (QuerySubscription, Lock<[String?]>) {
        let seen = Lock<[String?]>([])
        let subscription = engine.subscribe(handle) { publication in
            seen.withLock { $0.append(publication.state.current?.unboxed(as: String.self)) }
        }
        return (subscription, seen)
    }

    private var fetches: [String?] { app.sessions.withLock(\.self) }
    private var entryCount: Int { engine.enter { $0[$0.tables].count } }

    // MARK: Handles

    @Test func `R16 a handle lists no entry until it is used, and again after its entry was removed`() async throws {
        let handle = handle()
        #expect(value(handle) == nil)
        #expect(engine.look(handle) == nil)
        #expect(entryCount == 0)
        _ = try await engine.fetch(handle)
        #expect(value(handle) == "nobody")
        #expect(entryCount == 1)

        engine.enterNow { $0.remove($0.matches(.all)) }
        #expect(value(handle) == nil)
        #expect(entryCount == 0)
        #expect(try await engine.fetch(handle).unboxed(as: String.self) == "nobody")
        #expect(value(handle) == "nobody")
        #expect(entryCount == 1)
        #expect(fetches.count == 2)
    }

    @Test func `R16 two handles from before the first use share the entry`() async throws {
        let (first, second) = (handle(), handle())
        engine.enter(first) { ledger, entry, _ in ledger.write(entry, .success(AnyValue("written"))) }
        #expect(value(second) == "written")
        _ = try await engine.fetch(second)
        #expect(value(first) == "nobody")
        #expect(entryCount == 1)
    }

    // MARK: Sessions

    @Test func `R16 observers fetch again with the settings of the session that begins`() async throws {
        let (subscription, seen) = observe(handle())
        await engine.settled()
        begin("anna")
        await engine.settled()
        #expect(fetches == [nil, "anna"])
        #expect(seen.withLock(\.self) == [nil, nil, "nobody", nil, nil, "anna"])
        engine.enterNow { $0.invalidate(.pattern(.all), .manual) }
        await engine.settled()
        #expect(fetches == [nil, "anna", "anna"])
        subscription.cancel()
    }

    @Test func `R16 no run begins for the former session while settings are made again`() async throws {
        let (subscription, _) = observe(handle())
        await engine.settled()
        let engine = engine
        app.onSetup.withLock { $0 = { _ in engine.enterNow { $0.invalidate(.pattern(.all), .manual, refetch: .all) } } }
        begin("anna")
        await engine.settled()
        #expect(fetches == [nil, "anna"])
        subscription.cancel()
    }

    @Test func `a condition of the former session that answers late starts nothing`() async throws {
        let count = Lock(0)
        let engine = engine
        let request = Item(id: 1, app: app).enabled { context in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { engine.begin(session: "anna", nil) }
            return context.session == nil
        }
        let (subscription, _) = observe(handle(for: request))
        await engine.settled()
        #expect(count.withLock { $0 } >= 2)
        #expect(fetches.isEmpty)
        subscription.cancel()
    }

    @Test func `R24 a handle of the former session shows nothing of it, and fetches for the present one`() async throws {
        let (used, kept) = (handle(1), handle(2))
        _ = try await engine.fetch(used)
        _ = try await engine.fetch(kept)
        #expect(value(used) == "nobody")
        begin("anna")
        #expect(value(used) == nil)
        #expect(value(kept) == nil)
        #expect(entryCount == 0)
        #expect(try await engine.fetch(used).unboxed(as: String.self) == "anna")
        #expect(value(handle(1)) == "anna")
        #expect(entryCount == 1)
    }

    @Test func `R10 R24 a fetch of the former session is cancelled, finds no client, and its result is dropped`() async throws {
        let gate = Gate()
        let found = Lock<[Bool]>([])
        app.onFetch.withLock { hook in
            hook = { context in
                found.withLock { $0.append(context.owner?.object != nil) }
                if context.session == nil { try? await gate.pass() }
                found.withLock { $0.append(context.owner?.object != nil) }
                return context.session ?? "nobody"
            }
        }
        let handle = handle()
        let engine = engine
        let caller = Task { try await engine.fetch(handle) }
        await gate.arrived(1)
        begin("anna")
        await #expect(throws: CancellationError.self) { _ = try await caller.value }
        gate.open()
        #expect(try await engine.fetch(handle).unboxed(as: String.self) == "anna")
        await engine.settled()
        #expect(value(handle) == "anna")
        #expect(found.withLock { $0.filter { $0 }.count } == 3)
    }

    @Test func `R24 the values of a session are released when it ends, and not when their retention is over`() async throws {
        struct Held: QueryRequest {
            typealias Value = Owner
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Owner>) async throws -> Owner { Owner() }
        }
        weak var value: Owner?
        do { value = try await engine.fetch(handle(for: Held())).unboxed(as: Owner.self) }
        await engine.settled()
        #expect(value != nil)
        engine.begin(session: "anna", nil)
        #expect(value == nil)
    }

    @Test func `sessions that begin at the same time leave one, and observers have its settings`() async throws {
        let (subscription, _) = observe(handle())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for turn in 0..<50 { begin("\(task) \(turn)") } }
            }
        }
        await engine.settled()
        let present = engine.session.withLock { $0 }
        #expect(present.number == 201)
        #expect(value(handle()) == present.context.session)
        subscription.cancel()
    }

    @Test func `listeners hear of each session`() {
        let heard = Lock<[String?]>([])
        let subscription = engine.sessions.add { session in heard.withLock { $0.append(session) } }
        begin("anna")
        begin(nil)
        #expect(heard.withLock(\.self) == ["anna", nil])
        subscription.cancel()
    }

    // MARK: The end

    @Test func `a client that closes cancels its runs, and lets its engine end`() async throws {
        weak var ended: Engine?
        do {
            let engine = Engine(clock: clock)
            ended = engine
            let gate = Gate()
            app.onFetch.withLock {
                $0 = { _ in
                    try await gate.pass()
                    return "late"
                }
            }
            let handle = engine.handle(for: Item(id: 1, app: app), Typing<Item.State>.shared)
            let subscription = engine.subscribe(handle) { _ in }
            await gate.arrived(1)
            let settling = Task { await engine.settled() }
            let caller = Task { try await engine.fetch(handle) }
            while engine.enter({ ledger in ledger.live.first.flatMap { ledger[$0].run }.map { ledger[$0].callers.count } }) != 1 {
                await Task.yield()
            }
            engine.close()
            #expect(await settling.value)
            await #expect(throws: CancellationError.self) { _ = try await caller.value }
            #expect(engine.enter { $0.live.isEmpty && $0.work == 0 })
            #expect(clock.alarmCount == 0)
            subscription.cancel()
        }
        while ended != nil { await Task.yield() }
    }
}
