@testable import QueryKit

/// A session begins: its observers get settings of their own, which code of the app makes, so they may come late.
extension LedgerLife {
    enum Exchange {
        case asked([Entry])
        case made([(entry: Entry, renewed: [(observer: Observer, settings: Settings)])])
    }

    func exchange(_ step: Exchange) {
        switch step {
        case .asked(let entries):
            note("make settings")
            exchanges.append(
                .made(entries.map { entry in (entry, ledger.formerSettings(entry).map { ($0.observer, settings(number(of: entry))) }) })
            )
        case .made(let all):
            note("exchange settings")
            for (entry, renewed) in all {
                disturb(number(of: entry))
                event { $0.exchange(entry, renewed) }
            }
            event { $0.endWork() }
        }
    }

    /// Whether the observers of an entry wait for the settings of the present session.
    func isExchanging(_ entry: Entry) -> Bool {
        if ledger.formerSettings(entry).isEmpty { return false }
        if exchanges.isEmpty { problems.append("request \(number(of: entry)) keeps settings of a former session") }
        return true
    }

    /// No run has the settings of a former session. One that began while others ended may have been given up in the same step.
    func checkSession(of run: Run) {
        guard ledger.isCurrent(run), run.settings.session != ledger.epoch else { return }
        problems.append("a run of \(number(of: run.entry)) has settings of a former session")
    }
}
