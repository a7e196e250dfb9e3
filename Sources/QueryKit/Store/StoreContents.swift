/// Everything that a store guards with its lock, and the one way to change it.
///
/// A change asks the machine, applies the value, publishes if there is something to see, and notes as ``StoreAction`` what has to be
/// done once the lock is open again.
struct StoreContents {
    // The order of the properties leaves no gaps: there is one of these for each store.
    var state: StateBox
    var machine = RunMachine()
    private var lastWaiter: UInt32 = 0
    /// Raised whenever the value may have changed. Unlike the counts of the record it never goes back.
    var valueNumber: UInt32 = 0
    /// The change as of which the base value was read.
    var asOf = ChangeNumber.none
    /// The latest change of the client, as of the moment in which the lock was taken.
    private(set) var latest = ChangeNumber.none
    /// The settings of the request that the store was made for, and of the one that was asked for last.
    var base: RequestSettings
    var caller: RequestSettings?
    /// The longest retention that was mentioned since the store was last observed anew.
    var retention: Duration?
    var run: ActiveRun?
    var waiters: [Waiter] = []
    var outbox = Outbox()
    /// `nil` for the many stores that need none of it.
    var extras: StoreExtras?
    private var lastSubscriber: UInt32 = 0
    /// Whether the store has told its client that it works.
    private var isWorking = false
    /// Whether something has happened that the client has to know.
    var hasNewActivity = false
    /// Changes of the client that wait for an answer from outside: a condition, or a context.
    private var news: [StoreChange] = []
    var actions: [StoreAction] = []
    private let runsByItself: Bool
    let host: any StoreHost
    private let ticket: StoreTicket

    init(
        state: StateBox,
        runsByItself: Bool,
        settings: RequestSettings,
        host: any StoreHost,
        ticket: StoreTicket
    ) {
        self.state = state
        self.runsByItself = runsByItself
        base = settings
        self.host = host
        self.ticket = ticket
    }

    /// The extras, which are there from now on.
    mutating func needExtras() -> StoreExtras {
        if let extras { return extras }
        let extras = StoreExtras()
        self.extras = extras
        return extras
    }

    // MARK: One change

    /// What has to be found out with the lock open before an event can be carried out.
    enum Question: Sendable {
        /// What values look like with the layers of mutations over them.
        case overlay(Overlay.Basis)
        /// Whether the library may start a run by itself: one of these contexts has to allow it.
        case isEnabled([QueryContext])
        /// What some settings are in the present session.
        case renewal([RequestSettings])
    }

    /// Takes what the client has entered, and finds out whether it and the event can be carried out.
    mutating func prepare(_ input: StoreInput) -> Question? {
        let taken = host.takeNews(for: ticket)
        latest = taken.latest
        for change in taken.changes {
            // What the mutation did can be seen by runs that begin from now on.
            if let mutation = change.regions?.mutation, let extras, !extras.layers.isEmpty {
                extras.layers.land(mutation, after: machine.lastBegunNumber)
            }
            news.append(change)
        }
        if let question = question(for: input) { return question }
        guard !news.isEmpty else { return nil }
        let changes = news
        news = []
        for change in changes { apply(change, input) }
        return question(for: input)
    }

    private func question(for input: StoreInput) -> Question? {
        for change in news {
            switch change.kind {
            case .renewed:
                let old = allSettings
                if !old.allSatisfy({ input.renewed?.covers($0) == true }) { return .renewal(old) }
            case .invalidated, .reset:
                if input.isEnabled == nil, let contexts = conditionalContexts { return .isEnabled(contexts) }
            }
        }
        return missingBasis(for: input).map { .overlay($0) }
    }

    /// What has to be computed with the lock open before an event can be carried out, if anything has.
    private func missingBasis(for input: StoreInput) -> Overlay.Basis? {
        guard let extras, !extras.layers.isEmpty else { return nil }
        let rollback = run?.rollback
        if let overlay = input.overlay, overlay.version == extras.layers.version, overlay.rollback == rollback.map({ ObjectIdentifier($0) })
        {
            return nil
        }
        return Overlay.Basis(layers: extras.layers, rollback: rollback)
    }

    /// Takes a change that no client numbers.
    mutating func receive(_ kind: StoreChange.Kind) { apply(StoreChange(number: latest, kind: kind), StoreInput()) }

