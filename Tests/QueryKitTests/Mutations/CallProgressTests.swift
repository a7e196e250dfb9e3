import TestSupport
import Testing

@testable import QueryKit

/// Which end of a call counts if its task, its caller and its client end it at the same time.
struct CallProgressTests {
    private let store = QueryClient.test().store(for: Number(1)).core
    private let task = Task {}

    private func call() -> CallProgress {
        var call = CallProgress(madeBy: CallProgress.Caller(scope: nil, handlers: nil))
        _ = call.attach(layered: [store])
        _ = call.attach(task)
        return call
    }

    private func run() -> StoreRun {
        let start = RunStart(number: 1, cause: .manual, origin: .caller, isPrivate: true, isMutation: true)
        return StoreRun(of: store, start: start, settings: store.settings, asOf: store.contents.withLock { $0.latest }, rollback: store.box)
    }

    @Test func `R24 a call's first end counts, but a call kept in the journal can still be withdrawn`() {
        var call = call()
        call.request(.withdrawn)
        call.request(.kept)
        let givenUp = call.giveUp()
        #expect(call.end == .withdrawn && givenUp == nil)
        var kept = self.call()
        kept.request(.kept)
        let late = kept.giveUp()
        #expect(kept.end == .kept && late == nil)
        kept.request(.withdrawn)
        #expect(kept.end == .withdrawn)
    }

    @Test func `R24 a call that has succeeded can't be ended`() {
        var call = call()
        let layered = call.succeed()
        call.request(.withdrawn)
        let (givenUp, carriedOut) = (call.giveUp(), call.carryOutEnd())
        #expect(layered.count == 1 && call.end == nil && givenUp == nil && carriedOut == nil)
    }

    @Test func `R24 a run is ended once, either by its task or from outside`() {
        var ended = call()
        ended.begin(run())
        let isEnded = ended.endRun()
        ended.request(.withdrawn)
        let late = ended.carryOutEnd()
        #expect(isEnded && late != nil && late?.run == nil)

        var cancelled = call()
        cancelled.begin(run())
        cancelled.request(.withdrawn)
        let first = cancelled.carryOutEnd()
        let isLeft = cancelled.endRun()
        let second = cancelled.carryOutEnd()
        #expect(first?.run != nil && !isLeft && second?.run == nil)
    }

    @Test func `R24 a run that ends between an end's request and its execution is ended by its task`() {
        var call = call()
        call.begin(run())
        call.request(.withdrawn)
        let isEnded = call.endRun()
        let cancellation = call.carryOutEnd()
        #expect(isEnded && cancellation != nil && cancellation?.run == nil)
    }

    @Test func `R7 a call given up by its caller is not ended again`() {
        var call = call()
        call.begin(run())
        let givenUp = call.giveUp()
        call.request(.kept)
        let cancellation = call.carryOutEnd()
        #expect(givenUp?.run != nil && call.end == .withdrawn && cancellation == nil)
    }

    @Test func `R24 a call's layers are removed exactly once, regardless of how the call ends`() {
        var failed = call()
        let early = failed.takeLayered()
        let own = failed.fail()
        #expect(early.isEmpty && own.count == 1)

        var ended = call()
        ended.request(.withdrawn)
        let none = ended.fail()
        let (first, second) = (ended.takeLayered(), ended.takeLayered())
        #expect(none.isEmpty && first.count == 1 && second.isEmpty)

        var givenUp = call()
        _ = givenUp.giveUp()
        let removed = givenUp.fail()
        let rest = givenUp.takeLayered()
        #expect(removed.count == 1 && rest.isEmpty)
    }

    @Test func `R24 a call ended before it has layers or a task refuses both`() {
        var call = CallProgress(madeBy: CallProgress.Caller(scope: nil, handlers: nil))
        call.request(.withdrawn)
        let cancellation = call.carryOutEnd()
        #expect(cancellation != nil && cancellation?.task == nil)
        let (isLayered, isAttached) = (call.attach(layered: [store]), call.attach(task))
        #expect(!isLayered && !isAttached)
    }
}
