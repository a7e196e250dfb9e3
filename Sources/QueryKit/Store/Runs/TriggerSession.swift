/// The triggers of one observer of a store, as long as it observes, or of one subscription of the client.
///
/// Triggers start at most ten runs per second, regardless of how often they fire. A trigger that fires during the pause between two runs
/// calls `mark` at once, and `action` when the pause is over. If a trigger fires while a run that satisfies it is under way, nothing is
/// called.
final class TriggerSession: Sendable {
    static let pause = Duration.milliseconds(100)

    private struct State {
        var isOver = false
        var subscriptions: [QuerySubscription] = []
        /// Whether the pause is under way, and the name of the first trigger that has fired during it.
        var isPaused = false
        var missed: String?
    }

    private let triggers: [QueryTrigger]
    private let context: QueryContext
    private let host: any StoreHost
    private let isAnswered: @Sendable () -> Bool
    private let mark: @Sendable (QueryCause) -> Void
    private let action: @Sendable (QueryCause, Bool) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - isAnswered: Whether a run under way satisfies a trigger that fires now. Default: never.
    ///   - mark: Called each time a trigger fires during the pause. Default: does nothing.
    ///   - action: Called when a trigger fires, or at the end of the pause in which it has fired. `isLate` is `true` in the second case, in
    ///     which `mark` was called before.
    init(
        _ triggers: [QueryTrigger],
        _ context: QueryContext,
        _ host: any StoreHost,
        isAnswered: @escaping @Sendable () -> Bool = { false },
        mark: @escaping @Sendable (QueryCause) -> Void = { _ in },
        action: @escaping @Sendable (_ cause: QueryCause, _ isLate: Bool) -> Void
    ) {
        self.triggers = triggers
        self.context = context
        self.host = host
        self.isAnswered = isAnswered
        self.mark = mark
        self.action = action
    }

    func hasSame(_ others: [QueryTrigger]) -> Bool { triggers.elementsEqual(others) { $0.isSame(as: $1) } }

    /// Whether the context of the triggers belongs to an ended session.
    var isOfEndedSession: Bool { context.owner?.isEnded == true }

    func begin() {
        for trigger in triggers {
            let name = trigger.name
            let subscription =
                switch trigger.kind {
                case .custom(let start): start(context) { [weak self] in self?.fire(name) }
                case .every(let interval): RepeatingTimer.start(interval, on: context.clock, of: host) { [weak self] in self?.fire(name) }
                case .clocked(let start):
                    start(context, { [host, context] in host.schedule(at: $0, on: context.clock, $1) }, { [weak self] in self?.fire(name) })
                case .appActive:
                    context.activityObserver?.observe { [weak self] in if $0 { self?.fire(name) } } ?? QuerySubscription {}
                case .reconnect: host.whenReconnected { [weak self] in self?.fire(name) }
                }
            let isTooLate = state.withLock { state in
                if !state.isOver { state.subscriptions.append(subscription) }
                return state.isOver
            }
            if isTooLate { subscription.cancel() }
        }
    }

    /// Reports polling intervals that are shorter than the pause. An interval of zero or less isn't reported, because it turns polling off.
    func reportIntervals(of store: StoreCore) {
        guard let mistakes = host.mistakes else { return }
        for trigger in triggers {
            guard case .every(let interval) = trigger.kind, interval > .zero, interval < Self.pause else { continue }
            mistakes.report(
                .pollingInterval,
                about: trigger.name,
                at: store.path,
                """
                The request \(store.path) polls every \(interval), but triggers start at most ten runs per second. \
                Write polling(every: .milliseconds(100)) or a longer interval. For data that changes faster, use a StreamRequest.
                """
            )
        }
    }

    func end() {
        let subscriptions = state.withLock { state in
            state.isOver = true
            state.missed = nil
            defer { state.subscriptions = [] }
            return state.subscriptions
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    private func cause(_ name: String) -> QueryCause { host.announce(.trigger(name), as: .trigger, of: .trigger(name)) }

    private func fire(_ name: String, isLate: Bool = false) {
        if isAnswered() || !takeTurn(name, isMarked: isLate) { return }
        action(cause(name), isLate)
        // The alarm needn't be cancelled: for a session that is over, `endPause()` finds no missed trigger.
        _ = host.schedule(at: context.clock.now.advanced(by: Self.pause), on: context.clock) { [weak self] in self?.endPause() }
    }

    /// Whether the caller may call `action` now. Returns `false` during the pause: then this calls `mark`, and `action` is called after the
    /// pause.
    private func takeTurn(_ name: String, isMarked: Bool) -> Bool {
        var isMarked = isMarked
        while true {
            let mayFire = state.withLock { state -> Bool? in
                if state.isOver { return false }
                // Call `mark` before setting `missed`, so that it has been called when the end of the pause calls `action`.
                if state.isPaused, !isMarked { return nil }
                if state.isPaused { state.missed = state.missed ?? name }
                defer { state.isPaused = true }
                return !state.isPaused
            }
            if let mayFire { return mayFire }
            mark(cause(name))
            isMarked = true
        }
    }

    private func endPause() {
        let missed = state.withLock { state in
            state.isPaused = false
            defer { state.missed = nil }
            return state.missed
        }
        if let missed { fire(missed, isLate: true) }
    }
}
