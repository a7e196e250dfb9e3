/// What a run for a list of pages begins with (R25).
extension Ledger {
    /// What has changed since the value was read concerns the run that reads everything again. If it fails, the changes are still due.
    mutating func takeChanges(_ run: Run) {
        guard run.aim == .everything, let changes = self[run.entry].changes else { return }
        self[run].changes = changes
        self[run.entry].changes = .nothing
    }

    /// The regions that have changed since the pages were read, for a run that keeps the others; `nil` for a run that reads all of them.
    mutating func changedPages(_ run: Run) -> [QueryRegion]? {
        guard isCurrent(run), !run.isPrivate else { return nil }
        if self[run.entry].changes == nil { self[run.entry].changes = .nothing }
        let cause = self[run].cause
        return cause == .regionChanged || cause == .otherProcess ? self[run].changes?.regions : nil
    }
}
