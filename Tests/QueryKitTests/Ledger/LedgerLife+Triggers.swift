@testable import QueryKit

/// Triggers of observers, of a repeated invalidation, and of the client.
extension LedgerLife {
    func triggers(_ request: Int) -> [QueryTrigger] {
        guard request == 2 || request == Self.consistent.0 else { return [] }
        return [QueryTrigger("bell") { _, _ in QuerySubscription {} }, .reconnect, .every(.seconds(request == 2 ? 7 : 4))]
    }

    func trigger() {
        switch roll(4) {
        case 0:
            note("trigger of the client")
            event { $0.fireDefault("app active") }
        case 1:
            note("begin or end a repeated invalidation")
            if let standing = ledger.standing.first { return event { $0.endStanding(standing) } }
            let request = pick()
            // Of that one is known when it was marked last.
            if request == Self.constant { return }
            let new = ActiveTriggers(.invalidation([pattern(request)]), [.reconnect], nil)
            event { $0.beginStanding(new) }
        default:
            guard !triggers.isEmpty else { return }
            let active = triggers[roll(triggers.count)]
            note("trigger of \(active.subject)")
            event { $0.fire(active, "bell") }
        }
    }

    /// Whether an invalidation that repeats itself has marked an entry, and fetches it again after its pause.
    func isMissed(_ entry: Entry) -> Bool {
        ledger.standing.contains { active in
            guard case .invalidation(let patterns) = active.subject, ledger[active].missed != nil else { return false }
            return patterns.contains { $0.matches(entry.path) }
        }
    }

    /// The sources are watched of exactly those triggers that count.
    func checkTriggers() {
        var expected = Set(ledger.standing.map { ObjectIdentifier($0) })
        for entry in ledger.live {
            expected.formUnion(ledger[entry].observers.compactMap { ledger[$0].triggers }.map { ObjectIdentifier($0) })
            let wanted = ledger[entry].observers.contains { $0.observes && !triggers(number(of: entry)).isEmpty }
            if wanted != (ledger[entry].polling != nil), !isExchanging(entry) {
                problems.append("request \(number(of: entry)) \(wanted ? "doesn't poll" : "polls")")
            }
        }
        if Set(triggers.map { ObjectIdentifier($0) }) != expected { problems.append("triggers are left, or missing") }
    }
}
