import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A fetch with a context of its own.
@Suite(.timeLimit(.minutes(5))) struct EngineContextTests {
    private struct Word: QueryRequest {
        typealias Value = String
        let app: App

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
            try await app.gate.pass()
            app.seen.withLock { $0.append("\(context[Note.self]) \(context.session ?? "") \(context.owner?.object === app)") }
            return context[Note.self]
        }

        static func == (left: Word, right: Word) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private enum Note: QueryContext.Key { static var defaultValue: String { "own" } }

    private final class App: Sendable {
        let gate = Gate()
        let seen = Lock<[String]>([])
    }

    private let app = App()
    private let engine: Engine

    init() {
        engine = Engine(clock: ManualClock())
        engine.belong(to: WeakOwner(app))
        engine.begin(session: "a", WeakOwner(app))
        app.gate.open()
    }

    private func handle(_ engine: Engine? = nil) -> Handle {
        (engine ?? self.engine).handle(for: Word(app: app), Typing<Word.State>.shared)
    }

    private func context(_ note: String, _ handle: Handle) -> QueryContext {
        var context = handle.settings.app!.context
        context[Note.self] = note
        return context
    }

    private func fetch(_ handle: Handle, using context: QueryContext? = nil) async throws -> String {
        try await engine.fetch(handle, using: context).unboxed(as: String.self)
    }

    @Test func `R30 the context of a call counts for the run that it begins, and for no later run`() async throws {
        let handle = handle()
        #expect(try await fetch(handle, using: context("other", handle)) == "other")
        let subscription = engine.subscribe(handle) { _ in }
        await engine.settled()
        engine.enterNow { $0.unsubscribe(handle.entry, $0[handle.entry].observers[0]) }
        engine.enterNow { $0.invalidate(.entries([handle.entry]), .manual, refetch: .all) }
        await engine.settled()
        #expect(app.seen.withLock { $0 } == ["other a true", "own a true", "own a true"])
        subscription.cancel()
    }

    @Test func `R6 a caller with a context of its own joins the run under way, and the one that follows it`() async throws {
        app.gate.close()
        let handle = handle()
        let first = Task { try await fetch(handle) }
        await app.gate.arrived()
        let second = Task { try await fetch(handle, using: context("other", handle)) }
        while callers(handle) < 2 { await Task.yield() }
        engine.enterNow { $0.invalidate(.entries([handle.entry]), .manual) }
        let third = Task { try await fetch(handle, using: context("third", handle)) }
        while callers(handle) < 3 { await Task.yield() }
        app.gate.open()
        for task in [first, second, third] { #expect(try await task.value == "own") }
        #expect(app.seen.withLock { $0.count } == 2)
    }

    private func callers(_ handle: Handle) -> Int {
        engine.enter { ledger in ledger[handle.entry].run.map { ledger[$0].callers.count + ledger[$0].nextCallers.count } ?? 0 }
    }

    @Test func `R12 the context of a single call can do without a network`() async throws {
        engine.enterNow { $0.setOnline(false) }
        let handle = handle()
        var online = context("online", handle)
        online.networkMode = .online
        let paused = Task { try await fetch(handle, using: online) }
        while !engine.state(handle).record.flags.contains(.paused) { await Task.yield() }
        paused.cancel()
        _ = await paused.result
        #expect(try await fetch(handle, using: context("other", handle)) == "other")
    }

    @Test func `R16 a context of a session that has ended is refused, also of another client's`() async throws {
        let other = Engine(clock: ManualClock())
        let owner = App()
        other.begin(session: "b", WeakOwner(owner))
        let (own, foreign) = (handle(), self.handle(other))
        // It is made here, in the session of this client.
        #expect(try await fetch(own, using: context("foreign", foreign)) == "foreign")
        let kept = context("kept", own)
        engine.begin(session: "c", WeakOwner(app))
        let error = await #expect(throws: QueryError.self) { try await fetch(own, using: kept) }
        #expect(error?.code == .sessionEnded && error?.path == own.entry.path)
        let last = context("foreign", foreign)
        other.begin(session: "d", WeakOwner(owner))
        await #expect(throws: QueryError.self) { try await fetch(own, using: last) }
        #expect(try await fetch(own) == "own")
        #expect(app.seen.withLock { $0 } == ["foreign a true", "own c true"])
    }
}
