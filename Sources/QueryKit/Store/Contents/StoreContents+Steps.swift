/// How an event is processed by machine, value and outbox.
extension StoreContents {
    /// Processes an event: passes it to the machine, applies the value, and adds deliveries. Then begins the run that the event may
    /// require.
    ///
    /// `input` contains the data of the event.
    @discardableResult
    mutating func process(
        _ input: StoreInput = StoreInput(),
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> EventOutcome {
        var effects = step(input, event)
        var outcome = EventOutcome(
            joined: effects.joined,
            mustFetchAgain: effects.mustFetchAgain,
            isIgnored: effects.isIgnored,
            endedRun: effects.endedRun
        )
        if effects.hasNext { effects = step(input.withoutValue) { $0.startNext(&$1) } }
        // A caller that joined the run after the one that has just ended now waits for the run that has just begun.
        if outcome.joined == RunMachine.following, let started = effects.starts { outcome.joined = started }
        if rare != nil {
            if let failures = input.layered?.failures, !failures.isEmpty { add(.report(failures)) }
            if foldsLayers { add(.foldLayers) }
        }
        return outcome
    }

    private mutating func step(
        _ input: StoreInput,
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> RunMachine.Effects {
        let before = state
        // The machine of an observed store may be idle, although the store isn't.
        let (wasIdle, wasResting) = (isIdle, machine.isIdle)
        let previousRun = run
        var record = before.record
        var effects = event(&machine, &record)
        if effects.value == .restore {
            guard let run else { preconditionFailure("There is no run to restore: \(machine)") }
            let left = record
            record = run.rollback.record
            record.restore(over: left)
        }
        // The record to restore if the run is cancelled: the record from before the start, because the start may have cleared an error.
        var beforeStart: QueryRecord?
        if effects.isSeamless, effects.hasNext {
            beforeStart = record
            effects.starts = machine.startNext(&record).starts
            effects.hasNext = false
        }
        let settings = effects.starts == nil ? nil : input.settings ?? runSettings
        if let start = effects.starts, settings?.networkMode == .online, host.isOffline {
            // Show at once that the run waits. Otherwise the state would show that it is loading, until the run notices that there is no
            // network.
            machine.holdBack(start, after: beforeStart ?? before.record, &record)
        }
        var changes = apply(effects, input, before, record)
        let isFetching = record.showsFetching
        if isFetching != before.record.showsFetching { changes.insert(isFetching ? .fetchingStarted : .fetchingEnded) }
        if input.result != nil, input.isFinal || effects.isLive, !effects.isIgnored { changes.insert(.result) }
        if let previousRun, previousRun.number != machine.runNumber {
            end(previousRun, effects)
            if !refetches.isEmpty, rare?.discardedRun != previousRun.number {
                noteRefetch(previousRun.number, effects.cancels == nil ? input.result : nil)
            }
            effects.endedRun = true
        } else if effects.isLive, let run, run.activity == .working {
            // From now on the stream waits for its next element and doesn't count as working, like a run between two attempts.
            run.activity = .waiting
        }
        let settled = effects.settles == .none ? WaiterList() : settle(effects.settles)
        if case .success = input.result, !effects.isIgnored {
            if input.isFinal, let run = input.run { noteLanding(of: run) }
            if let tags = input.tags?.tags {
                // An intermediate value may be rolled back, and with layers the visible value differs from the base.
                let isPassing = effects.value == .relayer || state.record.flags.contains(.partial)
                host.setTags(tags, ticket, inAddition: isPassing)
            }
        }
        if let result = input.result {
            let isLanded = if case .success = result { !effects.isIgnored } else { false }
            handOver(to: settled, by: previousRun, isLanded: isLanded)
        }
        if let settings {
            begin(settings, after: beforeStart.map { state.with($0) } ?? stateBefore(before))
        }
        if isIdle != wasIdle || machine.isIdle != wasResting || effects.starts != nil || effects.endedRun {
            hasNewActivity = true
        } else if effects.value != .keep, concernsUse(before) {
            hasNewActivity = true
        }
        var result = changes.contains(.result) ? input.result : nil
        if let held = rare?.held {
            if effects.value == .clear {
                release(held.published)
                held.published = state
            }
            add(.release(value: held.add(changes, result, storedChange(effects, input, before.record))))
            if settled.isEmpty { return effects }
            // A caller that waits for a run must not wait for the end of a batch.
            (changes, result) = takeHeldBack(held)
        }
        notify(changes, result, effects, input, before, settled)
        return effects
    }

    /// Whether the new state changes something that the client tracks.
    private func concernsUse(_ before: StateBox) -> Bool {
        isIdle || landsRun || state.byteCount != before.byteCount || state.record.hasResult != before.record.hasResult
    }

    /// The state from before a run began, with the current value.
    private func stateBefore(_ before: StateBox) -> StateBox {
        before.hasSameValue(as: state) ? before : state.with(before.record)
    }

    /// Notifies handlers, caches and callers of an event.
    private mutating func notify(
        _ changes: StateChanges,
        _ result: Result<AnyValue, any Error>?,
        _ effects: RunMachine.Effects,
        _ input: StoreInput,
        _ before: StateBox,
        _ settled: WaiterList
    ) {
        let handlerSettings = changes.isEmpty || rare == nil ? [] : takeHandlerSettings()
        let mustNotify = !changes.isEmpty && (outbox.hasObservers || !handlerSettings.isEmpty)
        let allCacheSettings = rare?.allCacheSettings ?? []
        let stored = allCacheSettings.isEmpty ? nil : storedChange(effects, input, before.record)
        let answer: Result<AnyValue, any Error>? = settled.isEmpty ? nil : input.result ?? .failure(CancellationError())
        // A result that was overtaken by a write is never shown, so callers that are able to ask again must do so.
        if effects.isIgnored || input.result == nil { settled.visit { $0.mustFetchAgain?.raise() } }
        if mustNotify || stored != nil || answer != nil && outbox.isBusy {
            settled.visit { $0.isPosted = true }
            let delivery = Delivery(
                number: outbox.nextNumber(),
                StateEvent(changes: changes, state: state, result: result),
                handlerSettings: handlerSettings,
                session: base.context.owner,
                waiters: settled,
                answer: answer,
                stored: stored,
                allCacheSettings: allCacheSettings
            )
            if let first = outbox.post(delivery) { add(.deliver(first)) }
        } else if let answer {
            add(.resume(settled, answer))
        }
    }

    // MARK: Observers

    /// Adds an observer to the machine. Mostly that has no further effects, and then the full processing of an event is skipped.
    mutating func addObserver(wanting cause: QueryCause?, _ input: StoreInput) {
        guard cause == nil, rare == nil else {
            process(input) { $0.subscribe(wanting: cause, &$1) }
            return
        }
        machine.subscribe()
        noteObservers()
    }

    /// Removes an observer from the machine.
    mutating func removeObserver(_ input: StoreInput) {
        guard run == nil, rare == nil else {
            let abandonment = self.abandonment
            process(input) { $0.unsubscribe(abandonment, &$1) }
            return
        }
        machine.unsubscribe()
        noteObservers()
    }

    private mutating func noteObservers() { if machine.subscribers <= 1 { hasNewActivity = true } }

    // MARK: Runs

    private mutating func begin(_ settings: RequestSettings, after previous: StateBox) {
        guard let start = machine.runStart else { return }
        let cacheSettings = start.aim != .everything || start.cause == .reset || state.record.hasResult ? nil : cacheSettings(for: settings)
        let run = StoreRun(
            of: owner,
            start: start,
            settings: settings,
            asOf: latest,
            rollback: settledBase(of: previous),
            cacheSettings: cacheSettings
        )
        // Only a run of all pages takes the changes: a run for some pages doesn't fetch what changed in the others.
        if start.aim == .everything, let changes = rare?.changes {
            run.changes = changes
            rare?.changes = .nothing
        }
        waiters.visit { waiter in
            guard waiter.run == RunMachine.following else { return }
            waiter.run = start.number
            // Callers that waited for this run want everything fetched, regardless of its cause.
            run.changes? = .anything
        }
        self.run = run
        add(.begin(run))
    }

    /// The settings with the cache to read a value from, in the current session.
    private func cacheSettings(for settings: RequestSettings) -> RequestSettings? {
        guard let rare else { return nil }
        if settings.isRemembered, settings.context.settings.persistence != nil { return settings }
        return rare.allCacheSettings.first { $0.context.owner === base.context.owner }
    }

    private mutating func end(_ ended: StoreRun, _ effects: RunMachine.Effects) {
        if effects.cancels != nil { add(.giveUp(ended)) }
        if effects.value != .accept, let changes = ended.changes { rare?.changes?.merge(changes) }
        // The run isn't deallocated here: its task, or the action that gives it up, still holds it.
        run = nil
    }

    /// A run that has waited for the network since its start reads as of now.
    func releaseHeldBackRun() {
        if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, latest) }
    }

