import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A run for a single caller in a quiet store takes a short path. It must always have the same result as the long path.
struct LoneRunTests {
    /// What happened to the store before.
    enum Past: CaseIterable {
        case nothing, fetched, fetchedTwice, failed, failedAfterValue, invalidated, written, observed, fetchedWithOthers
    }

    /// What happens while the run is under way.
    enum Event: CaseIterable {
        case nothing, look, secondCaller, observer, invalidation, write, equalWrite, changedRegion, cancelledCaller, cancellation, reset,
            session
        case privateCaller, modifiedHandle, yield
        case persistedHandle, taggedHandle, changedTag, removal, batch, layer, reader, snapshot, passingTime
    }

    enum Ending: CaseIterable {
        case newValue, equalValue, failure
    }

    private struct Failure: Error {}

    private static let region = QueryRegion(source: "lone")

    /// The outcome of one life, as text.
    private static func life(after past: Past, meeting events: [Event], _ ending: Ending, isAlone: Bool) async throws -> (
        report: [String], ways: [Bool]
    ) {
        let gate = Gate()
        let fails = Lock(false)
        let waits = Lock(false)
        let (sharedGate, isShared) = (Gate(), Lock(false))
        // A run that waits at a gate counts as waiting, so it is no longer lone. It does so only where the order of runs and calls matters.
        let waitsItself = events.contains(.layer) || events.contains(.privateCaller)
        let ways = Lock<[Bool]>([])
        let accounts = Accounts { _ in try await gate.pass() }
        let cache = MemoryQueryCache()
        let bench = TestBench { call in
            let isAlone = RunScope.current?.store?.contents.withBasis { basis, _ in basis.loneRun != nil }
            ways.withLock { $0.append(isAlone == true) }
            QueryReads.note([region])
            if events.contains(.yield) { call.continuation.yield(77) }
            if isShared.withLock({ $0 }) { try await sharedGate.pass() }
            if waits.withLock({ $0 }) {
                if waitsItself { try await gate.pass() } else { try await Task.detached { try await gate.pass() }.value }
            }
            if fails.withLock({ $0 }) { throw Failure() }
            return ending == .newValue ? call.number : 5
        } adjusting: {
            $0.accounts = accounts
        }
        let store = bench.client.store(for: Number())
        if !isAlone { store.core.contents.withBasis { basis, _ in _ = basis.needRare() } }
        var report: [String] = []
        func note(_ moment: String) {
            let record = store.core.record
            let (asOf, number) = store.core.contents.withBasis { basis, _ in (basis.asOf, basis.valueNumber) }
            // A cancelled caller leaves some of the work to a task.
            let work = moment == "during" ? 0 : bench.client.core.work.count
            let lastRun = moment == "during" ? 0 : store.core.contents.withLock { $0.machine.lastNumber }
            report.append(
                "\(moment): \(store.value ?? -1) \(store.status) \(record.flags.rawValue) \(record.valueCount) \(record.errorCount)"
                    + " \(record.failures) \(record.revision) \(record.cause) \(record.valueTime.instant) \(asOf.number) \(number)"
                    + " \(lastRun) stale: \(store.isStale) running: \(bench.client.core.runningCount) work: \(work)"
                    + " bytes: \(bench.client.core.byteCount) fetched: \(bench.backend.count)"
            )
        }
        func fetchOnce() async { _ = try? await store.fetch() }
        switch past {
        case .nothing: break
        case .fetched: await fetchOnce()
        case .fetchedTwice:
            await fetchOnce()
            await fetchOnce()
        case .failed, .failedAfterValue:
            if past == .failedAfterValue { await fetchOnce() }
            fails.withLock { $0 = true }
            await fetchOnce()
            fails.withLock { $0 = false }
        case .invalidated:
            await fetchOnce()
            store.invalidate()
        case .written: store.setValue(5)
        case .observed:
            let subscription = store.subscribe(with: .init())
            await bench.client.settled()
            subscription.cancel()
        case .fetchedWithOthers:
            isShared.withLock { $0 = true }
            async let first: Void = fetchOnce()
            async let second: Void = fetchOnce()
            while store.core.contents.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
            sharedGate.open()
            _ = await (first, second)
            isShared.withLock { $0 = false }
        }
        await bench.client.settled()
        bench.clock.advance(by: .seconds(1))
        waits.withLock { $0 = true }
        note("before")
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        if !waitsItself, !events.contains(.yield) {
            #expect(store.core.contents.withBasis { basis, _ in basis.loneRun != nil } == isAlone)
        }
        var kept: [Any] = []
        for event in events {
            switch event {
            case .nothing, .yield: break
            case .look: note("during")
            case .secondCaller, .reader:
                let count = store.core.contents.withLock { $0.waiters.count }
                kept.append(
                    event == .reader ? bench.client.store(for: Twice(id: kept.count)).fetchTask().start() : store.fetchTask().start()
                )
                while store.core.contents.withLock({ $0.waiters.count }) == count { await Task.yield() }
            case .observer: kept.append(store.subscribe(with: .init()))
            case .invalidation: store.invalidate()
            case .write: store.setValue(9)
            case .equalWrite: store.setValue(5)
            case .changedRegion: bench.client.changed([region])
            case .cancelledCaller: caller.cancel()
            case .cancellation: store.cancel()
            case .reset: store.reset()
            case .session: bench.client.reset(session: "other")
            case .privateCaller:
                kept.append(Task { try await bench.client.store(for: Number().deduplicated(false)).fetch() })
                await gate.arrived(2)
            case .modifiedHandle: kept.append(bench.client.store(for: Number().keep(for: .seconds(5)).notifyEqual()))
            case .persistedHandle: kept.append(bench.client.store(for: Number().persisted(in: cache)))
            case .taggedHandle: kept.append(bench.client.store(for: Number().tagged("lone")))
            case .changedTag: bench.client.invalidate(tags: ["lone"])
            case .removal: bench.client.remove("number/*")
            case .batch:
                bench.client.batch {
                    store.setValue(6)
                    store.invalidate()
                }
            case .layer:
                let count = accounts.calls.count
                kept.append(Task { try await bench.client.mutate(Change(), with: Change.Step(100)) })
                while accounts.calls.count == count { await Task.yield() }
            case .snapshot: report.append("\(bench.client.snapshot().stores.map(\.path))")
            case .passingTime: bench.clock.advance(by: .seconds(1))
            }
        }
        if ending == .failure { fails.withLock { $0 = true } }
        // The run ends before the other run or the call continues, because the order of two concurrent ones is undefined.
        if waitsItself { gate.openOnce() } else { gate.open() }
        let result = await caller.result
        gate.open()
        report.append("result: \(result.map { String($0) })")
        await bench.client.settled()
        note("after")
        fails.withLock { $0 = false }
        // A run started by the library is retried after a delay.
        bench.clock.advance(by: .seconds(60))
        await bench.client.settled()
        await fetchOnce()
        await bench.client.settled()
        note("later")
        withExtendedLifetime(kept) {}
        return (report, ways.withLock { $0 })
    }

