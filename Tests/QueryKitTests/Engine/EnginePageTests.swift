import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What a run for pages begins with, and fetches of some pages (R25).
@Suite(.timeLimit(.minutes(5))) struct EnginePageTests {
    private let engine = Engine(clock: ManualClock())
    private let seen = Recorder<[String]?>()

    private func changed(_ names: String...) { engine.enterNow { $0.changed(names.map { region($0) }, .regionChanged) } }

    /// A request whose runs record what has changed.
    private func makePages(_ code: @escaping @Sendable (Int) async throws -> Void = { _ in }) -> Coded {
        Coded(engine, 1) { [engine, seen] number in
            guard let run = Scope.current?.run else { return 0 }
            seen.note(engine.pages(of: run).changes?.compactMap(\.name))
            Scope.current?.note([region("a"), region("b")])
            try await code(number)
            return number
        }
    }

    @Test func `R25 a run after a change knows what has changed since the run before it`() async throws {
        let pages = makePages()
        let observer = pages.observe()
        await engine.settled()
        changed("a")
        await engine.settled()
        changed("b")
        await engine.settled()
        #expect(seen.take() == [nil, ["a"], ["b"]])
        observer.cancel()
    }

    @Test func `R25 after a failed or a cancelled run, its changes are still due`() async throws {
        let gate = Gate()
        let pages = makePages { number in
            if number == 2 { throw CancellationError() }
            if number == 3 { try await gate.pass() }
        }
        let observer = pages.observe()
        await engine.settled()
        changed("a")
        await engine.settled()
        changed("b")
        await gate.arrived()
        engine.enterNow { [entry = pages.entry] in $0.cancel(entry) }
        await engine.settled()
        changed("a")
        await engine.settled()
        #expect(seen.take().map { $0.map(Set.init) } == [nil, ["a"], ["a", "b"], ["a", "b"]])
        observer.cancel()
    }

    @Test func `R25 after an invalidation everything may have changed`() async throws {
        let pages = makePages()
        let observer = pages.observe()
        await engine.settled()
        engine.invalidate(.entries([pages.entry]), .manual)
        await engine.settled()
        #expect(seen.take() == [nil, nil])
        observer.cancel()
    }

    @Test func `R25 a change during a run is due in the next one`() async throws {
        let gate = Gate()
        let pages = makePages { number in if number == 2 { try await gate.pass() } }
        let observer = pages.observe()
        await engine.settled()
        changed("a")
        await gate.arrived()
        changed("b")
        gate.open()
        await engine.settled()
        #expect(seen.take() == [nil, ["a"], ["b"]])
        observer.cancel()
    }

    @Test func `R25 what is fetched is chosen again if the value changes first`() async throws {
        let request = CodeRequest(id: 1) { 5 }
        let handle = engine.handle(for: request, Typing<CodeRequest.State>.shared)
        _ = try await engine.fetch(handle)
        let chosen = Recorder<Int?>()
        let value = try await engine.fetch(handle) { base, isRunning in
            let base = base?.unboxed(as: Int.self)
            chosen.note(base)
            if base == 5 { engine.write(handle.entry, .success(AnyValue(6))) }
            #expect(!isRunning)
            return base == 6 ? .next : .previous
        }
        #expect(value.unboxed(as: Int.self) == 5)
        #expect(chosen.take() == [5, 6])
        #expect(engine.state(handle.entry).record.cause == .nextPage)
    }

    @Test func `R25 without anything to fetch the present value is returned`() async throws {
        let handle = engine.handle(for: CodeRequest(id: 1) { 5 }, Typing<CodeRequest.State>.shared)
        _ = try await engine.fetch(handle)
        #expect(try await engine.fetch(handle, choosing: { _, _ in nil }).unboxed(as: Int.self) == 5)
    }
}
