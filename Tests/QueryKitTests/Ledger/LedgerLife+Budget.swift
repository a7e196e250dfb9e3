@testable import QueryKit

/// Budgets of a life: few entries, or few bytes.
extension LedgerLife {
    func limit() {
        if roll(4) == 0 { ledger.limits.entries = roll(4) }
        if roll(4) == 0 { ledger.limits.bytes = 16 * roll(6) }
        if roll(3) == 0 { ledger.limits.runs = [Ledger.Limits.Runs(pattern: "request/**", count: 1 + roll(3))] }
        let single = Ledger.Limits.Runs(pattern: pattern(roll(6)), count: 1)
        if roll(3) == 0 { ledger.limits.runs.insert(single, at: roll(ledger.limits.runs.count + 1)) }
        ledger.places = Ledger.Places(ledger.limits.runs)
    }

    func limits(of request: Int) -> [Int] {
        ledger.limits.runs.indices.filter { ledger.limits.runs[$0].pattern.matches(["request", .value(request)]) }
    }

    /// No more runs work than the limits allow, beside those that others have waited for; and a run waits only for a place that is taken.
    func checkPlaces() {
        let runs = ledger.live.flatMap { [ledger[$0].run].compactMap(\.self) + ledger[$0].privateRuns }
        for (limit, setting) in ledger.limits.runs.enumerated() {
            let own = runs.filter { $0.entry.limits.contains(limit) }
            let working = own.count { ledger[$0].phase == .working }
            let (taken, waiting) = ledger.places.line(limit)
            let tooMany = hasNested ? taken : max(taken, working)
            if tooMany > setting.count { problems.append("\(tooMany) runs work instead of \(setting.count)") }
            if taken > own.count { problems.append("a place is lost") }
            if !waiting.isEmpty, taken < setting.count { problems.append("a run waits for a free place") }
            let former = waiting.filter { !ledger[$0].phase.isQueued || !ledger.isCurrent($0) }
            if !former.isEmpty { problems.append("a former run waits for a place") }
        }
        for run in runs where ledger[run].phase.isQueued {
            let line = run.entry.limits.first { limit in ledger.places.line(limit).waiting.contains { $0 === run } }
            if line == nil { problems.append("a run waits for no limit") }
        }
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
