/// The rules by which the runs of one store begin, join, follow each other and end: a pure value.
///
/// It is told what happened, changes the record of the state, and answers with what is to be done. It holds no task, calls nobody,
/// and knows no value. At most one run is under way; deduplication can be turned off for a caller, whose *private* run is counted apart.
/// Only its own files change its properties.
struct RunMachine: Equatable, Sendable {
    /// Stands for the run after the one under way, which has no number yet.
    static let following: Int32 = -1

    var run: Run?
    /// What the run under way is for. Apart from ``run``, which is copied at each step and so holds numbers and flags only.
    var purpose = RunPurpose()
    /// Why a run has to follow the one under way.
    var trailing: QueryCause?
    /// The run to begin once what came before is published; see ``Effects/hasNext``.
    var next: Next?
    var subscribers: Int32 = 0
    var privateRuns: Int32 = 0
    var pausedPrivateRuns: Int32 = 0
    var lastNumber: Int32
    /// Private runs up to this number come too late to be shown.
    var lastShown: Int32 = 0
    /// Private runs up to this number began before the latest write, and are not shown either. The run under way has its own rules for that.
    var lastOverwritten: Int32 = 0
    /// What runs up to this number bring was known to be out of date before it came.
    var lastInvalidated: Int32 = 0

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

    /// The same for a caller that changes nothing by it; `false`, and nothing happens, if it would.
    mutating func joinRun() -> Bool {
        guard let run, !run.isLive, !run.isOutdated, !run.isSuperseded, purpose.aim == .everything else { return false }
        self.run?.waiters += 1
        return true
    }

    /// The library, or somebody who will not wait, wants a run.
    mutating func refresh(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        guard let run else { return start(cause, by: .library, waiters: 0, &record) }
        if run.isLive, run.isOutdated { return restart(cause, &record) }
        if run.isOutdated || run.isSuperseded || purpose.aim != .everything { trailing = trailing ?? cause }
        return Effects()
    }

    /// An observer has joined, and wants no run.
    mutating func subscribe() { subscribers += 1 }

    /// An observer has left, and there is no run to give up.
    mutating func unsubscribe() { subscribers -= 1 }

    /// Somebody observes from now on; `cause` says why that wants a run, if it does.
    mutating func subscribe(wanting cause: QueryCause?, _ record: inout QueryRecord) -> Effects {
        subscribe()
        guard let cause else { return Effects() }
        return refresh(cause, &record)
    }

    // MARK: Losing interest

    mutating func unsubscribe(_ abandonment: QueryAbandonment, _ record: inout QueryRecord) -> Effects {
        unsubscribe()
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
        record.notes = record.notes?.overwritten
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

    /// A value from elsewhere that is newer than the one there is. A failure that is newer still goes on to show (R2).
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

    /// - Parameter isSeamless: Whether the run begins in the same step: what lies between is nothing that anybody wants to see (R17).
    mutating func prepare(_ next: Next, _ effects: inout Effects, isSeamless: Bool = true) {
        self.next = next
        effects.hasNext = true
        effects.isSeamless = isSeamless
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
    func returnToLoading(_ record: inout QueryRecord) {
        if record.flags.contains(.hasValue) { return }
        record.flags.remove(.failed)
        record.error = nil
    }

    mutating func stop(_ record: inout QueryRecord) -> Effects {
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
    mutating func restart(_ cause: QueryCause, _ record: inout QueryRecord) -> Effects {
        let waiters = run?.nextWaiters ?? 0
        var effects = stop(&record)
        effects.value = .keep
        prepare(.start(cause, .library, waiters: waiters), &effects)
        return effects
    }

    /// Brings the record in line with what is at work and what waits.
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
