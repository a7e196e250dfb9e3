/// Everything that a store guards with its lock, and the one way to change it.
///
/// A change asks the machine, applies the value, publishes if there is something to see, and notes as ``StoreWork`` what has to be
/// done once the lock is open again.
struct StoreCore<State: QueryStateProtocol> {
    typealias Value = State.QueryValue

    var state: State
    var machine = RunMachine()
    var request: any QueryRequest<Value, State>
    var context: QueryContext
    var run: ActiveRun<State>?
    var waiters: [Waiter<Value>] = []
    var lastWaiter: UInt64 = 0
    var outbox = Outbox<State>()
    private var lastActivity: UInt32 = 0

    init(state: State, request: any QueryRequest<Value, State>, context: QueryContext, placeholder: Value?) {
        self.state = state
        self.request = request
        self.context = context
        standIn(placeholder)
    }

    /// Takes over the settings of another request, and its stand-in where there is no value; answers with what they replace.
    mutating func adopt(
        _ request: any QueryRequest<Value, State>,
        _ context: QueryContext,
        placeholder: Value?
    ) -> (work: StoreWork<State>, replaced: (any QueryRequest<Value, State>, QueryContext)) {
        let replaced = (self.request, self.context)
        self.request = request
        self.context = context
        // The longest of several retentions wins.
        if let retention = replaced.1.retention, retention > context.retention ?? .zero { self.context.retention = retention }
        guard placeholder != nil else { return (StoreWork(), replaced) }
        return (process(StoreInput(placeholder: placeholder)) { _, _ in RunMachine.Effects(value: .placeholder) }, replaced)
    }

    /// Carries one event through machine, value and outbox, and then the run that it may ask for.
    ///
    /// `input` is what came with the event, if something did.
    mutating func process(
        _ input: StoreInput<Value> = StoreInput(),
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> StoreWork<State> {
        var work = StoreWork<State>()
        var effects = step(input, event, &work)
        work.joined = effects.joined
        work.isIgnored = effects.isIgnored
        while let next = effects.next {
            effects = step(StoreInput(), { $0.start(next.cause, by: next.origin, waiters: next.waiters, &$1) }, &work)
        }
        return work
    }

    private mutating func step(
        _ input: StoreInput<Value>,
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects,
        _ work: inout StoreWork<State>
    ) -> RunMachine.Effects {
        let before = state.record
        let wasIdle = machine.isIdle && !machine.isObserved
        let previousRun = machine.run
        let privateRuns = machine.privateRuns
        let effects = event(&machine, &state.record)

        let valueChanged = apply(effects, input, before, &work)
        var changes: StateChanges = []
        if valueChanged || !state.record.looksLike(before) {
            changes.insert(.state)
            state.record.revision = before.revision + 1
        }
        let isFetching = state.record.flags.contains(.fetching)
        if isFetching != before.flags.contains(.fetching) { changes.insert(isFetching ? .fetchingStarted : .fetchingEnded) }
        if input.result != nil, input.isFinal, !effects.isIgnored { changes.insert(.result) }

        var delivery = Delivery(changes: changes, state: state, context: context)
        delivery.result = effects.isIgnored ? nil : input.result
        delivery.work = Int(min(machine.privateRuns - privateRuns, 0))
        if let previousRun, previousRun.number != machine.run?.number {
            let task = effects.cancels == nil ? nil : run?.task
            work.ended = RunEnd(cause: previousRun.cause, isCancelled: effects.cancels != nil, task: task)
            work.released = run?.rollback.current
            // A run that waits for the clock was taken off the count when it began to wait, and a run that is followed
            // by another hands its place on: the count must not fall to zero in between.
            if run?.isWaiting != true {
                if effects.next == nil { delivery.work -= 1 } else { work.inheritsWork = true }
            }
            run = nil
        }
        settle(effects.settles, input.result, &delivery)
        if let start = effects.starts { begin(start, before, &work) }

        let isIdle = machine.isIdle && !machine.isObserved
        if delivery.work < 0 {
            delivery.activity = activity()
        } else if isIdle != wasIdle || effects.value != .keep || effects.starts != nil {
            work.activity = activity()
            work.value = state.current
        }
        let isSilent = changes.isEmpty && delivery.activity == nil && delivery.waiters.isEmpty && delivery.work == 0
        if !isSilent, let turn = outbox.post(delivery) { work.turn = turn }
        return effects
    }

    /// Brings the value in line with the effects; true when an observer would see a difference.
    private mutating func apply(
        _ effects: RunMachine.Effects,
        _ input: StoreInput<Value>,
        _ before: QueryRecord,
        _ work: inout StoreWork<State>
    ) -> Bool {
        var changed = false
        if effects.value != .keep { work.replaced = state.current }
        switch effects.value {
        case .keep:
            break
        case .accept:
            guard case .success(let value) = input.result else { preconditionFailure("A value to accept is missing: \(effects)") }
            // R5: equality counts only where nothing else changed either.
            changed = input.equalsValue != before.valueCount || !state.record.looksLike(before)
            state.current = value
        case .restore:
            guard let run else { preconditionFailure("A run to restore is missing: \(machine)") }
            let record = state.record
            changed = record.valueCount != run.rollback.record.valueCount
            state = run.rollback
            state.record.restore(over: record)
        case .clear:
            changed = state.current != nil || input.placeholder != nil
            state.current = nil
            standIn(input.placeholder)
        case .placeholder:
            changed = input.placeholder != nil && !state.record.flags.contains(.hasValue)
            standIn(input.placeholder)
        }
        if effects.rebases, let run {
            work.released = run.rollback.current
            run.rollback = state
            run.rollback.record.flags.remove(.fetching)
        }
        return changed
    }

    private mutating func settle(
        _ settlement: RunMachine.Effects.Settlement,
        _ result: Result<Value, any Error>?,
        _ delivery: inout Delivery<State>
    ) {
        switch settlement {
        case .nobody:
            return
        case .waiters(let number):
            delivery.waiters = waiters.filter { $0.run == number }
            waiters.removeAll { $0.run == number }
        case .everyone:
            delivery.waiters = waiters
            waiters = []
        }
        if waiters.isEmpty { waiters = [] }
        delivery.outcome = result ?? .failure(CancellationError())
    }

    private mutating func begin(_ start: RunStart, _ before: QueryRecord, _ work: inout StoreWork<State>) {
        // A start may clear an error; a cancelled run brings it back.
        var rollback = state
        rollback.record = before
        rollback.record.flags.remove(.fetching)
        run = ActiveRun(number: start.number, priority: Task.currentPriority, rollback: rollback)
        for index in waiters.indices where waiters[index].run == RunMachine.following { waiters[index].run = start.number }
        work.started = StartedRun(start: start, request: request, context: context)
    }

    mutating func activity() -> StoreActivity {
        lastActivity &+= 1
        return StoreActivity(
            sequence: lastActivity,
            isRunning: !machine.isIdle,
            isObserved: machine.isObserved,
            isEmpty: !state.record.hasResult,
            retention: context.retention
        )
    }

    private mutating func standIn(_ value: Value?) {
        guard !state.record.flags.contains(.hasValue), let value else { return }
        state.current = value
        state.record.flags.insert(.placeholder)
    }
}
