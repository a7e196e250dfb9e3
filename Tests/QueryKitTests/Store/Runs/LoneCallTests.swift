import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A call in a quiet store takes a short path, as ``LoneRunTests`` shows for runs. It must always have the same result as the long path.
struct LoneCallTests {
    /// What happened to the store before.
    enum Past: CaseIterable {
        case nothing, succeeded, succeededOften, failed, failedAfterSuccess, cancelled, written, invalidated, observed
    }

    /// What happens while the call is under way.
    enum Event: CaseIterable {
        case nothing, look, secondCall, otherSettings, observer, write, writtenError, invalidation, cancelledCaller, cancelledCall,
            cancellation
        case withdrawal, reset, removal, session, yield, batch, snapshot, memory, passingTime
    }

    /// Events that end the call in a task of their own, which may end before or after another event.
    private static let ends: [Event] = [.cancelledCaller, .cancelledCall, .cancellation, .withdrawal, .reset, .removal, .session]

    enum Ending: CaseIterable {
        case success, failure
    }

    /// The environment of the mutation.
    private final class Script: Sendable {
        let gate = Gate()
        let never = Gate()
        let waits = Lock(false)
        let fails = Lock(false)
        let yields = Lock(false)
        let ways = Recorder<Bool>()
    }

    private struct Act: MutationRequest {
        let script: Script

        static func == (left: Act, right: Act) -> Bool { left.script === right.script }
        func hash(into hasher: inout Hasher) {}

        var path: QueryPath { "act" }

        func mutate(
            with number: Int,
            in context: QueryContext,
            with continuation: QueryContinuation<Int>
        ) async throws -> Int {
            let isAlone = RunScope.current?.store?.contents.withBasis { basis, _ in basis.loneRun != nil }
            script.ways.note(isAlone == true)
            if number < 0 { try await script.never.pass() }
            if script.yields.withLock({ $0 }) { continuation.yield(77) }
            if script.waits.withLock({ $0 }) { try await Task.detached { [gate = script.gate] in try await gate.pass() }.value }
            if script.fails.withLock({ $0 }) { throw TestError("refused") }
            return number
        }
    }

