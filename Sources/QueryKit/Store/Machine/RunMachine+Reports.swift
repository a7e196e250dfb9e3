/// The reports of runs, and how they change the record.
extension RunMachine {
    /// Processes an intermediate value of run `number`.
    mutating func yield(_ number: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number, !run.isSuperseded, number > lastShown else { return Effects(isIgnored: true) }
        let (failures, reason) = (record.failures, record.failureReason)
        show(nil, at: time, isOutdated: true, &record)
        record.setFailures(failures, reason)
        record.flags.insert(.partial)
        record.cause = purpose.cause
        return Effects(value: .accept)
    }

    /// Processes a value of the stream that feeds run `number`. It is a result, although the run continues.
    mutating func stream(_ number: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        // Unlike a run's result, a stream's value is as of now: newer than that of an ended private run, even if that began later.
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        if run.isSuperseded { return reopen(run, &record) }
        // Values of an open stream are newer than an invalidation. Its first value may have been requested before the invalidation.
        show(nil, at: time, isOutdated: run.isOutdated && !run.isLive, &record)
        record.cause = purpose.cause
        // Without observers or callers the stream is not opened again, because it would never end on its own.
        if let trailing = trailing ?? (run.nextWaiters > 0 ? .manual : nil), subscribers > 0 || run.nextWaiters > 0 {
            var effects = restart(trailing, &record)
            effects.value = .accept
            effects.settles = .waiters(of: number)
            return effects
        }
        // All callers have their value, and there are no observers, so the stream ends.
        if subscribers == 0 {
            trailing = nil
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

    /// Drops an element of a stream that was opened before the current value was written, and opens the stream again for newer ones.
    private mutating func reopen(_ run: Run, _ record: inout QueryRecord) -> Effects {
        let isWanted = subscribers > 0 || run.nextWaiters > 0
        var effects = isWanted ? restart(trailing ?? .written, &record) : stop(&record)
        if !isWanted { trailing = nil }
        record.cause = .written
        effects.value = .keep
        effects.isIgnored = true
        effects.settles = .waiters(of: run.number)
        return effects
    }

    /// Processes a failed attempt of run `number`, which another attempt will follow.
    mutating func attemptFailed(_ number: Int32, _ error: any Error, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        if run.isLive { self.run?.phase = .working }
        record.flags.remove(.live)
        settleFetching(&record)
        record.setFailures(record.failures + 1, error)
        record.cause = purpose.cause
        return Effects()
    }

    /// Pauses run `number`, which has just begun, until there is a network. An error that was visible before stays visible.
    mutating func holdBack(_ number: Int32, after before: QueryRecord, _ record: inout QueryRecord) {
        _ = pause(number, true, &record)
        run?.phase = .heldBack
        // The error is only shown. It doesn't count as a result, so the run may read a cache.
        if record.error == nil { record.error = before.error }
    }

    /// Pauses run `number` until there is a network, or continues it.
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

    /// Drops the next result of run `number`, because it is unknown whether it includes the effect of a mutation. Another run follows.
    mutating func discard(_ number: Int32) {
        guard let run, run.number == number else { return }
        self.run?.isSuperseded = true
        if purpose.aim == .everything, subscribers > 0 || run.waiters > 0 { trailing = trailing ?? purpose.cause }
    }

    /// Processes the end of run `number`, which was not given up.
    mutating func end(_ number: Int32, _ outcome: RunOutcome, at time: QueryTimestamp, _ record: inout QueryRecord) -> Effects {
        guard let run, run.number == number else { return Effects(isIgnored: true) }
        var effects = Effects(settles: .waiters(of: number))
        let hadValue = record.flags.contains(.hasValue)
        self.run = nil
        record.cause = purpose.cause
        switch outcome {
        case .success where run.isLive:
            // The last value of the stream is shown already, unless another value was written since, or a private run has ended.
            break
        case .success, .failure:
            if run.isSuperseded || number < lastShown {
                effects.isIgnored = true
                record.cause = run.isSuperseded ? .written : .manual
                // A different result is shown instead, so failures of this run don't count.
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
        }
        return effects
    }

    // MARK: Private runs

    /// Begins a private run of one caller. Its number is returned as `joined`.
    mutating func beginPrivate(_ record: inout QueryRecord) -> Effects {
        lastNumber += 1
        privateRuns += 1
        record.flags.subtract(.simulated)
        settleFetching(&record)
        record.cause = .manual
        return Effects(joined: lastNumber)
    }

    /// Pauses a private run until there is a network, or continues it.
    mutating func pausePrivate(_ isPaused: Bool, _ record: inout QueryRecord) -> Effects {
        pausedPrivateRuns += isPaused ? 1 : -1
        settleFetching(&record)
        return Effects()
    }

    /// Processes the end of a private run. If there are several, the result of the one that began last is shown.
    ///
    /// - Parameter isUnsure: Whether it is unknown if the value includes the effect of a mutation. If so, only the caller gets the value.
    mutating func endPrivate(
        _ number: Int32,
        _ outcome: RunOutcome,
        isUnsure: Bool = false,
        at time: QueryTimestamp,
        _ record: inout QueryRecord
    ) -> Effects {
        privateRuns -= 1
        var effects = Effects()
        switch outcome {
        case .success, .failure:
            if number > lastShown, number > lastOverwritten, !isUnsure {
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

    // MARK: Results

    /// Shows the result of an ended run. A run for some pages doesn't change the value's age, because the other pages weren't fetched.
    private mutating func showEnd(of run: Run, _ error: (any Error)?, at time: QueryTimestamp, _ record: inout QueryRecord) {
        let wasInvalidated = record.flags.contains(.invalidated)
        let isPart = purpose.aim != .everything && record.flags.contains(.hasValue)
        let time = isPart && error == nil ? record.valueTime : time
        show(error, at: time, isOutdated: run.isOutdated || isPart && wasInvalidated, &record)
    }

    func show(_ error: (any Error)?, at time: QueryTimestamp, isOutdated: Bool, _ record: inout QueryRecord) {
        record.flags.subtract([.partial, .simulated])
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