    private mutating func apply(_ change: StoreChange, _ input: StoreInput) {
        let isEnabled = input.isEnabled ?? runsByItself
        switch change.kind {
        case .invalidated(let cause, let refetch):
            guard runsByItself else { return }
            if let regions = change.regions { extras?.changes?.add(regions.regions) } else { extras?.changes? = .anything }
            process(input.withoutValue) { machine, record in
                machine.invalidate(cause, refetch: refetch, isEnabled: isEnabled, sparing: change.spared, &record)
            }
            // A run that the change doesn't outdate reads as of the change.
            if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, change.number) }
        case .reset(let cause, let forgets):
            var plain = input.withoutValue
            plain.forgets = forgets
            process(plain) { $0.reset(cause, refetches: isEnabled, &$1) }
        case .renewed:
            guard let renewal = input.renewed else { return }
            actions.append(.release([base, caller]))
            base = renewal[base]
            caller = caller.map { renewal[$0] }
            outbox.replaceSettings { [renewal] _, old in renewal[old] }
            if let extras {
                actions.append(.release(extras.layers))
                extras.layers.removeAll()
                for session in extras.triggers.values { actions.append(.endTriggers(session)) }
                extras.triggers = [:]
                // Caches hold what belongs to a session under its name.
                extras.keepers = []
                for settings in allSettings where settings.context.settings.persistence != nil { mention(settings, isCall: false) }
            }
            process(input.withoutValue) { $0.reset(.session, refetches: isEnabled, &$1) }
            actions.append(.updateTriggers)
        }
    }

    /// Ends a change: tells the client how the store is used now, and returns what is left to be done.
    mutating func conclude() -> [StoreAction] {
        if hasNewActivity {
            hasNewActivity = false
            // First of all: a store that was let go is listed again before its run begins.
            if host.update(ticket, activity) { actions.insert(.attend, at: 0) }
        }
        let works = outbox.isBusy || run.map { $0.rest != .waiting } ?? false
        if works != isWorking {
            isWorking = works
            host.work.count(works)
        }
        defer { actions = [] }
        return actions
    }

    /// The next turn of the deliveries; `nil`, and the client knows, when there is none.
    mutating func nextTurn() -> (turn: Outbox.Turn?, actions: [StoreAction]) {
        if let turn = outbox.next() { return (turn, []) }
        return (nil, conclude())
    }

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
        while let next = effects.next {
            effects = step(input.withoutValue) { $0.start(next.cause, by: next.origin, waiters: next.waiters, &$1) }
            // Who wants the run after the one that just ended wants this one.
            if outcome.joined == RunMachine.following { outcome.joined = effects.starts?.number }
        }
        if let extras {
            if let failures = input.overlay?.failures, !failures.isEmpty { actions.append(.report(failures)) }
            if machine.run == nil, extras.layers.waitsForLanding { actions.append(.foldLayers) }
        }
        return outcome
    }

    private mutating func step(
        _ input: StoreInput,
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> RunMachine.Effects {
        let previous = state
        let before = previous.record
        let wasIdle = isIdle
        let previousRun = machine.run
        var record = before
        var effects = event(&machine, &record)
        // What a cancelled run restores: the state before it cleared an error.
        var beforeStart = effects.starts == nil ? nil : before
        if effects.isSeamless, let next = effects.next {
            beforeStart = record
            effects.starts = machine.start(next.cause, by: next.origin, waiters: next.waiters, &record).starts
            effects.next = nil
        }
        let settings = input.settings ?? runSettings
        if input.isOffline, let start = effects.starts, settings.context.networkMode == .online {
            // It shows at once that it waits, and does not look like loading until it gets there.
            effects.starts?.isPaused = true
            machine.holdBack(start.number, after: beforeStart ?? before, &record)
        }
        var changes = apply(effects, input, before, record)
        let wasFetching = before.flags.contains(.fetching)
        let isFetching = record.flags.contains(.fetching)
        if isFetching != wasFetching { changes.insert(isFetching ? .fetchingStarted : .fetchingEnded) }
        if input.result != nil, input.isFinal || effects.isLive, !effects.isIgnored { changes.insert(.result) }
        if let previousRun, previousRun.number != machine.run?.number {
            end(previousRun, effects)
            effects.endedRun = true
        } else if effects.isLive, let run, run.rest == .awake {
            // From now on it waits for others, like a run between two attempts.
            run.rest = .waiting
        }
        var settled = settle(effects.settles)
        if case .success = input.result, !effects.isIgnored {
            if input.isFinal, let run = input.run { host.settleReads(ticket, run: run) }
            if let tags = input.tags { host.setTags(tags, ticket) }
            handOver(to: &settled)
        }
        if let start = effects.starts { begin(start, settings, beforeStart.map { state.with($0) } ?? previous) }
        if isIdle != wasIdle || effects.value != .keep || effects.starts != nil || effects.endedRun { hasNewActivity = true }
        let companions = changes.isEmpty ? [] : takeCompanions()
        let isHeard = !changes.isEmpty && (outbox.isHeard || !companions.isEmpty)
        let keepers = extras?.keepers ?? []
        let stored = keepers.isEmpty ? nil : storedChange(effects, input, before)
        let answer: Result<FetchedValue, any Error>? =
            settled.isEmpty ? nil : input.result.map { $0.map { FetchedValue(value: $0) } } ?? .failure(CancellationError())
        if isHeard || stored != nil || answer != nil && outbox.isDelivering {
            let delivery = Delivery(
                number: outbox.nextNumber(),
                changes: changes,
                state: state,
                companions: companions,
                result: effects.isIgnored ? nil : input.result,
                waiters: settled,
                answer: answer,
                stored: stored,
                keepers: keepers
            )
            if let turn = outbox.post(delivery) { actions.append(.deliver(turn)) }
        } else if let answer {
            if effects.isIgnored || input.result == nil { for waiter in settled { waiter.mustAskAgain?.raise() } }
            actions.append(.resume(settled, answer))
        }
        return effects
    }

    // MARK: Runs

    private mutating func begin(_ start: RunStart, _ settings: RequestSettings, _ previous: StateBox) {
        // What was before the start: that may have cleared an error, which a cancelled run brings back.
        run = ActiveRun(
            number: start.number,
            priority: Task.currentPriority,
            asOf: latest,
            settings: settings,
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
        actions.append(.begin(StartedRun(start: start, settings: settings, context: settings.context)))
    }

    private mutating func end(_ ended: RunMachine.Run, _ effects: RunMachine.Effects) {
        let task = effects.cancels == nil ? nil : run?.task
        actions.append(.end(RunEnd(cause: ended.cause, isCancelled: effects.cancels != nil, task: task, trace: run?.trace)))
        if let run {
            actions.append(.release(run.rollback))
            if effects.value != .accept, let changes = run.changes { extras?.changes?.merge(changes) }
        }
        run = nil
    }

    /// The context of one call for the run that has just been decided.
    mutating func useForStart(_ context: QueryContext) {
        for index in actions.indices {
            guard case .begin(let run) = actions[index] else { continue }
            actions[index] = .begin(StartedRun(start: run.start, settings: run.settings, context: context))
        }
    }

    /// A run that waited for the network before it did anything reads as of now.
    func releaseHeldBackRun() {
        if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, latest) }
    }

    /// What becomes of the run under way when nobody wants it any more: whoever caused it has said so.
    var abandonment: QueryAbandonment { (run?.settings ?? runSettings).context.abandonment }

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
        // Runs among them count before this store's run stops counting.
        for waiter in settled { waiter.rest?.resume() }
        return settled
    }

    /// Lets the runs among some callers depend on what the value was read from.
    private mutating func handOver(to waiters: inout [Waiter]) {
        for index in waiters.indices where waiters[index].reader != nil {
            waiters[index].reads = handOver(to: waiters[index].reader)
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

    // MARK: Numbers

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

    // MARK: Use

    /// The value beneath the layers.
    var baseValue: StateBox.Value? {
        if let extras, !extras.layers.isEmpty { return extras.layers.base }
        return state.record.flags.contains(.hasValue) ? state.current : nil
    }

    /// Whether nothing would be lost if the store was let go.
    var mayBeReleased: Bool { isIdle }

    private var isIdle: Bool { machine.isIdle && !isObserved }

    /// A layer of a mutation that is on its way uses the store, too.
    private var isObserved: Bool { machine.isObserved || extras?.layers.isPending == true }

    private var activity: StoreActivity {
        StoreActivity(
            run: machine.run?.number ?? 0,
            isRunning: !machine.isIdle,
            isObserved: isObserved,
            isEmpty: !state.record.hasResult,
            computesTags: extras?.computing.isEmpty == false,
            keepsParts: extras?.changes != nil,
            retention: retention,
            byteCount: state.byteCount
        )
    }

    /// Answers a caller after the deliveries that are under way or in line.
    mutating func post(_ waiter: Waiter, _ answer: FetchedValue) {
        let delivery = Delivery(
            number: outbox.nextNumber(),
            changes: [],
            state: state,
            result: .success(answer.value),
            waiters: [waiter],
            answer: .success(answer)
        )
        if let turn = outbox.post(delivery) { actions.append(.deliver(turn)) }
    }

    /// The client is told of the store's use by whoever calls this.
    mutating func forgetActivity() { hasNewActivity = false }

    /// The layers change without an event of the machine; the client has to know whether the store is in use.
    mutating func noteUse() {
        hasNewActivity = true
        if machine.run == nil, extras?.layers.waitsForLanding == true { actions.append(.foldLayers) }
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
