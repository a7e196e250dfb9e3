/// Rounds: the runs of consistent requests, which are shown in one step (R29).
extension Ledger {
    /// A run of a consistent request joins the round that is open. Its result is shown with those of the others (R29).
    mutating func enterRound(_ run: Run) {
        let entry = run.entry
        // The others don't wait for a run that waits for the network or its next attempt.
        guard self[entry].round == nil, !run.isPrivate, self[run].phase.isUnderWay else { return }
        let round: Round
        if let open = openRound {
            round = open
        } else {
            round = Round()
            openRound = round
            schedule(.round(round), after: limits.round)
        }
        self[entry].round = round
        self[round].append(entry)
    }

    mutating func leaveRound(_ run: Run) {
        let entry = run.entry
        guard !run.isPrivate, let round = self[entry].round else { return }
        self[entry].round = nil
        self[round].removeAll { $0 === entry }
        close(round)
    }

    /// Ends the runs of a round in one step, as soon as none is working. At its limit, those without a result continue outside of it.
    mutating func close(_ round: Round, isLate: Bool = false) {
        let entries = self[round]
        let held = entries.compactMap { entry in self[entry].run.flatMap { self[$0].outcome == nil ? nil : $0 } }
        // Entries of a large change that are still to follow may join it.
        guard isLate || held.count == entries.count && followers.isEmpty else { return }
        if openRound === round { openRound = nil }
        self[round] = []
        for entry in entries { self[entry].round = nil }
        if isLate { return held.isEmpty ? () : land(held) }
        // A result that is too old for the others, or unsure, is fetched again within a new round.
        let outdated = held.filter { self[$0].isOutdated && self[$0].isSuccessful || isUnsure($0) }
        guard !outdated.isEmpty, held.count > 1 else { return held.isEmpty ? () : land(held) }
        for run in held { outdated.contains { $0 === run } ? repeatRun(run) : enterRound(run) }
        if let round = openRound { close(round) }
    }

    /// Begins a run again for the same callers, because its result isn't shown: it is older than those of the others, or
    /// unsure.
    mutating func repeatRun(_ run: Run) {
        let entry = run.entry
        // Those that have come too late for the run have not come too late for its repetition.
        let (callers, cause) = (self[run].callers + self[run].nextCallers, self[run].cause)
        let wasUnsure = isUnsure(run)
        stop(run, restores: false)
        begin(entry, run.settings, Run.Start(cause: cause, aim: run.aim, isByLibrary: run.isByLibrary), callers)
        if wasUnsure, let repeated = self[entry].run { self[entry].repeatedRun = self[repeated].number }
    }
}

extension Run.Progress {
    fileprivate var isSuccessful: Bool { if case .success? = outcome { true } else { false } }
}

/// The runs that read as of one moment and are shown in one step.
final class Round: Guarded<[Entry]>, @unchecked Sendable { init() { super.init([]) } }
