import Foundation

@testable import QueryKit

/// The end of a life: everything ends, what is observed is fresh, and nothing is left.
extension LedgerLife {
    func end() {
        note("end")
        event { $0.endResumption() }
        isFailing = false
        isEnabled = true
        event { $0.setOnline(true) }
        event { $0.reconsider("request/**") }
        for round in 0..<4 {
            finishAll(round)
            pass(6)
            // What has failed before is fetched again.
            event { $0.reconsider("request/**") }
            // A stream that was marked while it opened is stale until its next element, unless the change asks for a run.
            if let stream = listed(Self.stream), ledger.isLive(stream), ledger[stream].isInvalidated {
                event { $0.invalidate(.pattern(pattern(Self.stream)), .manual) }
            }
        }
        for call in calls { event { $0.retry(call) } }
        finishAll(0)
        // A change that asked for nothing has made an open stream stale until its next element.
        if let stream = listed(Self.stream), ledger.isLive(stream), ledger[stream].isInvalidated {
            event { $0.invalidate(.entries([stream]), .manual) }
        }
        pass(6)
        finishAll(0)
        guard problems.isEmpty else { return }
        settledCount = 0
        event { $0.settled(Signal()) }
        if settledCount != 1 { problems.append("the client isn't settled") }
        checkValues()
        checkCalls()
        checkMutations()
        checkRefetchesEnd()
        if !callers.isEmpty { problems.append("\(callers.count) callers wait") }
        guard problems.isEmpty else { return }
        leaveNothing()
    }

    private func finishAll(_ order: Int) {
        var steps = 0
        while problems.isEmpty, proceed(order + steps * order) {
            steps += 1
            check()
            if steps > 5_000 { return problems.append("something never ends") }
        }
    }

    private func leaveNothing() {
        for (request, observer, _) in observers {
            let entry = entries[request]!
            event { $0.unsubscribe(entry, observer) }
        }
        observers = []
        for standing in ledger.standing { event { $0.endStanding(standing) } }
        checkTriggers()
        // What is kept for ever.
        event { $0.remove($0.matches(self.pattern(Self.constant))) }
        finishAll(0)
        pass(1_000)
        pass(1_000)
        let tables = ledger.tables
        if ledger[tables].count != 0 { problems.append("\(ledger[tables].count) entries are left") }
        if !ledger[tables].identities.isEmpty { problems.append("identities are left") }
        if !ledger.live.isEmpty { problems.append("live entries are left: \(ledger.live.map { number(of: $0) })") }
        if !ledger.places.queued.isEmpty || ledger.limits.runs.indices.contains(where: { ledger.places.line($0).taken > 0 }) {
            problems.append("places are left")
        }
        if ledger.openRound != nil { problems.append("a round is left") }
        if !ledger.scopes.isEmpty { problems.append("scopes are left") }
        for slot in 0..<UInt32(ledger[tables].slots.count) {
            if !ledger[tables].reads.regions(of: slot).isEmpty { problems.append("regions of a former entry are left") }
            if !ledger[tables].tags.regions(of: slot).isEmpty { problems.append("tags of a former entry are left") }
        }
        if !ledger.matches("request/**").isEmpty { problems.append("paths are left") }
    }

    /// An observed value is what the request would return now, unless it was written since it was last fetched.
    private func checkValues() {
        for (request, observer, seen) in observers where observer.observes {
            let entry = entries[request]!
            let state = ledger.state(entry)
            let flags = state.record.flags
            guard let value = state.current?.unboxed(as: Value.self) else {
                problems.append("request \(request) has no value: \(flags), \(String(describing: state.record.error))")
                continue
            }
            if seen.value != value { problems.append("an observer of request \(request) has seen another value") }
            if flags.contains(.invalidated) { problems.append("request \(request) is stale") }
            if flags.contains(.optimistic) || !ledger[entry].layers.isEmpty { problems.append("a layer is left over request \(request)") }
            if flags.contains(.live) != (request == Self.stream) { problems.append("the stream \(request) isn't open") }
            if !flags.isDisjoint(with: .running) { problems.append("request \(request) shows a run: \(flags)") }
            if !value.layers.allSatisfy({ performed[$0] != nil }) { problems.append("request \(request) shows a call that was not made") }
            if !value.isChanged, !value.isMixed, !isCurrent(value, of: request) {
                problems.append("request \(request) shows \(value.reads) instead of \(versions)")
            }
        }
    }

    private func checkCalls() {
        for call in calls where performed[call.number, default: 0] > 1 { problems.append("call \(call.number) was made twice") }
        let left = journal.filter { number in !calls.contains { $0.number == number && isOfFormerSession($0) } }
        if !left.isEmpty { problems.append("calls are left in the journal: \(left)") }
        let kept = journal.intersection(withdrawn).sorted()
        if !kept.isEmpty { problems.append("calls that were withdrawn are left in the journal: \(kept)") }
        if !ledger.calls.isEmpty { problems.append("\(ledger.calls.count) calls are left") }
    }

    /// Durable calls of a session that has ended stay in its journal.
    private func isOfFormerSession(_ call: CallEntry) -> Bool {
        if case .ended = ledger[call].state { performed[call.number] == nil || unanswered.contains(call.number) } else { false }
    }
}
