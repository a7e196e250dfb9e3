import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A run for one caller in a quiet store takes a shorter way than others. Whatever it meets, it has to leave the same behind.
@Suite(.timeLimit(.minutes(5)))
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
    }

    enum Ending: CaseIterable {
        case newValue, equalValue, failure
    }

    private struct Failure: Error {}

    private static let region = QueryRegion(source: "lone")

    /// What one life leaves behind, in words.
    private static func life(after past: Past, meeting event: Event, _ ending: Ending, isAlone: Bool) async throws -> (
        report: [String], ways: [Bool]
    ) {
        let gate = Gate()
        let fails = Lock(false)
        let waits = Lock(false)
        let ways = Lock<[Bool]>([])
        let bench = TestBench { call in
            let isAlone = RunScope.current?.store?.contents.withBasis { basis, _ in basis.loneRun != nil }
            ways.withLock { $0.append(isAlone == true) }
            QueryReads.note([region])
            if event == .yield { call.continuation.yield(77) }
            if waits.withLock({ $0 }) { try await gate.pass() }
            if fails.withLock({ $0 }) { throw Failure() }
            return ending == .newValue ? call.number : 5
        }
        let store = bench.client.store(for: Number())
        if !isAlone { store.core.contents.withBasis { basis, _ in _ = basis.needExtras() } }
        var report: [String] = []
        func note(_ moment: String) {
            let record = store.core.record
            let (asOf, number) = store.core.contents.withBasis { basis, _ in (basis.asOf, basis.valueNumber) }
            let lastRun = moment == "during" ? 0 : store.core.contents.withLock { $0.machine.lastNumber }
            report.append(
                "\(moment): \(store.value ?? -1) \(store.status) \(record.flags.rawValue) \(record.valueCount) \(record.errorCount)"
                    + " \(record.failures) \(record.revision) \(record.cause) \(record.valueTime.instant) \(asOf.number) \(number) \(lastRun)"
                    + " stale: \(store.isStale) running: \(bench.client.core.runningCount) work: \(bench.client.core.work.count)"
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
            store.subscribe(with: .init()).cancel()
            await bench.client.settled()
        case .fetchedWithOthers:
            async let first: Void = fetchOnce()
            await fetchOnce()
            await first
        }
        await bench.client.settled()
        bench.clock.advance(by: .seconds(1))
        waits.withLock { $0 = true }
        note("before")
        let caller = Task { try await store.fetch() }
        await gate.arrived()
        var kept: [Any] = []
        switch event {
        case .nothing, .yield: break
        case .look: note("during")
        case .secondCaller:
            kept.append(store.fetchTask().start())
            while store.core.contents.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        case .observer: kept.append(store.subscribe(with: .init()))
        case .invalidation: store.invalidate()
        case .write: store.setValue(9)
        case .equalWrite: store.setValue(5)
        case .changedRegion: bench.client.changed([region])
        case .cancelledCaller: caller.cancel()
        case .cancellation: store.cancel()
        case .reset: store.reset()
        case .session: bench.client.reset(session: "other")
        case .privateCaller: kept.append(Task { try await bench.client.store(for: Number().deduplicated(false)).fetch() })
        case .modifiedHandle: kept.append(bench.client.store(for: Number().keep(for: .seconds(5)).notifyEqual()))
        }
        if event == .privateCaller { await gate.arrived(2) }
        if ending == .failure { fails.withLock { $0 = true } }
        gate.open()
        let result = await caller.result
        report.append("result: \(result.map { String($0) })")
        await bench.client.settled()
        note("after")
        fails.withLock { $0 = false }
        // A run that the library began is repeated after a while.
        bench.clock.advance(by: .seconds(60))
        await bench.client.settled()
        await fetchOnce()
        await bench.client.settled()
        note("later")
        withExtendedLifetime(kept) {}
        return (report, ways.withLock { $0 })
    }

    @Test(arguments: Past.allCases, Event.allCases)
    func `R6 a run for one caller leaves what any other run leaves`(_ past: Past, _ event: Event) async throws {
        for ending in Ending.allCases {
            let alone = try await Self.life(after: past, meeting: event, ending, isAlone: true)
            let others = try await Self.life(after: past, meeting: event, ending, isAlone: false)
            #expect(alone.report == others.report, "\(ending)")
            #expect(!others.ways.contains(true))
            if past == .fetchedTwice, event == .look { #expect(alone.ways == [true, true, true, true]) }
        }
    }
}
