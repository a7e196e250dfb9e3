/// Values that a run shows while it continues: what it yields, and the elements of a stream.
extension Ledger {
    /// R9: shows a value while the run continues. Returns false if it is ignored.
    mutating func yield(_ run: Run, attempt: Int, _ value: AnyValue) -> Bool {
        let entry = run.entry
        guard isCurrent(run), self[run].attempt == attempt, self[run].phase == .working, !run.isPrivate, !self[run].isSuperseded,
            self[run].number > self[entry].lastShown
        else { return false }
        // In a round, only the results are shown.
        if self[entry].round != nil || mayShowTwice(run) { return true }
        let (failures, reason) = (self[entry].record.failures, self[entry].record.failureReason)
        holdRecord(entry)
        self[entry].record.succeed(at: time)
        self[entry].record.setFailures(failures, reason)
        self[entry].record.flags.insert(.partial)
        self[entry].record.cause = self[run].cause
        self[run].rollback.hasShownOther = true
        self[run].rollback.updates += self[entry].updates
        dropUpdates(entry)
        setBase(entry, value)
        derive([entry])
        return true
    }

    /// A stream has brought an element: a result, although the run continues.
    mutating func stream(_ run: Run, attempt: Int, _ value: AnyValue) -> Bool {
        let entry = run.entry
        guard isUnderWay(run, attempt) else { return false }
        if run.isPrivate {
            // Its caller waits for one value.
            effects.append(.cancel(run, attempt: attempt))
            finish(run, attempt: attempt, .success(value))
            return false
        }
        let callers = self[run].callers
        self[run].callers = []
        leaveRound(run)
        let isWanted = self[entry].isObserved || !self[run].nextCallers.isEmpty
        if self[run].isSuperseded {
            // Opened before the current value was written: later elements are newer.
            if isWanted { restart(entry, self[run].trailing ?? .written) } else { stop(run, restores: false) }
            end(callers, of: run, .success(value))
            publish(entry)
            foldIfUnfetched(entry)
            return false
        }
        let wasLive = self[run].phase == .live
        (self[run].failures, self[run].trials.retries) = (0, 0)
        holdRecord(entry)
        self[entry].record.succeed(at: time)
        self[entry].record.cause = self[run].cause
        // An element is newer than all changes, but what was read before the stream was opened isn't, if another run must follow.
        if !wasLive { self[entry].asOf = self[run].asOf } else if self[run].trailing == nil { self[entry].asOf = change }
        self[entry].lastShown = max(self[entry].lastShown, self[run].number)
        dropUpdates(entry)
        setBase(entry, value)
        removeLayers(entry, self[entry].layers.filter { sight(of: $0, in: run, asOf: self[entry].asOf) == .seen })
        keepReads(run)
        let cause = self[run].trailing ?? (self[run].nextCallers.isEmpty ? nil : .manual)
        if let cause, isWanted {
            restart(entry, cause)
        } else if !self[entry].isObserved {
            stop(run, restores: false)
        } else {
            setPhase(run, .live)
            // A change that it may not have seen can still be waiting for its turn to begin another run.
            self[run].isOutdated = self[entry].isInvalidated
            rebase(entry)
        }
        derive([entry], result: .success(value))
        end(callers, of: run, .success(value))
        foldIfUnfetched(entry)
        return true
    }

    /// Ends the run of a stream and begins another one, which keeps the value.
    mutating func restart(_ entry: Entry, _ cause: QueryCause) {
        guard let run = self[entry].run else { return }
        let next = self[run].nextCallers
        stop(run, restores: false)
        let settings = next.first?.settings ?? runSettings(entry) ?? run.settings
        begin(entry, settings, Run.Start(cause: cause, isByLibrary: next.isEmpty), next)
    }
}
