/// Makes runs wait until there is a network, then resumes them: first the waiting mutations, then everything else (R24).
final class NetworkGate: Sendable {
    private struct State {
        var isOffline: Bool
        /// Whether runs may pass: there is a network, the mutations have gone first, and all triggers have fired.
        var isOpen: Bool
        /// Whether an inspector has set the state, so that the observer is ignored.
        var isSimulated = false
        var nextNumber = 0
        /// The mutations and runs that wait for the network, in order of arrival.
        var mutations: [(number: Int, resume: @Sendable () -> Void)] = []
        var runs: [(number: Int, resume: @Sendable () -> Void)] = []
        /// The mutations that were resumed when the network came back and are not over yet, and the round in which runs wait for these
        /// mutations.
        var resumed: Set<Int> = []
        var round = 0
        /// The rounds whose triggers are firing or will fire next.
        var openings: [Int] = []
    }

    /// How long queries wait for the mutations that run before them.
    static let mutationTimeout = Duration.seconds(5)

    private let state: Lock<State>
    /// Mirrors the state without a lock, because each run reads it.
    private let offline: Gauge
    private let reconnected = Listeners(0)
    private let observer: any NetworkObserver
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let subscription = Lock<QuerySubscription?>(nil)

    /// - Parameter schedule: Calls an action after a delay.
    init(
        _ observer: any NetworkObserver,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        let isOnline = observer.isOnline
        state = Lock(State(isOffline: !isOnline, isOpen: isOnline))
        offline = Gauge(isOnline ? 0 : 1)
        self.observer = observer
        self.schedule = schedule
        let subscription = observer.observe { [weak self] in self?.update(isOnline: $0) }
        self.subscription.withLock { $0 = subscription }
        // The network may have changed between the first check and the subscription.
        askObserver()
    }

    private func askObserver() {
        // The network may change during the check.
        repeat { update(isOnline: observer.isOnline) } while observer.isOnline == isOffline && !isSimulated
    }

    /// Whether an inspector has set whether there is a network.
    var isSimulated: Bool { state.withLock { $0.isSimulated } }

    /// Behaves as if there were a network, or as if there were none, regardless of the observer. With `nil` the observer decides again.
    func simulate(isOnline: Bool?) {
        state.withLock { $0.isSimulated = isOnline != nil }
        if let isOnline { update(isOnline: isOnline, isSimulated: true) } else { askObserver() }
    }

    var isOffline: Bool { offline.value != 0 }

    /// How many mutations and runs wait.
    var waiting: (mutations: Int, runs: Int) { state.withLock { ($0.mutations.count, $0.runs.count) } }

    /// Calls `resume` once there is a network. The caller must end the subscription of a mutation when the mutation is over.
    func wait(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription {
        let (number, isOpen) = state.withLock { state -> (Int, Bool) in
            state.nextNumber += 1
            let number = state.nextNumber
            // A run that has just paused waits for the triggers, too: it could be over before they fire.
            if isMutation ? !state.isOffline : state.isOpen { return (number, true) }
            if isMutation { state.mutations.append((number, resume)) } else { state.runs.append((number, resume)) }
            return (number, false)
        }
        if isOpen { resume() }
        return QuerySubscription { [weak self] in self?.leave(number) }
    }

    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription { reconnected.add { _ in action() } }

    private func update(isOnline: Bool, isSimulated: Bool = false) {
        let (resumed, round) = state.withLock { state -> ([@Sendable () -> Void], Int?) in
            guard state.isOffline == isOnline, state.isSimulated == isSimulated else { return ([], nil) }
            (state.isOffline, state.isOpen) = (!isOnline, false)
            offline.set(isOnline ? 0 : 1)
            state.round += 1
            guard isOnline else { return ([], nil) }
            state.resumed = Set(state.mutations.map(\.number))
            defer { state.mutations = [] }
            return (state.mutations.map(\.resume), state.round)
        }
        guard let round else { return }
        for resume in resumed { resume() }
        if resumed.isEmpty {
            open(round)
        } else {
            schedule(Self.mutationTimeout) { [weak self] in self?.open(round) }
        }
    }

    private func leave(_ number: Int) {
        let round = state.withLock { state -> Int? in
            state.mutations.removeAll { $0.number == number }
            state.runs.removeAll { $0.number == number }
            return state.resumed.remove(number) != nil && state.resumed.isEmpty ? state.round : nil
        }
        if let round { open(round) }
    }

    /// Resumes the waiting runs, unless the network is lost again.
    ///
    /// Triggers fire first: they find the waiting runs under way and join them. If a run were resumed before its trigger fires, the run
    /// could be over by then, and a second run would follow.
    private func open(_ round: Int) {
        let isFirst = state.withLock { state in
            guard round == state.round, !state.isOffline else { return false }
            // Only once per round.
            state.round += 1
            state.resumed = []
            state.openings.append(state.round)
            return state.openings.count == 1
        }
        // One thread at a time, so that all triggers have fired when `send` returns.
        guard isFirst else { return }
        var isOpening = true
        while isOpening {
            reconnected.send(round)
            let runs = state.withLock { state -> [@Sendable () -> Void] in
                let opened = state.openings.removeFirst()
                isOpening = !state.openings.isEmpty
                // A handler may have disconnected the network again.
                guard opened == state.round else { return [] }
                state.isOpen = true
                defer { state.runs = [] }
                return state.runs.map(\.resume)
            }
            for resume in runs { resume() }
        }
    }
}
