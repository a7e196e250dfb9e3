/// Carries out what the ledger decides. It has the one lock of a client, and calls nothing while it holds it.
final class Engine: LedgerHolder {
    private let ledger = Lock(Ledger())
    let clock: any QueryClock
    /// Whether the sizes of values count.
    let measuresValues: Bool
    /// The elements of all paths and patterns that the ledger compares.
    let elements = PathElements()
    /// The patterns of the limits of runs, in their order.
    private let runLimits: [QueryPattern]
    /// The present session, a leaf that changes in the step that begins another one.
    let session: Lock<Session>
    /// Hears of each session that begins.
    let sessions: Listeners<String?>
    /// What the configuration changes in the contexts of matching requests.
    let defaults: [(pattern: QueryPattern, apply: @Sendable (inout QueryContext) -> Void)]
    /// This client, for others that share its journal.
    let holder = LeaseHolder()
    private let alarm = Lock<Alarm>(Alarm())
    /// The observers of the system.
    let system = Lock(System())

    private struct Alarm {
        var instant = QueryInstant.never
        var alarm: QueryAlarm?
    }

    init(
        clock: any QueryClock,
        limits: Ledger.Limits = Ledger.Limits(),
        context: QueryContext = QueryContext(),
        defaults: [(pattern: QueryPattern, apply: @Sendable (inout QueryContext) -> Void)] = []
    ) {
        (self.clock, self.defaults, measuresValues) = (clock, defaults, limits.bytes < .max)
        session = Lock(Session(1, context))
        sessions = Listeners(context.session)
        runLimits = limits.runs.map(\.pattern)
        ledger.withLock { ledger in
            ledger.limits = limits
            ledger.places = Ledger.Places(limits.runs)
        }
    }

    func makeEntry(_ identity: QueryIdentity, _ path: QueryPath, _ typing: (any StateTyping)?, sibling: Entry?) -> Entry {
        let limits = runLimits.indices.filter { runLimits[$0].matches(path) }
        return Entry(identity, elements.unique(path), typing, isComparable: typing?.areEqual != nil, limits: limits, sibling: sibling)
    }

    // MARK: Events

    /// Where the effects of an event are carried out that call code of the app.
    enum Place {
        case here
        /// In a task of their own, because a caller waits on this thread, or this is a cancellation handler (R7).
        case task
    }

    /// Enters an event, and carries out its effects. What the ledger has given up is released at the end, without the lock.
    @discardableResult
    func enter<Result: Sendable>(calling place: Place = .here, _ event: (inout Ledger) -> Result) -> Result {
        var (effects, trash): ([Effect], Trash) = ([], Trash())
        let result = ledger.withLock { ledger in
            let result = event(&ledger)
            ledger.conclude()
            if !ledger.effects.isEmpty { swap(&effects, &ledger.effects) }
            if !ledger.trash.isEmpty { swap(&trash, &ledger.trash) }
            return result
        }
        switch place {
        case .here:
            if !effects.isEmpty { carryOut(effects) }
            withExtendedLifetime(trash) {}
        case .task: carryOutApart(effects, trash)
        }
        return result
    }

    private func carryOutApart(_ effects: [Effect], _ trash: Trash) {
        Scope.outside { for effect in effects where !effect.callsApp { carryOut(effect) } }
        let rest = effects.filter(\.callsApp)
        if rest.isEmpty, trash.isEmpty { return }
        // Has no owner: it ends when the effects are carried out, and these count as work.
        Task.detached(priority: Task.currentPriority) {
            self.carryOut(rest)
            withExtendedLifetime(trash) {}
        }
    }

    /// Enters an event that depends on the time, which is read without the lock, because the clock may be code of the app.
    @discardableResult
    func enterNow<Result: Sendable>(calling place: Place = .here, _ event: (inout Ledger) -> Result) -> Result {
        let time = QueryTimestamp(now: clock)
        return enter(calling: place) { ledger in
            if time.instant >= ledger.now { ledger.time = time }
            return event(&ledger)
        }
    }

    func enterApart(_ event: (inout Ledger) -> Void) { enter(calling: .task, event) }

    // MARK: Looks

    /// The state of an entry, without waiting for the ledger if it was published.
    func state(_ entry: Entry) -> StateBox { entry.look() ?? ledger.withLock { $0.state(entry) } }

    func isStale(_ entry: Entry, _ ttl: Nanoseconds) -> Bool { enterNow { !$0.isListed(entry) || !$0.isFresh(entry, ttl) } }

    /// The states of several entries as of one moment.
    func states(_ entries: [Entry]) -> [StateBox] { ledger.withLock { ledger in entries.map { ledger.state($0) } } }

    // MARK: Effects