    @Test(arguments: Past.allCases, Event.allCases)
    func `R6 a run on the short path has the same result as on the long path`(_ past: Past, _ event: Event) async throws {
        for ending in Ending.allCases {
            let alone = try await Self.life(after: past, meeting: [event], ending, isAlone: true)
            let others = try await Self.life(after: past, meeting: [event], ending, isAlone: false)
            #expect(alone.report == others.report, "\(ending)")
            #expect(!others.ways.contains(true))
            if past == .fetchedTwice, event == .look { #expect(alone.ways == [true, true, true, true]) }
        }
    }

    @Test func `R29 R17 a lone run that ends before its store has received a change is followed by another run`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 1 { try await Task.detached { try await gate.pass() }.value }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        // The change is only entered: an invalidation would notify the store next.
        #expect(store.core.host.enter(store.core.ticket, .invalidated(.invalidated(.all), .active)))
        gate.open()
        #expect(try await caller.value == 1)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(store.value == 2)
    }

    @Test func `R6 a run on the short path during which two events happen has the same result as on the long path`() async throws {
        var dice = Dice(seed: 1)
        // Two runs, or a run and a call, end in either order, and a reader begins at any time.
        let events = Event.allCases.filter { $0 != .privateCaller && $0 != .layer && $0 != .reader }
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        for first in events {
            for second in events where isLong || dice.roll(4) == 0 {
                let past = Past.allCases[dice.roll(Past.allCases.count)]
                // A run retried after a random delay ends before or after the shorter retention.
                let endings = [first, second].contains(.modifiedHandle) ? [.newValue, .equalValue] : Ending.allCases
                for ending in dice.some(endings) {
                    let alone = try await Self.life(after: past, meeting: [first, second], ending, isAlone: true)
                    let others = try await Self.life(after: past, meeting: [first, second], ending, isAlone: false)
                    #expect(alone.report == others.report, "\(past) \(first) \(second) \(ending)")
                }
            }
        }
    }
}

extension LoneRunTests {
    /// An object that equals all others.
    private final class Thing: Equatable, Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }

        static func == (left: Thing, right: Thing) -> Bool { left.number >= 0 && right.number >= 0 && left.number == right.number }
    }

    private struct Things: QueryRequest {
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Thing>) async throws -> Thing { Thing(0) }
    }

    @Test func `R19 a value written while a lone run ends is kept`() async throws {
        let client = QueryClient.test()
        let store = client.store(for: Things())
        for number in 1...5_000 {
            async let fetched = store.fetch()
            store.setValue(Thing(number))
            #expect(try await [0, number].contains(fetched.number))
            await client.settled()
        }
    }

    @Test func `R15 a store no longer counts as running after a private run ended that an observer had joined`() async throws {
        let gate = Gate()
        let bench = TestBench { _ in
            try await gate.pass()
            throw TestError()
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        store.setValue(1)
        let call = Task { try await bench.client.fetch(Number().deduplicated(false)) }
        await gate.arrived()
        let subscription = store.subscribe(with: .init())
        call.cancel()
        _ = await call.result
        await bench.client.settled()
        #expect(bench.client.runningCount() == 0)
        subscription.cancel()
    }
}

/// Fetches a number and doubles it.
private struct Twice: QueryRequest {
    let id: Int

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        guard let client = context.queryClient else { throw TestError("no client") }
        return try await client.fetch(Number()) * 2
    }
}
