/// The state machine for the runs of one store, a pure value: when they begin, which callers join them, which run follows, how they end.
///
/// Each event changes the record of the state and returns the effects to carry out. The machine holds no tasks and no values, and calls
/// nothing. At most one shared run is under way; a caller that turns off deduplication gets a *private* run, which is counted separately.
/// Only the machine's own files change its properties.
struct RunMachine: Equatable, Sendable {
    /// The number that stands for the run after the one under way, which has no number yet.
    static let following: Int32 = -1

    var run: Run?
    /// The purpose of the run under way. It isn't part of ``run``, which is copied at each step and so contains only numbers and flags.
    var purpose = RunPurpose()
    /// The cause of the run that must follow the one under way; `nil` if none must.
    var trailing: QueryCause?
    /// The run to begin after the previous state is published; see ``Effects/hasNext``.
    var next: Next?
    var subscribers: Int32 = 0
    var privateRuns: Int32 = 0
    var pausedPrivateRuns: Int32 = 0
    var lastNumber: Int32
    /// Results of private runs up to this number are too old to be shown.
    var lastShown: Int32 = 0
    /// Private runs up to this number began before the latest write, so their results aren't shown. For the run under way see
    /// `isSuperseded`.
    var lastOverwritten: Int32 = 0
    /// Runs up to this number began before the latest invalidation, so their results are out of date.
    var lastInvalidated: Int32 = 0

    /// Creates the machine of a store at rest from the number of its last run. Later runs have higher numbers, so the machine's other
    /// numbers can be 0.
    init(after lastNumber: Int32 = 0) { self.lastNumber = lastNumber }

    /// Whether the number of the last run is all that needs to be kept.
    var isAtRest: Bool { isIdle && !isObserved && pausedPrivateRuns == 0 && trailing == nil && next == nil }

    /// The last run that may have fetched something.
    var lastBegunNumber: Int32 { run?.isHeldBack == true ? lastNumber - 1 : lastNumber }

    /// The number of the run under way; 0 if there is none.
    var runNumber: Int32 { run?.number ?? 0 }

    var isIdle: Bool { run == nil && privateRuns == 0 }
    var isObserved: Bool { subscribers > 0 }

    /// Whether the run under way, or the one that will follow it, satisfies a trigger that fires now.
    var answersTriggers: Bool {
        guard let run else { return false }
        return !run.isOutdated && !run.isSuperseded && purpose.aim == .everything || trailing != nil
    }

    // MARK: Requesting runs

    /// Adds a caller that waits for a result. It joins the run under way, unless that began too early or has another aim.
    mutating func fetch(_ record: inout QueryRecord, for aim: RunAim = .everything) -> Effects {
        guard var run else {
            var effects = start(aim.cause, by: .caller, aim, waiters: 1, &record)
            effects.joined = lastNumber
            return effects
        }
        // Restart the stream, because otherwise the caller would wait for its next element.
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
        return Effects(joined: run.number, mustFetchAgain: isTooLate)
    }

    /// Adds a caller to the run under way. Returns `false` and does nothing if that would require anything else.
    mutating func joinRun() -> Bool {
        guard let run, !run.isLive, !run.isOutdated, !run.isSuperseded, purpose.aim == .everything else { return false }
        self.run?.waiters += 1
        return true
    }

    /// Starts a run that no caller waits for, such as for a trigger or a refetch. A run under way suffices, unless it is out of date or has
    /// another aim: then another one follows.
    mutating func refresh(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        guard let run else { return start(cause, by: .library, waiters: 0, &record) }
        if run.isLive, run.isOutdated { return restart(cause, &record) }
        if run.isOutdated || run.isSuperseded || purpose.aim != .everything { trailing = trailing ?? cause }
        return Effects()
    }

    /// Adds an observer that requires no run.
    mutating func subscribe() { subscribers += 1 }

    /// Removes an observer if there is no run to give up.
    mutating func unsubscribe() { subscribers -= 1 }

    /// Adds an observer. If the observer requires a run, `cause` is the cause of that run.
    mutating func subscribe(wanting cause: QueryCause?, _ record: inout QueryRecord) -> Effects {
        subscribe()
        guard let cause else { return Effects() }
        return refresh(cause, &record)
    }

    // MARK: Unsubscribing and leaving

    mutating func unsubscribe(_ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        unsubscribe()
        return abandon(abandonment, &record)
    }

    /// Removes a cancelled caller that waited for run `number`, or for the ``following`` one.
    mutating func leave(_ number: Int32, _ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        guard let left = forgetWaiter(of: number) else { return Effects() }
        return abandon(left, abandonment, &record)
    }

    /// The first half of ``leave(_:_:_:)``, which doesn't change the record. Returns the run that may be unwanted now.
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

    /// The second half of ``leave(_:_:_:)``: gives up run `number` if it has no waiting callers and the store has no observers. Doesn't
    /// affect a run that has begun since.
    mutating func abandon(_ number: Int32, _ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        run?.number == number ? abandon(abandonment, &record) : Effects()
    }

