import Foundation

@testable import QueryKit

/// A journal that other clients share, and calls that are resumed from it.
extension LedgerLife {
    func answer(_ asking: (call: CallEntry, attempt: Int)) {
        let call = asking.call
        let earlier = calls.filter { $0.scope == call.scope && $0.number < call.number && journal.contains($0.number) }.map(\.id)
        let answers: [MutationTurn] = [.now, .after(earlier), .blocked(after: earlier), .lost]
        // Other clients seldom take calls.
        let turn = answers[[0, 0, 0, 1, 1, 2, 2, 3][roll(8)]]
        note("turn of call \(call.number): \(turn)")
        event { $0.take(turn, call, attempt: asking.attempt) }
    }

    /// Calls that ask the journal, and looks for others.
    var askingCount: Int {
        func isAsking(_ call: CallEntry, _ attempt: Int) -> Bool { if case .asking(attempt) = ledger[call].state { true } else { false } }
        return turns.count { isAsking($0.call, $0.attempt) } + looks.count { look in look.call.map { isAsking($0, look.attempt) } ?? true }
    }

    func look(_ look: (call: CallEntry?, attempt: Int)) {
        note("look for calls")
        let canResume = roll(2) == 0
        guard let call = look.call else { return event { $0.endWork() } }
        event { $0.resumedFree(call, attempt: look.attempt, canResume: canResume) }
    }

    func release(_ call: CallEntry) {
        note("release call \(call.number)")
        event { $0.finishWriting() }
    }

    /// Begins a resumption, or ends it with the calls that were kept.
    func resume() {
        guard ledger.resumption != nil else {
            note("begin resumption")
            return event { $0.beginResumption() }
        }
        for former in calls where journal.contains(former.number) && performed[former.number] == nil { resume(former) }
        note("end resumption")
        event { $0.endResumption() }
    }

    private func resume(_ former: CallEntry) {
        guard ledger.mayResume(former.id), let shown = former.shown else { return }
        let number = UInt64(fresh())
        let own = entry(self.number(of: shown.entry))
        let requests = layered[former.number]!
        let layers = requests.map { request in
            let apply: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Value.self).layered(number)) } }
            return (entry(request), apply)
        }
        let call = CallEntry(
            number,
            scope: former.scope,
            isDurable: true,
            isResumed: true,
            isShared: former.isShared,
            layers: layers,
            networkMode: former.networkMode,
            shown: CallEntry.Shown(entry: own, note: shown.note, limit: shown.limit)
        )
        note("resume call \(former.number) as \(number)")
        layered[number] = requests
        calls.append(call)
        journal.remove(former.number)
        journal.insert(number)
        if !event({ $0.resume(call, former.id) }) { problems.append("call \(former.number) can't be resumed") }
    }
}
