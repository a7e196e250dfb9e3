/// Everything that a store guards with its lock, and the one way to change it.
///
/// A change asks the machine, applies the value, publishes if there is something to see, and notes as ``StoreWork`` what has to be
/// done once the lock is open again.
struct StoreContents {
    // The order of the properties leaves no gaps: there is one of these for each store.
    var state: StateBox
    var machine = RunMachine()
    private var lastWaiter: UInt32 = 0
    /// Raised whenever the value may have changed. Unlike the counts of the record it never goes back.
    private(set) var valueNumber: UInt32 = 0
    var request: any QueryRequest
    var context: QueryContext
    var run: ActiveRun?
    var waiters: [Waiter] = []
    var outbox = Outbox()
    /// `nil` for the many stores that need none of it.
    private(set) var extras: StoreExtras?
    private var lastSubscriber: UInt32 = 0
    private(set) var lastActivity: UInt32 = 0

    init(state: StateBox, request: any QueryRequest, context: QueryContext) {
        self.state = state
        self.request = request
        self.context = context
    }

    /// Takes over the settings of another request, and its stand-in where there is no value; answers with what they replace.
    mutating func adopt(
        _ request: any QueryRequest,
        _ context: QueryContext,
        placeholder: StateBox.Value?
    ) -> (work: StoreWork, replaced: (any QueryRequest, QueryContext)) {
        let replaced = (self.request, self.context)
        self.request = request
        self.context = context
        // The longest of several retentions wins.
        if let retention = replaced.1.retention, retention > context.retention ?? .zero { self.context.retention = retention }
        var work = StoreWork()
        if placeholder != nil, !state.record.flags.contains(.hasValue) {
            work = process(StoreInput(placeholder: placeholder)) { machine, _ in
                RunMachine.Effects(value: .placeholder, rebases: machine.run != nil)
            }
        } else if self.context.retention != replaced.1.retention {
            work.activity = nextActivity()
        }
        work.wantsTriggers = hasTriggers
        return (work, replaced)
    }

    /// The extras, which are there from now on.
    mutating func needExtras() -> StoreExtras {
        if let extras { return extras }
        let extras = StoreExtras()
        self.extras = extras
        return extras
    }

    /// What has to be computed with the lock open before an event can be carried out, if anything has.
    func missingBasis(for input: StoreInput) -> Overlay.Basis? {
        guard let extras, !extras.layers.isEmpty else { return nil }
        let rollback = run?.rollback
        if let overlay = input.overlay, overlay.version == extras.layers.version, overlay.rollback == rollback.map({ ObjectIdentifier($0) })
        {
            return nil
        }
        return Overlay.Basis(layers: extras.layers, rollback: rollback)
    }

