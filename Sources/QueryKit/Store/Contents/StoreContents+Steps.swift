/// How one event goes through machine, value and outbox.
extension StoreContents {
    /// Carries one event through machine, value and outbox, and then the run that it may ask for.
    ///
    /// `input` is what came with the event, if something did.
    @discardableResult
    mutating func process(
        _ input: StoreInput = StoreInput(),
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> EventOutcome {
        var effects = step(input, event)
        var outcome = EventOutcome(
            joined: effects.joined,
            mustAskAgain: effects.mustAskAgain,
            isIgnored: effects.isIgnored,
            endedRun: effects.endedRun
        )
        if effects.hasNext { effects = step(input.withoutValue) { $0.startNext(&$1) } }
        // Who wants the run after the one that just ended wants this one.
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
        // An observed store is never idle, but its machine may be.
        let (wasIdle, wasResting) = (isIdle, machine.isIdle)
        let previousRun = run
        var record = before.record
        var effects = event(&machine, &record)
        if effects.value == .restore {
            guard let run else { preconditionFailure("A run to restore is missing: \(machine)") }
            let left = record
            record = run.rollback.record
            record.restore(over: left)
        }
        // What a cancelled run goes back to: before its start, which may have cleared an error.
        var beforeStart: QueryRecord?
        if effects.isSeamless, effects.hasNext {
            beforeStart = record
            effects.starts = machine.startNext(&record).starts
            effects.hasNext = false
        }
        let settings = effects.starts == nil ? nil : input.settings ?? runSettings
        if let start = effects.starts, settings?.networkMode == .online, host.isOffline {
            // It shows at once that it waits, and does not look like loading until it gets there.
            machine.holdBack(start, after: beforeStart ?? before.record, &record)
        }
        var changes = apply(effects, input, before, record)
        let isFetching = record.flags.contains(.fetching)
        if isFetching != before.record.flags.contains(.fetching) { changes.insert(isFetching ? .fetchingStarted : .fetchingEnded) }
        if input.result != nil, input.isFinal || effects.isLive, !effects.isIgnored { changes.insert(.result) }
        if let previousRun, previousRun.number != machine.runNumber {
            end(previousRun, effects)
            if !refetches.isEmpty, rare?.doubtedRun != previousRun.number {
                noteRefetch(previousRun.number, effects.cancels == nil ? input.result : nil)
            }
            effects.endedRun = true
        } else if effects.isLive, let run, run.rest == .awake {
            // From now on it waits for others, like a run between two attempts.
            run.rest = .waiting
        }
        let settled = effects.settles == .nobody ? WaiterList() : settle(effects.settles)
        if case .success = input.result, !effects.isIgnored {
            if input.isFinal, let run = input.run { noteLanding(of: run) }
            if let tags = input.tags?.tags {
                // An intermediate value may be taken back, and beneath a layer there is another value.
                let isPassing = effects.value == .relayer || state.record.flags.contains(.partial)
                host.setTags(tags, ticket, inAddition: isPassing)
            }
        }
        if case .success = input.result { handOver(to: settled, by: previousRun, isLanded: !effects.isIgnored) }
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
            // A caller that waits for a run does not wait for a batch.
            (changes, result) = takeHeldBack(held)
        }
        tell(changes, result, effects, input, before, settled)
        return effects
    }

    /// Whether the client has to know of a state that has just come about.
    private func concernsUse(_ before: StateBox) -> Bool {
        isIdle || landsRun || state.byteCount != before.byteCount || state.record.hasResult != before.record.hasResult
    }

    /// The state as it was before a run began, with the value of now.
    private func stateBefore(_ before: StateBox) -> StateBox {
        before.hasSameValue(as: state) ? before : state.with(before.record)
    }

    /// Lets handlers, caches and callers know of an event.
    private mutating func tell(
        _ changes: StateChanges,
        _ result: Result<AnyValue, any Error>?,
        _ effects: RunMachine.Effects,
        _ input: StoreInput,
        _ before: StateBox,
        _ settled: WaiterList
    ) {
        let companions = changes.isEmpty || rare == nil ? [] : takeCompanions()
        let isHeard = !changes.isEmpty && (outbox.isHeard || !companions.isEmpty)
        let keepers = rare?.keepers ?? []
        let stored = keepers.isEmpty ? nil : storedChange(effects, input, before.record)
        let answer: Result<AnyValue, any Error>? = settled.isEmpty ? nil : input.result ?? .failure(CancellationError())
        // A result that a write has overtaken is never shown, so a caller that can ask again does.
        if effects.isIgnored || input.result == nil { settled.visit { $0.mustAskAgain?.raise() } }
        if isHeard || stored != nil || answer != nil && outbox.isBusy {
            settled.visit { $0.isPosted = true }
            let delivery = Delivery(
                number: outbox.nextNumber(),
                StateEvent(changes: changes, state: state, result: result),
                companions: companions,
                session: base.context.owner,
                waiters: settled,
                answer: answer,
                stored: stored,
                keepers: keepers
            )
            if let first = outbox.post(delivery) { add(.deliver(first)) }
        } else if let answer {
            add(.resume(settled, answer))
        }
    }