    /// The outcome of one life, as text.
    private static func life(
        after past: Past,
        meeting events: [Event],
        _ ending: Ending,
        isAlone: Bool
    ) async throws -> (report: [String], ways: [Bool]) {
        let script = Script()
        let bench = TestBench { $0.number }
        let client = bench.client
        let act = Act(script: script)
        let store = client.store(for: act)
        if !isAlone { store.core.contents.withBasis { basis, _ in _ = basis.needRare() } }
        // Either the task that ends the call or the release of the store may be first.
        let isReleased = events.contains(.session) || events.contains(.removal)
        var report: [String] = []
        func note(_ moment: String) {
            let state = store.state
            let record = state.record
            if isReleased, moment != "before" {
                return report.append(
                    "\(moment): \(state.value ?? -1) \(state.status) \(record.flags.rawValue) \(state.history.map(\.status))"
                )
            }
            let (asOf, number) = store.core.contents.withBasis { basis, _ in (basis.asOf, basis.valueNumber) }
            let calls = state.history.map { run -> String in
                let dates = [run.submittedAt, run.startedAt, run.endedAt].map { $0?.timeIntervalSince1970 ?? 0 }
                return "\(run.arguments) \(run.status) \(run.failureCount) \(dates)"
            }
            let work = moment == "during" ? 0 : client.core.work.count
            let counts: [Any] = [record.valueCount, record.errorCount, record.failures, record.revision, asOf.number, number]
            let totals: [Any] = [client.core.runningCount, work, client.core.byteCount, client.storeCount]
            report.append("\(moment): \(state.value ?? -1) \(state.status) \(record.flags.rawValue) \(record.cause)")
            report.append("\(record.valueTime.instant) \(counts) \(totals) \(calls)")
        }
        func callOnce(_ number: Int) async { _ = try? await store.mutate(with: number) }
        switch past {
        case .nothing: break
        case .succeeded: await callOnce(1)
        case .succeededOften: for number in 1...30 { await callOnce(number) }
        case .failed, .failedAfterSuccess:
            if past == .failedAfterSuccess { await callOnce(1) }
            script.fails.withLock { $0 = true }
            await callOnce(2)
            script.fails.withLock { $0 = false }
        case .cancelled:
            // Calls with negative numbers never return.
            let call = Task { await callOnce(-3) }
            await script.never.arrived()
            call.cancel()
            await call.value
        case .written: store.setValue(5)
        case .invalidated:
            await callOnce(1)
            store.invalidate()
        case .observed:
            let subscription = store.subscribe(with: .init())
            await callOnce(1)
            subscription.cancel()
        }
        await client.settled()
        bench.clock.advance(by: .seconds(1))
        script.waits.withLock { $0 = true }
        if events.contains(.yield) { script.yields.withLock { $0 = true } }
        note("before")
        let caller = Task { try await store.mutate(with: 9) }
        await script.gate.arrived()
        var kept: [Any] = []
        for event in events {
            switch event {
            case .nothing, .yield: break
            case .look: note("during")
            case .secondCall:
                let (count, waiting) = (script.ways.count, script.waits.withLock { $0 })
                script.waits.withLock { $0 = false }
                await callOnce(10)
                while script.ways.count == count { await Task.yield() }
                script.waits.withLock { $0 = waiting }
            case .otherSettings: kept.append(client.store(for: act.historyLength(1).keep(for: .seconds(900))))
            case .observer: kept.append(store.subscribe(with: .init()))
            case .write: store.setValue(6)
            case .writtenError: store.setResult(to: .failure(TestError("written")))
            case .invalidation: store.invalidate()
            case .cancelledCaller: caller.cancel()
            case .cancelledCall: if let id = store.history.first(where: \.isPending)?.id { store.cancelMutation(id) }
            case .cancellation: store.cancel()
            case .withdrawal: client.cancelMutations("act")
            case .reset: store.reset()
            case .removal: client.remove("act")
            case .session: client.reset(session: "other")
            case .batch:
                client.batch {
                    store.setValue(7)
                    store.invalidate()
                }
            case .snapshot: if !isReleased { report.append("\(client.snapshot().stores.map(\.path))") }
            case .memory: client.releaseMemory(.critical)
            case .passingTime: bench.clock.advance(by: .seconds(1))
            }
            if ends.contains(event) { await client.settled() }
        }
        if ending == .failure { script.fails.withLock { $0 = true } }
        script.gate.open()
        report.append("result: \(await caller.result.map { String($0) })")
        await client.settled()
        note("after")
        script.fails.withLock { $0 = false }
        bench.clock.advance(by: .seconds(2))
        await callOnce(11)
        await client.settled()
        note("later")
        withExtendedLifetime(kept) {}
        return (report, script.ways.all)
    }

    @Test(arguments: Past.allCases, Event.allCases)
    func `R21 a call on the short path has the same result as on the long path`(_ past: Past, _ event: Event) async throws {
        for ending in Ending.allCases {
            let alone = try await Self.life(after: past, meeting: [event], ending, isAlone: true)
            let others = try await Self.life(after: past, meeting: [event], ending, isAlone: false)
            #expect(alone.report == others.report, "\(ending)")
            #expect(!others.ways.contains(true))
            if past == .succeeded, event == .look { #expect(alone.ways == [true, true, true]) }
        }
    }

    @Test func `R21 a call on the short path during which two events happen has the same result as on the long path`() async throws {
        var dice = Dice(seed: 2)
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        for first in Event.allCases {
            for second in Event.allCases where isLong || dice.roll(4) == 0 {
                let past = Past.allCases[dice.roll(Past.allCases.count)]
                for ending in dice.some(Ending.allCases) {
                    let alone = try await Self.life(after: past, meeting: [first, second], ending, isAlone: true)
                    let others = try await Self.life(after: past, meeting: [first, second], ending, isAlone: false)
                    #expect(alone.report == others.report, "\(past) \(first) \(second) \(ending)")
                }
            }
        }
    }
}
