/// The rules by which the runs of one store begin, join, follow each other and end: a pure value.
///
/// It is told what happened, changes the record of the state, and answers with what is to be done. It holds no task, calls nobody,
/// and knows no value. At most one run is under way; deduplication can be turned off for a caller, whose *private* run is counted apart.
struct RunMachine: Equatable, Sendable {
    /// Stands for the run after the one under way, which has no number yet.
    static let following: Int32 = -1

    private(set) var run: Run?
    /// What the run under way is for. Apart from ``run``, which is copied at each step and so holds numbers and flags only.
    private(set) var purpose = RunPurpose()
    /// Why a run has to follow the one under way.
    private(set) var trailing: QueryCause?
    /// The run to begin once what came before is published; see ``Effects/hasNext``.
    private(set) var next: Next?
    private(set) var subscribers: Int32 = 0
    private(set) var privateRuns: Int32 = 0
    private var pausedPrivateRuns: Int32 = 0
    private(set) var lastNumber: Int32
    /// Private runs up to this number come too late to be shown.
    private var lastShown: Int32 = 0
    /// Private runs up to this number began before the latest write, and are not shown either. The run under way has its own rules for that.
    private var lastOverwritten: Int32 = 0
    /// What runs up to this number bring was known to be out of date before it came.
    private var lastInvalidated: Int32 = 0

    /// The machine of a store at rest whose last run had a number. The other numbers are of no use then, because later runs have higher ones.
    init(after lastNumber: Int32 = 0) { self.lastNumber = lastNumber }

    /// Whether there is nothing to remember but the number of the last run.
    var isAtRest: Bool { isIdle && !isObserved && pausedPrivateRuns == 0 && trailing == nil && next == nil }

    /// The last run that has fetched something, or may have.
    var lastBegunNumber: Int32 { run?.isHeldBack == true ? lastNumber - 1 : lastNumber }

    /// The number of the run under way; 0 for none. For those who want nothing else of it.
    var runNumber: Int32 { run?.number ?? 0 }

    var isIdle: Bool { run == nil && privateRuns == 0 }
    var isObserved: Bool { subscribers > 0 }

    /// Whether what is under way, or certain to follow it, satisfies a trigger that fires now.
    var answersTriggers: Bool {
        guard let run else { return false }
        return !run.isOutdated && !run.isSuperseded && purpose.aim == .everything || trailing != nil
    }

    // MARK: Asking for runs

    /// A caller wants a result and waits. Joins the run under way, unless that can not satisfy it any more.
    mutating func fetch(_ record: inout QueryRecord, for aim: RunAim = .everything) -> Effects {
        guard var run else {
            var effects = start(aim.cause, by: .caller, aim, waiters: 1, &record)
            effects.joined = lastNumber
            return effects
        }
        // A stream would keep the caller waiting until its next element.
        if run.isLive, run.isOutdated {
            self.run?.nextWaiters += 1
            var effects = restart(.manual, &record)
            effects.joined = Self.following
            return effects
        }
        let isTooLate = run.isSuperseded || run.isOutdated && aim == .everything || purpose.aim != aim
        if isTooLate, aim == .everything { run.nextWaiters += 1 } else { run.waiters += 1 }
        self.run = run
        if isTooLate, aim == .everything { return Effects(joined: Self.following) }
        return Effects(joined: run.number, mustAskAgain: isTooLate)
    }

    /// The library, or somebody who will not wait, wants a run.
    mutating func refresh(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        guard let run else { return start(cause, by: .library, waiters: 0, &record) }
        if run.isLive, run.isOutdated { return restart(cause, &record) }
        if run.isOutdated || run.isSuperseded || purpose.aim != .everything { trailing = trailing ?? cause }
        return Effects()
    }

    /// Somebody observes from now on; `cause` says why that wants a run, if it does.
    mutating func subscribe(wanting cause: QueryCause?, _ record: inout QueryRecord) -> Effects {
        subscribers += 1
        guard let cause else { return Effects() }
        return refresh(cause, &record)
    }

    // MARK: Losing interest

    mutating func unsubscribe(_ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        subscribers -= 1
        return abandon(abandonment, &record)
    }

    /// A caller that waited for run `number`, or for the ``following`` one, was cancelled.
    mutating func leave(_ number: Int32, _ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        guard let left = forgetWaiter(of: number) else { return Effects() }
        return abandon(left, abandonment, &record)
    }

