/// The triggers of one store, from the moment somebody observes it until nobody does; or of one subscription of the client.
///
/// However often triggers fire, the store is asked for a run ten times a second at most. A trigger that fires in the pause marks what it concerns
/// at once, and is made up for when the pause is over, unless a run that answers it is under way when it fires: then nothing follows.
final class TriggerSession: Sendable {
    static let pause = Duration.milliseconds(100)

    private struct State {
        var isOver = false
        var subscriptions: [QuerySubscription] = []
        /// Whether the store was asked a moment ago, and what wants to ask again when the moment is over.
        var rests = false
        var missed: String?
    }

    private let triggers: [QueryTrigger]
    private let context: QueryContext
    private let host: any StoreHost
    private let isAnswered: @Sendable () -> Bool
    private let mark: @Sendable (QueryCause) -> Void
    private let ask: @Sendable (QueryCause, Bool) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - isAnswered: Whether a trigger that fires now needs no run of its own. Default: it always does.
    ///   - mark: Called in the pause, each time that a trigger fires. Default: nothing is marked.
    ///   - ask: Called when a trigger fires, or at the end of the pause in which one has. The flag says that it is late, and was marked before.
    init(
        _ triggers: [QueryTrigger],
        _ context: QueryContext,
        _ host: any StoreHost,
        isAnswered: @escaping @Sendable () -> Bool = { false },
        mark: @escaping @Sendable (QueryCause) -> Void = { _ in },
        ask: @escaping @Sendable (_ cause: QueryCause, _ isLate: Bool) -> Void
    ) {
        self.triggers = triggers
        self.context = context
        self.host = host
        self.isAnswered = isAnswered
        self.mark = mark
        self.ask = ask
    }

    func hasSame(_ others: [QueryTrigger]) -> Bool { triggers.elementsEqual(others) { $0.isSame(as: $1) } }

    /// Whether the context of the triggers is of a session that has ended.
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

    /// Reports an interval that is shorter than the pause after each request for a run. One of zero or less is none: it turns a timer off.
    func reportIntervals(of store: StoreCore) {
        guard let mistakes = host.mistakes else { return }
        for trigger in triggers {
            guard case .every(let interval) = trigger.kind, interval > .zero, interval < Self.pause else { continue }
            mistakes.report(
                .pollingInterval,
                about: trigger.name,
                at: store.path,
                """
                The request \(store.path) polls every \(interval), but a trigger starts a run ten times a second at most. \
                Write polling(every: .milliseconds(100)) or a longer interval. For data that changes faster, write a StreamRequest.
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

    private func fire(_ name: String, isLate: Bool = false) {
        if isAnswered() || !takeTurn(name, isMarked: isLate) { return }
        ask(.trigger(name), isLate)
        // Not worth calling off: a session that is over has missed nothing.
        _ = host.schedule(at: context.clock.now.advanced(by: Self.pause), on: context.clock) { [weak self] in self?.wake() }
    }

    /// Whether the caller may ask now. In the pause it may not: then the trigger is marked, and made up for later.
    private func takeTurn(_ name: String, isMarked: Bool) -> Bool {
        var isMarked = isMarked
        while true {
            let mayAsk = state.withLock { state -> Bool? in
                if state.isOver { return false }
                // Marked before the end of the pause can be told of it: what asks then finds the mark.
                if state.rests, !isMarked { return nil }
                if state.rests { state.missed = state.missed ?? name }
                defer { state.rests = true }
                return !state.rests
            }
            if let mayAsk { return mayAsk }
            mark(.trigger(name))
            isMarked = true
        }
    }

    private func wake() {
        let missed = state.withLock { state in
            state.rests = false
            defer { state.missed = nil }
            return state.missed
        }
        if let missed { fire(missed, isLate: true) }
    }
}
