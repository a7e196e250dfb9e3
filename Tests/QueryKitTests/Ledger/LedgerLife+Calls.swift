import Foundation

@testable import QueryKit

/// Calls of mutations: the app makes them, the source performs them, a journal keeps them.
extension LedgerLife {
    func submit() {
        let number = UInt64(fresh())
        let requests = roll(2) == 0 ? [pick()] : distinct(pick(), pick())
        let layers = requests.map { request in
            let apply: @Sendable (AnyValue?) -> AnyValue? = { $0.map { $0.unboxed(as: Value.self).layered(number).boxed } }
            return (entry(request), apply)
        }
        let isDurable = roll(2) == 0
        let call = CallEntry(
            number,
            scope: roll(2) == 0 ? "scope" : nil,
            isDurable: isDurable,
            isShared: isDurable && roll(2) == 0,
            layers: layers,
            networkMode: roll(2) == 0 ? .online : .offlineFirst,
            timeout: roll(4) == 0 ? Nanoseconds(.seconds(40)) : nil,
            shown: shown(number)
        )
        if roll(2) == 0 { invalidated[number] = [pattern(requests[0])] }
        layered[number] = requests
        calls.append(call)
        let caller = Caller(Settings())
        kept.append(caller)
        callers.append(caller)
        note("submit \(number) over \(requests), scope \(call.scope ?? "none"), invalidates \(invalidated[number] != nil)")
        event {
            $0.submit(call)
            $0.wait(for: call, caller)
        }
    }

    func withdrawOrRetry() {
        guard !calls.isEmpty else { return }
        let call = calls[roll(calls.count)]
        if roll(2) == 0 {
            note("withdraw \(call.number)")
            if isWaiting(call) { withdrawn.insert(call.number) }
            event { $0.withdraw(call) }
        } else {
            note("retry \(call.number)")
            requeued.insert(call.number)
            event { $0.retry(call) }
        }
    }

    func endCall(_ working: (call: CallEntry, attempt: Int)) {
        let call = working.call
        note("end call \(call.number)")
        if call.isDurable, !journal.contains(call.number) { problems.append("call \(call.number) began before the journal had it") }
        guard isFailing, roll(2) == 0 else { return perform(call, working.attempt) }
        let later = Nanoseconds(.seconds(4))
        let verdicts: [CallEntry.Verdict] = [
            .refused, .passing(after: later, counts: true), .passing(after: later, counts: false), .retry(after: later), .repeats(.repair),
            .whenOnline(or: .passing(after: later, counts: false)), .whenOnline(or: .retry(after: later)),
        ]
        let (failure, verdict) = (Failure(number: fresh()), verdicts[roll(verdicts.count)])
        event { $0.callEnded(call, attempt: working.attempt, .failure(failure, verdict)) }
    }

    private func perform(_ call: CallEntry, _ attempt: Int) {
        performed[call.number, default: 0] += 1
        if let scope = call.scope, calls.contains(where: { $0.scope == scope && isEarlier($0, than: call) }) {
            problems.append("call \(call.number) came before an earlier one of its scope")
        }
        // The call changes what its layers show.
        let changed = Int(call.number) % Self.regionCount
        if roll(2) == 0, beginCommit(call, attempt, changed) { return }
        let isOfCall = roll(2) == 0
        let patterns = invalidated[call.number] ?? []
        if !patterns.isEmpty { lastMark[layered[call.number]![0]] = fresh() }
        change(changed) { $0.changed([self.region(changed)], .regionChanged, of: isOfCall ? call : nil) }
        event { $0.callEnded(call, attempt: attempt, .success(AnyValue(Value()), invalidates: patterns)) }
    }

    /// Whether a call must be made before another one. A resumed one may come too late for that.
    private func isEarlier(_ first: CallEntry, than second: CallEntry) -> Bool {
        if !isWaiting(first) || first.isResumed { return false }
        return second.isResumed ? first.date < second.date : first.number < second.number
    }

    /// Whether a call keeps its place in its scope. One that was tried again by hand comes last.
    func isWaiting(_ call: CallEntry) -> Bool {
        if performed[call.number] != nil || requeued.contains(call.number) { return false }
        switch ledger[call].state {
        case .queued, .writing, .asking, .working, .paused, .waiting: return true
        case .stuck, .landing, .ended: return false
        }
    }

    func append(_ call: CallEntry) {
        note("append call \(call.number)")
        let fails = isFailing && roll(4) == 0
        if !fails { journal.insert(call.number) }
        event { $0.journaled(call, fails ? Failure(number: fresh()) : nil) }
    }

    func removeFromJournal(_ call: CallEntry) {
        note("remove call \(call.number)")
        for same in calls where same.id == call.id { journal.remove(same.number) }
        event { $0.removed(call) }
    }
}