    /// The first half of ``leave(_:_:_:)``, which changes nothing that anyone sees. Returns the run that may be unwanted now.
    mutating func forgetWaiter(of number: Int32) -> Int32? {
        guard let run else { return nil }
        if number == run.number {
            self.run?.waiters -= 1
        } else if number == Self.following {
            self.run?.nextWaiters -= 1
        } else {
            return nil
        }
        return run.number
    }

    /// The second half: gives up run `number` if no caller waits for it and nothing observes it. A run that has begun since is left alone.
    mutating func abandon(_ number: Int32, _ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        run?.number == number ? abandon(abandonment, &record) : Effects()
    }

    private mutating func abandon(_ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        guard let run, run.waiters == 0, subscribers == 0, abandonment == .cancel else { return Effects() }
        var effects = stop(&record)
        // Those who want the next run need not see this one to its end.
        if run.nextWaiters > 0 { prepare(.start(trailing ?? .manual, .caller, waiters: run.nextWaiters), &effects) }
        return effects
    }

    // MARK: Changes from outside

    /// The value is known to be out of date; `refetch` says in which case that wants a run. One under way will not do, unless it is `spared`.
    mutating func invalidate(
        _ cause: QueryCause,
        refetch: QueryRefetch,
        isEnabled: Bool,
        sparing spared: Int32? = nil,
        _ record: inout QueryRecord
    ) -> Effects {
        record.flags.insert(.invalidated)
        record.cause = cause
        lastInvalidated = lastNumber
        let wantsRun =
            switch refetch {
            case .none: false
            case .active: isEnabled && (subscribers > 0 || (run?.waiters ?? 0) > 0)
            case .inactive: isEnabled && subscribers == 0 && (run?.waiters ?? 0) == 0
            case .all: isEnabled
            }
        guard let run else { return wantsRun ? start(cause, by: .library, waiters: 0, &record) : Effects() }
        if run.isHeldBack || run.number == spared { return Effects() }
        self.run?.isOutdated = true
        guard wantsRun else { return Effects() }
        // A stream never ends by itself, so it begins again.
        if run.isLive { return restart(cause, &record) }
        trailing = trailing ?? cause
        return Effects()
    }

    /// Somebody wrote a result. A run under way will not overwrite it, and is followed by another.
    mutating func write(_ error: (any Error)?, isEnabled: Bool, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        show(error, at: time, isOutdated: false, &record)
        record.cause = .written
        lastOverwritten = lastNumber
        // What a stream brings next is newer than the write, and so is what a run brings that has fetched nothing yet.
        if let run, !run.isLive, !run.isHeldBack {
            self.run?.isSuperseded = true
            // Who waits for a page asks again; nobody else misses it.
            if isEnabled, purpose.aim == .everything, subscribers > 0 || run.waiters > 0 { trailing = trailing ?? .written }
        }
        return Effects(value: error == nil ? .accept : .keep, rebases: run != nil)
    }

    /// A value from elsewhere, older than what a run under way will bring.
    mutating func seed(at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        show(nil, at: time, isOutdated: true, &record)
        record.cause = .restored
        return Effects(value: .accept, rebases: run != nil)
    }

    /// Ends the run under way for all who wait, and leaves the state as it was before.
    mutating func cancel(_ record: inout QueryRecord) -> Effects {
        lastShown = lastNumber
        guard run != nil else { return Effects() }
        var effects = stop(&record)
        effects.settles = .everyone
        return effects
    }

    /// Back to the beginning. Who observes stays; `refetches` starts anew for them.
    mutating func reset(_ cause: QueryCause = .reset, refetches: Bool, _ record: inout QueryRecord) -> Effects {
        let number = run?.number
        run = nil
        lastShown = lastNumber
        // A new session knows nothing of the calls of the one before.
        let (revision, notes) = (record.revision, cause == .session ? nil : record.notes?.pending)
        record = QueryRecord()
        record.revision = revision
        record.notes = notes
        record.cause = cause
        settleFetching(&record)
        var effects = Effects(cancels: number, value: .clear, settles: .everyone)
        if refetches, subscribers > 0 { prepare(.start(cause, .library, waiters: 0), &effects) }
        return effects
    }

    // MARK: What runs report

    /// An intermediate value of run `number`.
    mutating func yield(_ number: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number, !run.isSuperseded, number > lastShown else { return Effects(isIgnored: true) }
        let (failures, reason) = (record.failures, record.failureReason)
        show(nil, at: time, isOutdated: true, &record)
        record.setFailures(failures, reason)
        record.flags.insert(.partial)
        record.cause = purpose.cause
        return Effects(value: .accept)
    }

