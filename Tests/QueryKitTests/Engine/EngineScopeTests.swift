import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What runs read through the engine (R18).
@Suite(.timeLimit(.minutes(5))) struct EngineScopeTests {
    private let engine = Engine(clock: ManualClock())

    private func changed(_ regions: QueryRegion...) { engine.enterNow { $0.changed(regions, .regionChanged) } }

    @Test func `R18 a part keeps its own reads, and the run depends on those of all parts`() async throws {
        let inner = Coded(engine, 1, ttl: .seconds(9)) { _ in
            Scope.current?.note([region("inner")])
            return 1
        }
        _ = try await inner.fetch()
        let parts = Lock<[Set<QueryRegion>]>([])
        let outer = Coded(engine, 2) { _ in
            Scope.current?.note([region("a")])
            for name in ["b", "c"] {
                let (_, reads) = try await Scope.collecting {
                    Scope.current?.note([region(name), region("a")])
                    // The reads of a fresh value belong to the part that takes it.
                    if name == "c" { _ = try await inner.fetch() }
                }
                parts.withLock { $0.append(Set(reads.regions)) }
            }
            return 2
        }
        _ = try await outer.fetch()
        #expect(parts.withLock { $0 } == [[region("a"), region("b")], [region("a"), region("c"), region("inner")]])
        #expect(outer.reads == [region("a"), region("b"), region("c"), region("inner")])
        let outside = try await Scope.collecting { try await inner.fetch() }
        #expect(outside.reads.regions == [region("inner")])
    }

    @Test func `R33 a task that a run has left behind fetches the same request without a cycle`() async throws {
        let gate = Gate()
        let left = Lock<Task<Int, any Error>?>(nil)
        let request = Lock<Coded?>(nil)
        let coded = Coded(engine, 1) { number in
            if number == 1 {
                let task = Task {
                    try await gate.pass()
                    return try await request.withLock { $0 }?.fetch(takesFresh: false) ?? 0
                }
                left.withLock { $0 = task }
            }
            return number
        }
        request.withLock { $0 = coded }
        #expect(try await coded.fetch() == 1)
        gate.open()
        #expect(try await left.withLock { $0 }?.value == 2)
        request.withLock { $0 = nil }
    }

    @Test func `R18 the same statement again costs no lock of the client`() async throws {
        let list = RecurringRegions([region("t")])
        let source = AnySource()
        let run = Coded(engine, 1) { [engine] _ in
            Scope.current?.note(list, 4...4, of: source)
            // The thread holds the client's lock, so a note that needed it would never return.
            engine.enter { _ in
                Scope.current?.note(list, 4...5, of: source)
                Scope.current?.note([region("t")])
            }
            return 1
        }
        #expect(try await run.fetch() == 1)
        #expect(run.reads == [region("t")])
    }

    @Test func `R18 more regions than a set holds become their table`() async throws {
        let run = Coded(engine, 1) { _ in
            for row in 0..<1_000 { Scope.current?.note([QueryRegion(source: "s", name: "t", row: "\(row)")]) }
            return 1
        }
        _ = try await run.fetch()
        #expect(run.reads.contains(region("t")))
        #expect(run.reads.count <= RegionSet.limit + 1)
    }

    @Test func `R18 a source that noted too late reports it, and another run follows`() async throws {
        let run = Coded(engine, 1) { number in
            Scope.current?.note([region("t")])
            if number == 1 { Scope.current?.outdate([region("t")]) }
            return number
        }
        #expect(try await run.fetch() == 1)
        await engine.settled()
        #expect(run.value == 2 && !run.isStale)
    }

    @Test func `R18 a value from a source without reports is stale at once, as is a value made of it, and no run follows`() async throws {
        let inner = Coded(engine, 1, ttl: .seconds(9)) { _ in
            Scope.current?.noteUnfollowed()
            return 1
        }
        let outer = Coded(engine, 2, ttl: .seconds(9)) { _ in try await inner.fetch() + 1 }
        let subscriptions = [inner.observe(), outer.observe()]
        await engine.settled()
        #expect(inner.value == 1 && inner.isStale && outer.value == 2 && outer.isStale)
        #expect(inner.runs == 2 && outer.runs == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R18 what outlives its run notes nothing, and a failed run keeps what it has read`() async throws {
        let kept = Lock<Scope?>(nil)
        let run = Coded(engine, 1) { number in
            kept.withLock { $0 = Scope.current }
            Scope.current?.note([region("t")])
            if number == 1 { throw TestError() }
            return number
        }
        let subscription = run.observe()
        await engine.settled()
        kept.withLock { $0 }?.note([region("late")])
        kept.withLock { $0 }?.outdate([region("t")])
        #expect(run.reads == [region("t")] && run.runs == 1)
        changed(region("t"))
        await engine.settled()
        #expect(run.value == 2)
        subscription.cancel()
    }

    @Test func `R18 handlers and what they fetch aren't part of the run in whose task they are called`() async throws {
        let seen = Lock<[Bool]>([])
        let observed = Coded(engine, 1) { _ in 1 }
        let subscription = observed.observe { _ in seen.withLock { $0.append(Scope.current == nil) } }
        await engine.settled()
        let writer = Coded(engine, 2) { [engine] _ in
            engine.enterNow { $0.write(observed.entry, .success(AnyValue(7))) }
            let other = observed.observe { _ in seen.withLock { $0.append(Scope.current == nil) } }
            other.cancel()
            return Scope.current == nil ? 0 : 1
        }
        #expect(try await writer.fetch() == 1)
        await engine.settled()
        #expect(seen.withLock { $0 }.allSatisfy(\.self) && seen.withLock { $0.count } >= 3)
        subscription.cancel()
    }

    @Test func `R11 what an attempt saves is there for the next one, and is released with the run`() async throws {
        final class Progress: Sendable {}
        let saved = Lock<WeakBox<Progress>>(WeakBox())
        let kept = Lock<Scope?>(nil)
        let run = Coded(engine, 1, retries: 1) { number in
            kept.withLock { $0 = Scope.current }
            if number == 1 {
                let progress = Progress()
                saved.withLock { $0.object = progress }
                Scope.current?.remember(progress)
                throw TestError()
            }
            return Scope.current?.progress is Progress ? 1 : 0
        }
        #expect(try await run.fetch() == 1)
        #expect(saved.withLock { $0.object } == nil)
        kept.withLock { $0 }?.remember(Progress())
        #expect(kept.withLock { $0 }?.progress == nil)
    }
}

/// Stands for a source.
private final class AnySource: Sendable {}

private struct WeakBox<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}
