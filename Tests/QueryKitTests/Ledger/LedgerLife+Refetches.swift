import Testing

@testable import QueryKit

/// Refetches: each list ends when its runs have, and each wait for it ends once.
extension LedgerLife {
    func list() -> Refetches {
        let list = Refetches()
        lists.append(list)
        return list
    }

    /// Awaits a list, sometimes within a run, and sometimes only for a while.
    func awaitList() {
        guard let list = lists.isEmpty ? nil : lists[roll(lists.count)] else { return }
        let signal = Signal()
        signals.append((list, signal))
        let attempt = roll(4) == 0 ? attempts.first { !$0.isCancelled && $0.inner == nil && $0.awaited == nil && $0.source == nil } : nil
        note("await refetches\(attempt.map { " in the run of \(number(of: $0.run.entry))" } ?? "")")
        attempt?.awaited = (list, signal)
        if attempt != nil { hasNested = true }
        event { $0.wait(for: list, signal, by: attempt?.scope) }
        guard roll(5) == 0 else { return }
        note("leave refetches")
        event { $0.leave(list, signal) }
    }

    func refetch(_ request: Int) {
        note("refetch \(request)")
        let (list, entry) = (list(), entry(request))
        event { ledger in
            ledger.collecting(list) { ledger in
                ledger.watch(entry)
                ledger.want(entry, .manual)
            }
        }
    }

    func hear(_ signal: Signal) -> Bool {
        guard let index = signals.firstIndex(where: { $0.signal === signal }) else { return false }
        signals.remove(at: index)
        attempts.first { $0.awaited?.signal === signal }?.awaited = nil
        return true
    }

    func checkRefetches() {
        for list in lists {
            for entry in ledger[list].open where ledger[entry].run == nil && !ledger[entry].isDelivering && !ledger[entry].isDeciding {
                problems.append("the refetch of request \(number(of: entry)) never ends")
            }
        }
        for (list, _) in signals where ledger[list].open.isEmpty && ledger[list].parts == 0 {
            problems.append("refetches have ended, and a wait for them goes on")
        }
        lists.removeAll { ledger[$0].open.isEmpty && ledger[$0].parts == 0 }
    }

    func checkRefetchesEnd() {
        if !lists.isEmpty { problems.append("\(lists.count) lists of refetches are open") }
        if !signals.isEmpty { problems.append("\(signals.count) wait for refetches") }
    }
}
