import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What follows from a change or a refetch, and how it ends (R29).
@Suite(.timeLimit(.minutes(5))) struct EngineRefetchTests {
    private let engine = Engine(clock: ManualClock())

    private func invalidate(_ requests: Coded...) -> Refetches { engine.invalidate(.entries(requests.map(\.entry)), .manual) }

    @Test func `R29 refetches end when their runs have, and name those that failed`() async throws {
        let gate = Gate()
        let good = Coded(engine, 1) { run in
            if run > 1 { try await gate.pass() }
            return run
        }
        let bad = Coded(engine, 2) { run in
            if run > 1 { throw TestError() }
            return run
        }
        let seen = Recorder<Int>()
        let observers = [good.observe { seen.note($0.state.current?.unboxed(as: Int.self) ?? 0) }, bad.observe()]
        await engine.settled()
        let refetches = invalidate(good, bad)
        let ended = Task { await engine.finish(refetches) }
        await gate.arrived()
        #expect(seen.take().last == 1)
        gate.open()
        let failures = await ended.value
        #expect(failures.map(\.path) == [bad.entry.path])
        #expect(failures.first?.error is TestError)
        // The handlers have received the value before.
        #expect(seen.take().last == 2)
        #expect(await engine.finish(refetches).count == 1)
        for observer in observers { observer.cancel() }
    }

    @Test func `R17 a run that began before the change doesn't count, but the one after it`() async throws {
        let gate = Gate()
        let request = Coded(engine, 1) { run in
            try await gate.pass()
            if run == 2 { throw TestError() }
            return run
        }
        let observer = request.observe()
        await gate.arrived()
        let refetches = invalidate(request)
        gate.open()
        #expect(await engine.finish(refetches).count == 1)
        observer.cancel()
    }

    @Test func `a change of requests without observers has no refetches`() async throws {
        let request = Coded(engine, 1) { $0 }
        _ = try await request.fetch()
        #expect(await engine.finish(invalidate(request)).isEmpty)
        #expect(request.count.withLock { $0 } == 1)
    }

    @Test func `R33 a run that awaits its own refetch goes on`() async throws {
        let inner = Coded(engine, 1) { [engine] run in
            guard run == 2, let entry = Scope.current?.run?.entry else { return run }
            let refetches = engine.invalidate(.entries([entry]), .manual)
            return await engine.finish(refetches).count + 10
        }
        let observer = inner.observe()
        await engine.settled()
        #expect(await engine.finish(invalidate(inner)).isEmpty)
        await engine.settled()
        #expect(inner.value == 3)
        observer.cancel()
    }

    @Test func `R33 a run that awaits refetches isn't work of its own`() async throws {
        let clock = ManualClock()
        let engine = Engine(clock: clock)
        let failing = Coded(engine, 1, retries: 1, backoff: .seconds(1)) { run in
            if run == 2 { throw TestError() }
            return run
        }
        let waiting = Coded(engine, 2) { [engine] _ in
            let refetches = engine.invalidate(.entries([failing.entry]), .manual)
            return await engine.finish(refetches).count
        }
        let observer = failing.observe()
        await engine.settled()
        let fetch = Task { try await waiting.fetch() }
        while !engine.enter({ ledger in ledger[waiting.entry].run.map { ledger[$0].waits } == 1 }) { await Task.yield() }
        await engine.settled()
        clock.advance(by: .seconds(1))
        #expect(try await fetch.value == 0)
        observer.cancel()
    }

    @Test func `a refetch that waits for the network has failed for now`() async throws {
        let request = Coded(engine, 1) { run in
            if run == 2 { throw TestError() }
            return run
        }
        let observer = request.observe()
        await engine.settled()
        engine.enterNow { $0.setOnline(false) }
        let (refetches, entry) = (Refetches(), request.entry)
        engine.enterNow { ledger in
            ledger.collecting(refetches) { ledger in
                ledger.watch(entry)
                ledger.want(entry, .manual)
            }
            if let run = ledger[entry].run { ledger.setPhase(run, .paused(hasBegun: true)) }
        }
        let failures = await engine.finish(refetches)
        #expect((failures.first?.error as? QueryError)?.code == .networkUnavailable)
        observer.cancel()
    }

    @Test func `R29 the refetches of a batch begin at its end, and those after a log-out end`() async throws {
        let request = Coded(engine, 1) { $0 }
        let observer = request.observe()
        await engine.settled()
        let refetches = engine.batch { invalidate(request) }
        #expect(await engine.finish(refetches).isEmpty)
        #expect(request.value == 2)
        let dropped = engine.batch {
            let refetches = invalidate(request)
            engine.begin(session: "other", nil)
            return refetches
        }
        #expect(await engine.finish(dropped).isEmpty)
        observer.cancel()
    }

    @Test func `R29 refetches of a large change end after its last part`() async throws {
        let requests = (0..<400).map { Coded(engine, $0) { $0 } }
        let observers = requests.map { $0.observe() }
        await engine.settled()
        #expect(await engine.finish(engine.invalidate(.pattern("code/**"), .manual)).isEmpty)
        #expect(requests.allSatisfy { $0.value == 2 })
        for observer in observers { observer.cancel() }
    }

    @Test func `R7 a cancelled wait ends at once`() async throws {
        let gate = Gate()
        let request = Coded(engine, 1) { run in
            if run > 1 { try await gate.pass() }
            return run
        }
        let observer = request.observe()
        await engine.settled()
        let refetches = invalidate(request)
        let waiting = Task { await engine.finish(refetches) }
        let settled = Task { await engine.settled() }
        await gate.arrived()
        waiting.cancel()
        settled.cancel()
        #expect(await waiting.value.isEmpty)
        #expect(await settled.value == false)
        gate.open()
        observer.cancel()
    }
}