    /// A value of the stream that feeds run `number`: a result, though the run goes on.
    mutating func stream(_ number: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        // Unlike the result of a run, what a stream brings is as of now: a private run that began later and is over is older.
        guard let run, run.number == number, !run.isSuperseded else { return Effects(isIgnored: true) }
        // Whatever an open stream brings is newer than an invalidation; what comes first may have been asked for before it.
        show(nil, at: time, isOutdated: run.isOutdated && !run.isLive, &record)
        record.cause = purpose.cause
        if let trailing = trailing ?? (run.nextWaiters > 0 ? .manual : nil) {
            var effects = restart(trailing, &record)
            effects.isSeamless = true
            effects.value = .accept
            effects.settles = .waiters(of: number)
            return effects
        }
        // Callers have what they waited for, and nobody else looks.
        if subscribers == 0 {
            var effects = stop(&record)
            record.cause = purpose.cause
            effects.value = .accept
            effects.settles = .waiters(of: number)
            return effects
        }
        self.run?.phase = .live
        self.run?.isOutdated = false
        self.run?.waiters = 0
        record.flags.insert(.live)
        settleFetching(&record)
        return Effects(isLive: true, value: .accept, rebases: true, settles: .waiters(of: number))
    }

    /// An attempt of run `number` failed, and another will follow.
    mutating func attemptFailed(_ number: Int32, _ error: any Error, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        if run.isLive { self.run?.phase = .working }
        record.flags.remove(.live)
        settleFetching(&record)
        record.setFailures(record.failures + 1, error)
        record.cause = purpose.cause
        return Effects()
    }

    /// Run `number` has just begun, and waits for the network before it does anything: an error that showed before goes on to show.
    mutating func holdBack(_ number: Int32, after before: QueryRecord, _ record: inout QueryRecord) {
        _ = pause(number, true, &record)
        run?.phase = .heldBack
        // It only shows: the run has no result to build on, and may ask a cache.
        if record.error == nil { record.error = before.error }
    }

    /// Run `number` waits for the network, or goes on.
    mutating func pause(_ number: Int32, _ isPaused: Bool, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        if !isPaused { self.run?.phase = .working } else if !run.isHeldBack { self.run?.phase = .paused }
        if !isPaused, run.isHeldBack {
            returnToLoading(&record)
        }
        record.cause = purpose.cause
        settleFetching(&record)
        return Effects()
    }

    /// Run `number` ended by itself.
    mutating func end(_ number: Int32, _ outcome: RunOutcome, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        var effects = Effects(settles: .waiters(of: number))
        let hadValue = record.flags.contains(.hasValue)
        self.run = nil
        record.cause = purpose.cause
        switch outcome {
        case .success where run.isLive:
            // What a stream brought last shows already, unless somebody wrote something since.
            record.setFailures(0, nil)
        case .success, .failure:
            if run.isSuperseded || number < lastShown {
                effects.isIgnored = true
                record.cause = run.isSuperseded ? .written : .manual
                // The result that is shown instead is no failure of this run.
                if record.error == nil { record.setFailures(0, nil) }
            } else {
                if let error = outcome.error {
                    record.setFailures(record.failures + 1, error)
                }
                showEnd(of: run, outcome.error, at: time, &record)
                effects.value = outcome.error == nil ? .accept : .keep
                effects.isPart = purpose.aim != .everything && hadValue
                lastShown = max(lastShown, number)
            }
        case .cancelled:
            effects.value = .restore
            record.cause = .cancelled
        }
        record.flags.remove(.live)
        settleFetching(&record)
        if let cause = trailing ?? (run.nextWaiters > 0 ? .manual : nil) {
            let origin: RunOrigin = subscribers == 0 && run.nextWaiters > 0 ? .caller : .library
            prepare(.start(cause, origin, waiters: run.nextWaiters), &effects)
            effects.isSeamless = true
        }
        return effects
    }

    // MARK: Private runs

    /// A caller runs the request for itself alone. The number comes back as `joined`.
    mutating func beginPrivate(_ record: inout QueryRecord) -> Effects {
        lastNumber += 1
        privateRuns += 1
        settleFetching(&record)
        record.cause = .manual
        return Effects(joined: lastNumber)
    }

    /// A private run waits for the network, or goes on.
    mutating func pausePrivate(_ isPaused: Bool, _ record: inout QueryRecord) -> Effects {
        pausedPrivateRuns += isPaused ? 1 : -1
        settleFetching(&record)
        return Effects()
    }

