@testable import QueryKit

/// Budgets of a life: few entries, or few bytes.
extension LedgerLife {
    func limit() {
        if roll(4) == 0 { ledger.limits.entries = roll(4) }
        if roll(4) == 0 { ledger.limits.bytes = 16 * roll(6) }
    }

    func releaseMemory() {
        let pressure: MemoryPressure = roll(2) == 0 ? .warning : .critical
        note("memory pressure \(pressure)")
        event { $0.releaseMemory(pressure) }
        if ledger.goal != nil, !ledger.isTrimming { problems.append("a goal is left") }
    }

    func releaseStale(_ request: Int) {
        note("release \(request) if it is stale")
        event { $0.releaseStale($0.matches(self.pattern(request))) }
        guard let entry = listed(request), !ledger[entry].isInUse else { return }
        if ledger[entry].isInvalidated { problems.append("a stale value of request \(request) is left") }
    }

    func continueTrimming() {
        note("trim")
        if !event({ $0.trimNext() }) { trims -= 1 }
    }

    /// R15: the budgets count what is listed and was used; they hold unless the rest is in use.
    func checkBudget() {
        let tables = ledger.tables
        var (claimed, unused) = (Ledger.Extent(), 0)
        for entry in ledger[tables].slots.compactMap(\.self) {
            let claim = ledger[entry].claim
            let isKept = ledger[entry].retention == .infinity
            let isUnused = claim == .none && ledger[entry].base == nil && !ledger[entry].isInUse
            if isKept != (claim == .none), !isUnused { problems.append("request \(number(of: entry)) counts wrongly") }
            if ledger[entry].isInUse, claim == .unused { problems.append("request \(number(of: entry)) is in use, and may be released") }
            if claim == .none { continue }
            claimed.entries += 1
            claimed.bytes += ledger[entry].value?.byteCount ?? 0
            if !ledger[entry].isInUse { unused += 1 }
        }
        let counted = ledger[tables].claimed
        if (counted.entries, counted.bytes) != (claimed.entries, claimed.bytes) { problems.append("\(claimed) counts, not \(counted)") }
        if ledger[tables].unused.count != unused { problems.append("\(unused) entries are unused, not \(ledger[tables].unused.count)") }
        let isOver = counted.entries > ledger.limits.entries || counted.bytes > ledger.limits.bytes
        if isOver, unused > 0, !ledger.isTrimming { problems.append("the budget doesn't hold") }
        if (trims > 0) != ledger.isTrimming { problems.append("the effect that releases entries is lost") }
    }
}