    /// Handlers, conditions and layers aren't part of the run in whose task they are called.
    @inline(never)
    private func carryOut(_ effects: [Effect]) { Scope.outside { for effect in effects { carryOut(effect) } } }

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .start(let run, let attempt): run.task.begin(attempt) { await self.carryOut(run, attempt) }
        case .cancel(let run, let attempt): run.task.cancel(attempt)
        case .raise(let run): run.task.raise()
        case .expire(let run, let attempt): run.task.begin(attempt) { await self.expire(run, attempt) }
        case .resume(let caller, let continuation, let result):
            if let scope = caller.elsewhere { endWait(of: caller, scope) }
            continuation?.resume(with: result)
        case .deliver(let entry): deliver(entry)
        case .deliverOnMain: Task { @MainActor in self.deliverOnMain() }
        case .ask(let question):
            answer(question)
            enter { $0.take(question) }
        case .trim: Task.detached { while self.enter({ $0.trimNext() }) {} }
        case .follow: if enterNow({ $0.followNext() }) { Task.detached { self.followRest() } }
        case .exchange(let entries): exchange(entries)
        case .setTimer(let instant): setTimer(instant)
        case .beginTriggers(let triggers): triggers.begin(self)
        case .endTriggers(let triggers): triggers.end()
        case .begin(let call, let attempt): call.task.begin(attempt) { await self.perform(call, attempt) }
        case .cancelCall(let call, let attempt): call.task.cancel(attempt)
        case .expireCall(let call, let attempt): Task.detached { await self.expire(call, attempt) }
        case .callHandlers(let call, let result): Task.detached { await self.callHandlers(of: call, with: result) }
        case .append(let call): Task.detached { await self.append(call) }
        case .remove(let call): Task.detached { await self.remove(call) }
        case .release(let call): Task.detached { await self.release(call) }
        case .askTurn(let call, let attempt): Task.detached { await self.askTurn(of: call, attempt) }
        case .extend(let calls): Task.detached { await self.extendLeases(of: calls) }
        case .resumeFree(let call, let attempt): Task.detached { await self.resumeFree(for: call, attempt) }
        case .settle(_, let continuation, let hasEnded): continuation?.resume(returning: hasEnded)
        }
    }

    private func deliver(_ entry: Entry) {
        while let (publication, observers) = enter({ $0.nextDelivery(entry) }) {
            call(observers, publication)
            if !publication.callers.isEmpty { enter { $0.delivered(publication) } }
        }
    }

    /// R4: a handler may unsubscribe the observers that are called after it.
    private func call(_ observers: [Observer], _ publication: Publication) {
        for observer in observers {
            if let settings = enter({ $0[observer].isOver ? nil : $0[observer].settings }) { observer.receive(publication, settings) }
        }
    }

    @MainActor
    private func deliverOnMain() {
        for (publication, observers) in enter({ $0.takeMainTurn() }) { call(observers, publication) }
        enter { $0.endWork() }
    }

    private func setTimer(_ instant: QueryInstant) {
        let isEarlier = alarm.withLock { alarm in
            guard instant < alarm.instant else { return false }
            alarm.instant = instant
            return true
        }
        guard isEarlier else { return }
        let new = clock.schedule(at: instant) { [weak self] in self?.fire(instant) }
        let obsolete = alarm.withLock { alarm -> QueryAlarm? in
            guard alarm.instant == instant else { return new }
            defer { alarm.alarm = new }
            return alarm.alarm
        }
        obsolete?.cancel()
    }

    func cancelTimer() {
        let former = alarm.withLock { alarm in
            defer { alarm = Alarm() }
            return alarm.alarm
        }
        former?.cancel()
    }

    private func fire(_ instant: QueryInstant) {
        let former = alarm.withLock { alarm -> QueryAlarm? in
            guard alarm.instant == instant else { return nil }
            defer { alarm = Alarm() }
            return alarm.alarm
        }
        withExtendedLifetime(former) {}
        enterNow { $0.fire() }
    }

    // MARK: Code of the app

    /// The only place that calls conditions, layers, updates and `==`.
    func answer(_ first: Question) {
        Scope.outside {
            answerAlone(first)
            for question in first.others { answerAlone(question) }
        }
    }

    private func answerAlone(_ question: Question) {
        let entry = question.entry
        if case .conditions(let settings, _) = question.kind {
            question.isEnabled = settings.contains { $0.app?.context.isEnabled ?? true }
            return
        }
        for update in question.updates { question.base = (update.apply(question.base) ?? question.base).map { measured($0, entry) } }
        question.value = question.base
        for layer in question.layers { question.value = layer.apply(question.value) ?? question.value }
        guard let new = question.value.map({ measured($0, entry) }) else { return }
        question.value = new
        guard let old = question.shown else { return }
        question.isEqual = new.isIdentical(to: old) || entry.typing?.areEqual?(new, old) == true
    }

    /// A value with its size, which the ledger counts if there is a budget.
    func measured(_ value: AnyValue, _ entry: Entry) -> AnyValue {
        guard measuresValues, value.byteCount == 0, let typing = entry.typing else { return value }
        return value.measured(as: Scope.outside { typing.byteCount(of: value) })
    }
}

extension Effect {
    /// Whether it calls code of the app on the same thread.
    fileprivate var callsApp: Bool {
        switch self {
        case .deliver, .ask, .follow, .exchange, .setTimer, .beginTriggers, .endTriggers: true
        case .start, .cancel, .raise, .expire, .resume, .deliverOnMain, .trim, .settle: false
        case .begin, .cancelCall, .expireCall, .callHandlers, .append, .remove, .release, .askTurn, .extend, .resumeFree: false
        }
    }
}