    /// A private run ended; of several the one that began last is shown.
    mutating func endPrivate(_ number: Int32, _ outcome: RunOutcome, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        privateRuns -= 1
        var effects = Effects()
        switch outcome {
        case .success, .failure:
            if number > lastShown, number > lastOverwritten {
                lastShown = number
                show(outcome.error, at: time, isOutdated: number <= lastInvalidated, &record)
                if let error = outcome.error {
                    record.setFailures(1, error)
                }
                effects.value = outcome.error == nil ? .accept : .keep
                effects.rebases = run != nil
                record.cause = .manual
            } else {
                effects.isIgnored = true
            }
        case .cancelled:
            record.cause = .cancelled
        }
        settleFetching(&record)
        return effects
    }

    // MARK: Steps

    private mutating func prepare(_ next: Next, _ effects: inout Effects) {
        self.next = next
        effects.hasNext = true
    }

    /// Begins the run that an event has asked for, once what came before is published.
    mutating func startNext(_ record: inout QueryRecord) -> Effects {
        guard let next else { preconditionFailure("No run is next: \(self)") }
        self.next = nil
        return start(next.cause, by: next.origin, waiters: next.waiters, &record)
    }

    private mutating func start(
        _ cause: QueryCause,
        by origin: RunOrigin,
        _ aim: RunAim = .everything,
        waiters: Int32,
        _ record: inout QueryRecord
    ) -> Effects {
        lastNumber += 1
        run = Run(number: lastNumber, waiters: waiters)
        purpose = RunPurpose(aim: aim, cause: cause, origin: origin)
        trailing = nil
        record.flags.remove(.live)
        settleFetching(&record)
        record.setFailures(0, nil)
        record.cause = cause
        returnToLoading(&record)
        return Effects(starts: lastNumber)
    }

    /// R1: when work begins without a value so far, the state goes back to loading.
    private func returnToLoading(_ record: inout QueryRecord) {
        if record.flags.contains(.hasValue) { return }
        record.flags.remove(.failed)
        record.error = nil
    }

    private mutating func stop(_ record: inout QueryRecord) -> Effects {
        let number = run?.number
        // What a stream brought was a result, and stays.
        let isLive = run?.isLive == true
        run = nil
        if !isLive { record.cause = .cancelled }
        record.flags.remove(.live)
        settleFetching(&record)
        return Effects(cancels: number, value: isLive ? .keep : .restore)
    }

    /// Gives up the run of a stream, and begins another.
    private mutating func restart(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        let waiters = run?.nextWaiters ?? 0
        var effects = stop(&record)
        effects.value = .keep
        prepare(.start(cause, .library, waiters: waiters), &effects)
        return effects
    }

    /// Brings the record in line with what is at work and what waits.
    private func settleFetching(_ record: inout QueryRecord) {
        let works = run?.phase == .working || privateRuns > pausedPrivateRuns
        let waits = run?.isPaused == true || pausedPrivateRuns > 0
        record.flags.subtract(.running)
        if works { record.flags.insert(.fetching) } else if waits { record.flags.insert(.paused) }
        guard let run, !run.isPaused else { return }
        switch purpose.aim {
        case .next: record.flags.insert(.nextPage)
        case .previous: record.flags.insert(.previousPage)
        case .everything, .page: break
        }
    }

    /// The result of a run that ended. A run for some pages says nothing about the age of the others.
    private mutating func showEnd(of run: Run, _ error: (any Error)?, at time: QueryTimestamp, _ record: inout QueryRecord) {
        let wasInvalidated = record.flags.contains(.invalidated)
        let isPart = purpose.aim != .everything && record.flags.contains(.hasValue)
        let time = isPart && error == nil ? record.valueTime : time
        show(error, at: time, isOutdated: run.isOutdated || isPart && wasInvalidated, &record)
    }

    private func show(_ error: (any Error)?, at time: QueryTimestamp, isOutdated: Bool, _ record: inout QueryRecord) {
        record.flags.remove(.partial)
        if let error { return record.fail(error, at: time) }
        record.error = nil
        if !isOutdated { record.flags.remove(.invalidated) }
        record.flags.subtract([.failed, .placeholder])
        record.flags.formUnion([.succeeded, .hasValue])
        record.valueCount &+= 1
        record.valueTime = time
        record.setFailures(0, nil)
    }
}