    // MARK: Observers

    /// An observer has joined. Mostly nothing follows from that, and then no event has to pass through all of the above.
    mutating func addObserver(wanting cause: QueryCause?, _ input: StoreInput) {
        guard cause == nil, rare == nil else {
            process(input) { $0.subscribe(wanting: cause, &$1) }
            return
        }
        machine.subscribe()
        noteObservers()
    }

    /// An observer has left.
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
        let keeper = start.aim != .everything || start.cause == .reset || state.record.hasResult ? nil : keeper(for: settings)
        let run = StoreRun(of: owner, start: start, settings: settings, asOf: latest, rollback: settledBase(of: previous), keeper: keeper)
        // A run for some pages does not answer what changed in the others.
        if start.aim == .everything, let changes = rare?.changes {
            run.changes = changes
            rare?.changes = .nothing
        }
        waiters.visit { waiter in
            guard waiter.run == RunMachine.following else { return }
            waiter.run = start.number
            // Callers that waited for this run want all of it, whatever other cause it has.
            run.changes? = .anything
        }
        self.run = run
        add(.begin(run))
    }

    /// The settings with the cache to ask for a value, in the present session.
    private func keeper(for settings: RequestSettings) -> RequestSettings? {
        guard let rare else { return nil }
        if settings.isRemembered, settings.context.settings.persistence != nil { return settings }
        return rare.keepers.first { $0.context.owner === base.context.owner }
    }

    private mutating func end(_ ended: StoreRun, _ effects: RunMachine.Effects) {
        if effects.cancels != nil { add(.giveUp(ended)) }
        if effects.value != .accept, let changes = ended.changes { rare?.changes?.merge(changes) }
        // Its task, or the action that gives it up, still holds it.
        run = nil
    }

    /// A run that waited for the network before it did anything reads as of now.
    func releaseHeldBackRun() {
        if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, latest) }
    }

    /// What happens to the run under way when its last caller and observer leave: a setting of the request that caused it.
    var abandonment: QueryAbandonment { (run?.settings ?? runSettings).abandonment }

    /// Takes out those whose wait is over.
    private mutating func settle(_ settlement: RunMachine.Effects.Settlement) -> WaiterList {
        let settled =
            switch settlement {
            case .nobody: WaiterList()
            case .waiters(let number) where waiters.contains { $0.run != number }: waiters.remove(waitingFor: number)
            case .waiters, .everyone: waiters.removeAll()
            }
        // Runs among them count before this store's run stops counting.
        settled.visit { $0.rest?.resume() }
        return settled
    }

    /// Lets the runs among some callers depend on what the value was read from, also if it is not the store's.
    private func handOver(to waiters: WaiterList, by run: StoreRun?, isLanded: Bool) {
        waiters.visit { waiter in
            guard waiter.reader != nil else { return }
            waiter.reads = handOver(to: waiter.reader, since: isLanded ? nil : run?.asOf)
            waiter.moments = run?.moments
        }
    }

    /// Lets a run that takes the value depend on what that was read from (R18), and returns it.
    ///
    /// From now on a change of it concerns the reader. One that came since the value was read has concerned this store, which the numbers tell.
    ///
    /// - Parameter number: The change as of which the value was read. Default: that of the store's value.
    func handOver(to reader: RunReader?, since number: ChangeNumber? = nil) -> [QueryRegion] {
        guard let reader else { return [] }
        let reads = host.reads(ticket)
        if !reads.isEmpty { reader.store.host.noteReads(reads, reader.store.ticket, reader.start) }
        if host.hasChanged(ticket, since: number ?? asOf) {
            reader.store.host.outdate(reader.store.ticket, reader.start, by: nil)
        }
        return reads
    }
}

/// What became of an event.
struct EventOutcome: Sendable {
    /// The run that a caller now waits for.
    var joined: Int32?
    /// That run brings something else than the caller wants.
    var mustAskAgain = false
    /// The event came from a run that has no say any more.
    var isIgnored = false
    /// A run ended with the event.
    var endedRun = false
}