    private mutating func abandon(_ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        guard let run, run.waiters == 0, subscribers == 0, abandonment == .cancel else { return Effects() }
        var effects = stop(&record)
        // Callers that wait for the next run don't have to wait for the end of this one.
        if run.nextWaiters > 0 { prepare(.start(trailing ?? .manual, .caller, waiters: run.nextWaiters), &effects) }
        return effects
    }

    // MARK: Changes from outside

    /// Marks the value as out of date. `refetch` determines whether a run is required; the one under way suffices only if it is `spared`.
    mutating func invalidate(
        _ cause: QueryCause,
        refetch: QueryRefetch,
        isEnabled: Bool,
        sparing spared: Int32? = nil,
        _ record: inout QueryRecord
    ) -> Effects {
        record.flags.insert(.invalidated)
        record.flags.remove(.simulatedStaleness)
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
        // A stream never ends on its own, so it is restarted.
        if run.isLive { return restart(cause, &record) }
        trailing = trailing ?? cause
        return Effects()
    }

    /// Processes a written result. A run under way won't overwrite it, and another run follows.
    mutating func write(
        _ error: (any Error)?,
        _ cause: QueryCause = .written,
        isEnabled: Bool,
        at time: QueryTimestamp,
        _ record: inout QueryRecord
    ) -> Effects {
        show(error, at: time, isOutdated: false, &record)
        record.cause = cause
        record.notes = record.notes?.overwritten
        lastOverwritten = lastNumber
        // The next value of a stream is newer than the write, and so is the result of a run that has fetched nothing yet.
        if let run, !run.isLive, !run.isHeldBack {
            self.run?.isSuperseded = true
            // If the run fetches only some pages, the write requires no run after it: its callers ask again, and nothing else needs one.
            if isEnabled, purpose.aim == .everything, subscribers > 0 || run.waiters > 0 { trailing = trailing ?? cause }
        }
        return Effects(value: error == nil ? .accept : .keep, rebases: run != nil)
    }

    /// Sets a value from elsewhere, such as a cache, which is older than the result of a run under way.
    mutating func seed(at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        show(nil, at: time, isOutdated: true, &record)
        record.cause = .restored
        return Effects(value: .accept, rebases: run != nil)
    }

    /// Replaces the value with a newer one from elsewhere. A failure that is even newer stays visible (R2).
    mutating func replace(at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        let (error, failures, reason) = (record.error, record.failures, record.failureReason)
        let effects = seed(at: time, &record)
        guard let error, record.errorTime.instant > time.instant else { return effects }
        record.error = error
        record.setFailures(failures, reason)
        record.flags.remove(.succeeded)
        record.flags.insert(.failed)
        return effects
    }

    /// Ends the run under way for all waiting callers, and restores the state from before the run.
    mutating func cancel(_ record: inout QueryRecord) -> Effects {
        lastShown = lastNumber
        guard run != nil else { return Effects() }
        var effects = stop(&record)
        effects.settles = .everyone
        return effects
    }

    /// Resets the record to the initial one. Observers stay; `refetches` determines whether a run begins for them.
    mutating func reset(_ cause: QueryCause = .reset, refetches: Bool, _ record: inout QueryRecord) -> Effects {
        let number = run?.number
        run = nil
        lastShown = lastNumber
        let revision = record.revision
        record = QueryRecord()
        record.revision = revision
        record.cause = cause
        settleFetching(&record)
        var effects = Effects(cancels: number, value: .clear, settles: .everyone)
        if refetches, subscribers > 0 { prepare(.start(cause, .library, waiters: 0), &effects, isSeamless: false) }
        return effects
    }

    // MARK: Steps

    /// - Parameter isSeamless: Whether the run begins in the same step, so that no state in between is published (R17).
    mutating func prepare(_ next: Next, _ effects: inout Effects, isSeamless: Bool = true) {
        self.next = next
        effects.hasNext = true
        effects.isSeamless = isSeamless
    }

    /// Begins the run that an event has required, after the previous state is published.
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
        record.flags.subtract([.live, .simulated])
        settleFetching(&record)
        record.setFailures(0, nil)
        record.cause = cause
        returnToLoading(&record)
        return Effects(starts: lastNumber)
    }

    /// R1: if a run begins while there is no value, the state becomes loading again.
    func returnToLoading(_ record: inout QueryRecord) {
        if record.flags.contains(.hasValue) { return }
        record.flags.remove(.failed)
        record.error = nil
    }

    mutating func stop(_ record: inout QueryRecord) -> Effects {
        let number = run?.number
        // The value of a stream was a result, so it is kept.
        let isLive = run?.isLive == true
        run = nil
        if !isLive { record.cause = .cancelled }
        record.flags.remove(.live)
        settleFetching(&record)
        return Effects(cancels: number, value: isLive ? .keep : .restore)
    }

    /// Gives up the run of a stream and begins another.
    mutating func restart(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        let waiters = run?.nextWaiters ?? 0
        var effects = stop(&record)
        effects.value = .keep
        prepare(.start(cause, .library, waiters: waiters), &effects)
        return effects
    }

    /// Updates the flags of the record to match the runs that are working or paused.
    func settleFetching(_ record: inout QueryRecord) {
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
}