    /// Carries one event through machine, value and outbox, and then the run that it may ask for.
    ///
    /// `input` is what came with the event, if something did.
    mutating func process(
        _ input: StoreInput = StoreInput(),
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> StoreWork {
        var work = StoreWork()
        var effects = step(input, event, &work)
        work.joined = effects.joined
        work.mustAskAgain = effects.mustAskAgain
        work.isIgnored = effects.isIgnored
        while let next = effects.next {
            effects = step(
                StoreInput(isOffline: input.isOffline),
                { $0.start(next.cause, by: next.origin, waiters: next.waiters, &$1) },
                &work
            )
            // Who wants the run after the one that just ended wants this one.
            if work.joined == RunMachine.following { work.joined = effects.starts?.number }
        }
        if let extras {
            work.failures = input.overlay?.failures ?? []
            work.wantsFolding = machine.run == nil && extras.layers.waitsForLanding
        }
        return work
    }

    private mutating func step(
        _ input: StoreInput,
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects,
        _ work: inout StoreWork
    ) -> RunMachine.Effects {
        let previous = state
        let before = previous.record
        let wasIdle = isIdle
        let wasObserved = machine.isObserved
        let previousRun = machine.run
        let privateRuns = machine.privateRuns
        var record = before
        var effects = event(&machine, &record)
        if input.isOffline, let start = effects.starts, context.networkMode == .online {
            // It shows at once that it waits, and does not look like loading until it gets there.
            effects.starts?.isPaused = true
            machine.holdBack(start.number, after: before, &record)
        }

        var changes: StateChanges = apply(effects, input, before, record, &work) ? .state : []
        let wasFetching = before.flags.contains(.fetching)
        let isFetching = record.flags.contains(.fetching)
        if isFetching != wasFetching { changes.insert(isFetching ? .fetchingStarted : .fetchingEnded) }
        if input.result != nil, input.isFinal || effects.isLive, !effects.isIgnored { changes.insert(.result) }

        var endedWork = Int(min(machine.privateRuns - privateRuns, 0))
        if let previousRun, previousRun.number != machine.run?.number {
            let task = effects.cancels == nil ? nil : run?.task
            work.ended = RunEnd(cause: previousRun.cause, isCancelled: effects.cancels != nil, task: task, trace: run?.trace)
            work.released = run?.rollback
            // A run that waits for the clock was taken off the count when it began to wait, and a run that is followed
            // by another hands its place on: the count must not fall to zero in between.
            if let run, run.isCounted, run.rest != .waiting {
                if effects.next == nil { endedWork -= 1 } else { work.inheritsWork = true }
            }
            if effects.value != .accept, let changes = run?.changes { extras?.changes?.merge(changes) }
            run = nil
        } else if effects.isLive, let run, run.isCounted, run.rest == .awake {
            // From now on it waits for others, like a run between two attempts.
            run.rest = .waiting
            endedWork -= 1
        }
        if machine.isObserved != wasObserved { work.wantsTriggers = hasTriggers }
        if effects.value == .accept, context.settings.computedTags != nil { work.tagged = state.current }
        let settled = settle(effects.settles)
        if let start = effects.starts { begin(start, previous, &work) }

        var activity: StoreActivity?
        if endedWork < 0 {
            activity = nextActivity()
        } else if isIdle != wasIdle || effects.value != .keep || effects.starts != nil {
            work.activity = nextActivity()
        }
        let isHeard = !changes.isEmpty && (outbox.isHeard || !context.settings.handlers.isEmpty)
        let stored = context.settings.persistence?.keep == nil ? nil : storedChange(effects, input, before)
        if isHeard || endedWork < 0 || !settled.isEmpty || stored != nil {
            let delivery = Delivery(
                number: outbox.nextNumber(),
                changes: changes,
                state: state,
                context: context,
                result: effects.isIgnored ? nil : input.result,
                activity: activity,
                work: endedWork,
                waiters: settled,
                outcome: settled.isEmpty ? nil : input.result ?? .failure(CancellationError()),
                stored: stored
            )
            if let turn = outbox.post(delivery) { work.turn = turn }
        }
        return effects
    }

    /// Brings the state in line with the effects; true when an observer would see a difference.
    private mutating func apply(
        _ effects: RunMachine.Effects,
        _ input: StoreInput,
        _ before: QueryRecord,
        _ after: QueryRecord,
        _ work: inout StoreWork
    ) -> Bool {
        var base = state
        var record = after
        var value: StateBox.Value??
        var changed = false
        let hasLayers = extras?.layers.isEmpty == false
        switch effects.value {
        case .keep:
            break
        case .accept:
            guard case .success(let new) = input.result else { preconditionFailure("A value to accept is missing: \(effects)") }
            // R5: equality counts only where nothing else changed either.
            changed = input.equalsValue != valueNumber
            value = .some(hasLayers ? land(new, input, &work) : new)
        case .restore:
            guard let run else { preconditionFailure("A run to restore is missing: \(machine)") }
            base = run.rollback
            record = base.record
            record.restore(over: after)
            changed = after.valueCount != record.valueCount
            if hasLayers {
                // A placeholder is no value, and nothing lies over it.
                let hasValue = base.record.flags.contains(.hasValue)
                changeLayers(&work) { $0.base = hasValue ? base.current : nil }
                value = .some(hasValue ? input.overlay?.restored : base.current)
            }
        case .clear, .placeholder:
            changed = base.current != nil || input.placeholder != nil
            value = .some(input.placeholder)
            if hasLayers { changeLayers(&work) { $0.base = nil } }
            if input.placeholder != nil { record.flags.insert(.placeholder) }
        case .relayer:
            changed = input.equalsValue != valueNumber
            value = .some(input.shown)
        }
        if effects.value != .keep { valueNumber &+= 1 }
        if extras?.layers.isEmpty == false, record.flags.contains(.hasValue) {
            record.flags.insert(.optimistic)
        } else {
            record.flags.remove(.optimistic)
        }
        if !record.looksLike(before) { changed = true }
        if changed { record.revision = before.revision + 1 }
        if effects.value != .keep || changed || !record.isKnownToEqual(before) {
            work.replacedBefore = work.replaced
            work.replaced = state
            state = value.map { StateBox(record: record, current: $0, byteCount: input.byteCount) } ?? base.with(record)
        }
        if effects.rebases, let run {
            work.released = run.rollback
            run.rollback = settledBase(of: state)
        }
        return changed
    }

    /// A new base slides under the layers, and those go that it makes needless. Answers with what shows.
    private func land(_ new: StateBox.Value, _ input: StoreInput, _ work: inout StoreWork) -> StateBox.Value? {
        changeLayers(&work) { layers in
            layers = layers.landed(run: input.run, writer: input.writer)
            layers.base = new
        }
        return input.overlay?.accepted ?? new
    }

    /// Changes the layers, or the value beneath them. What was there leaves the lock before it ends.
    private func changeLayers(_ work: inout StoreWork, _ change: (inout LayerStack) -> Void) {
        guard let extras else { return }
        work.replacedLayers.append(extras.layers)
        change(&extras.layers)
    }

    /// A state without the run that is under way, and without layers.
    private func settledBase(of state: StateBox) -> StateBox {
        let settled = state.settled
        guard let extras, !extras.layers.isEmpty, settled.record.flags.contains(.hasValue) else { return settled }
        return StateBox(record: settled.record, current: extras.layers.base, byteCount: settled.byteCount)
    }

    /// Takes out those whose wait is over.
    private mutating func settle(_ settlement: RunMachine.Effects.Settlement) -> [Waiter] {
        var settled: [Waiter] = []
        switch settlement {
        case .nobody:
            break
        case .waiters(let number) where waiters.contains { $0.run != number }:
            settled = waiters.filter { $0.run == number }
            waiters.removeAll { $0.run == number }
        case .waiters, .everyone:
            swap(&settled, &waiters)
        }
        return settled
    }

    private mutating func begin(_ start: RunStart, _ previous: StateBox, _ work: inout StoreWork) {
        // What was before the start: that may have cleared an error, which a cancelled run brings back.
        run = ActiveRun(
            number: start.number,
            priority: Task.currentPriority,
            isCounted: work.inheritsWork,
            rollback: settledBase(of: previous)
        )
        // A run for some pages does not answer what changed in the others.
        if start.aim == .everything, let changes = extras?.changes {
            run?.changes = changes
            extras?.changes = .nothing
        }
        for index in waiters.indices where waiters[index].run == RunMachine.following {
            waiters[index].run = start.number
            // Whoever waited for this run wants all of it, whatever else is its cause.
            run?.changes? = .anything
        }
        work.started = StartedRun(start: start, request: request, context: context, storeContext: context)
    }

    /// A number for a caller that is about to wait.
    mutating func nextWaiter() -> UInt32 {
        lastWaiter &+= 1
        return lastWaiter
    }

    /// A number for a subscriber that is about to join.
    mutating func nextSubscriber() -> UInt32 {
        lastSubscriber &+= 1
        return lastSubscriber
    }

    /// Whether there are triggers that have to begin or end with the subscribers.
    private var hasTriggers: Bool { extras?.triggers != nil || !context.settings.triggers.isEmpty }

    /// Brings the triggers in line with settings and subscribers; answers with those that have to end and to begin.
    mutating func exchangeTriggers(
        _ make: ([QueryTrigger], QueryContext) -> TriggerSession
    ) -> (ended: TriggerSession?, begun: TriggerSession?) {
        let wanted = machine.isObserved ? context.settings.triggers : []
        let present = extras?.triggers
        guard wanted.map(\.name) != present?.names ?? [] else { return (nil, nil) }
        let begun = wanted.isEmpty ? nil : make(wanted, context)
        needExtras().triggers = begun
        return (present, begun)
    }

    /// Whether nobody uses the store. A layer of a mutation that is on its way uses it.
    var isIdle: Bool { machine.isIdle && !isObserved }

    private var isObserved: Bool { machine.isObserved || extras?.layers.isPending == true }

    mutating func nextActivity() -> StoreActivity {
        lastActivity &+= 1
        return StoreActivity(
            sequence: lastActivity,
            isRunning: !machine.isIdle,
            isObserved: isObserved,
            isEmpty: !state.record.hasResult,
            retention: context.retention,
            byteCount: state.byteCount
        )
    }
}

extension StateBox {
    /// The state without the run that is under way.
    fileprivate var settled: StateBox {
        var record = self.record
        guard !record.flags.isDisjoint(with: .running) else { return self }
        record.flags.subtract(.running)
        return with(record)
    }
}