    /// What happens to the run under way when its last caller and observer leave. A setting of the request that caused the run.
    var abandonment: QueryAbandonment { (run?.settings ?? runSettings).abandonment }

    /// Removes and returns the callers whose wait is over.
    private mutating func settle(_ settlement: RunMachine.Effects.Settlement) -> WaiterList {
        let settled =
            switch settlement {
            case .none: WaiterList()
            case .waiters(let number) where waiters.contains { $0.run != number }: waiters.remove(waitingFor: number)
            case .waiters, .everyone: waiters.removeAll()
            }
        // If a caller is a run, it must count as working again before this store's run stops counting.
        settled.visit { $0.wait?.resume() }
        return settled
    }

    /// Makes the runs among the callers depend on the regions that the result was read from, even if it is a failure or didn't become the
    /// store's value.
    private func handOver(to waiters: WaiterList, by run: StoreRun?, isLanded: Bool) {
        waiters.visit { waiter in
            guard waiter.reader != nil else { return }
            let isUnfollowed = run?.readsUnfollowed.isRaised ?? false
            waiter.reads = handOver(to: waiter.reader, since: isLanded ? nil : run?.asOf, isUnfollowed: isUnfollowed)
            waiter.moments = run?.moments
        }
    }

    /// Makes a run that takes the value, or fails with the error, depend on the regions that it was read from (R18), and returns these
    /// regions.
    ///
    /// From now on, a change of these regions concerns the reader too. A change that was made after the value was read, but before now, has
    /// concerned this store. It is found by comparing change numbers.
    ///
    /// - Parameters:
    ///   - number: The latest change that the result includes. Default: that of the store's value.
    ///   - isUnfollowed: Whether the value counts as stale at once. Then the reader's value will count as stale too, and another run would
    ///     not change that.
    func handOver(to reader: RunReader?, since number: ChangeNumber? = nil, isUnfollowed: Bool = false) -> [QueryRegion] {
        guard let reader else { return [] }
        let reads = host.reads(ticket)
        if !reads.isEmpty { reader.store.host.noteReads(reads, by: nil, reader.store.ticket, reader.start) }
        if !isUnfollowed, host.hasChanged(ticket, since: number ?? asOf) {
            reader.store.host.outdate(reader.store.ticket, reader.start, by: nil)
        }
        return reads
    }
}

/// The outcome of an event.
struct EventOutcome: Sendable {
    /// The run that a caller now waits for.
    var joined: Int32?
    /// That run has another aim than the caller needs, so the caller must choose again afterwards.
    var mustFetchAgain = false
    /// The event came from a run that no longer counts, so it was ignored.
    var isIgnored = false
    /// The event ended a run.
    var endedRun = false
}
