/// Holds back what needs a network until there is one: first the mutations that waited, then everything else (R24).
final class NetworkGate: Sendable {
    private struct State {
        var isOffline: Bool
        var nextNumber = 0
        /// Those that wait for the network, in the order in which they came.
        var mutations: [(number: Int, resume: @Sendable () -> Void)] = []
        var runs: [(number: Int, resume: @Sendable () -> Void)] = []
        /// Mutations that go on since the network is back, and the time at which the others wait for them no longer.
        var resumed: Set<Int> = []
        var round = 0
        /// The rounds whose triggers are being told or are next.
        var openings: [Int] = []
    }

    /// How long queries wait for the mutations before them.
    static let patience = Duration.seconds(5)

    private let state: Lock<State>
    /// Says the same as the state, and costs no lock: each run asks.
    private let offline: Gauge
    private let reconnected = Listeners(0)
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    private let subscription = Lock<QuerySubscription?>(nil)

    /// - Parameter schedule: calls an action after a while.
    init(
        _ observer: any NetworkObserver,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        let isOnline = observer.isOnline
        state = Lock(State(isOffline: !isOnline))
        offline = Gauge(isOnline ? 0 : 1)
        self.schedule = schedule
        let subscription = observer.observe { [weak self] in self?.hear(isOnline: $0) }
        self.subscription.withLock { $0 = subscription }
        // It may have changed between the first look and the subscription, or while it was looked at.
        repeat { hear(isOnline: observer.isOnline) } while observer.isOnline == isOffline
    }

    var isOffline: Bool { offline.value != 0 }

    /// How many wait, for tests that count.
    var waiting: (mutations: Int, runs: Int) { state.withLock { ($0.mutations.count, $0.runs.count) } }

    /// Calls `resume` once there is a network. The subscription of a mutation has to be ended when the mutation is through.
    func wait(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription {
        let (number, isOpen) = state.withLock { state -> (Int, Bool) in
            state.nextNumber += 1
            let number = state.nextNumber
            if !state.isOffline, isMutation || state.resumed.isEmpty { return (number, true) }
            if isMutation { state.mutations.append((number, resume)) } else { state.runs.append((number, resume)) }
            return (number, false)
        }
        if isOpen { resume() }
        return QuerySubscription { [weak self] in self?.leave(number) }
    }

    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription { reconnected.add { _ in action() } }

    private func hear(isOnline: Bool) {
        let (resumed, round) = state.withLock { state -> ([@Sendable () -> Void], Int?) in
            guard state.isOffline == isOnline else { return ([], nil) }
            state.isOffline = !isOnline
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
            schedule(Self.patience) { [weak self] in self?.open(round) }
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

    /// Resumes the waiting runs, unless the network is gone again.
    ///
    /// Triggers come first: they find the waiting runs under way and join them. A run that is resumed before its trigger could be over by then,
    /// and would be followed by a second one.
    private func open(_ round: Int) {
        let isFirst = state.withLock { state in
            guard round == state.round, !state.isOffline else { return false }
            // Once a round.
            state.round += 1
            state.resumed = []
            state.openings.append(state.round)
            return state.openings.count == 1
        }
        // One thread at a time, so that the triggers have been told when `send` returns.
        guard isFirst else { return }
        var isOpening = true
        while isOpening {
            reconnected.send(round)
            let runs = state.withLock { state -> [@Sendable () -> Void] in
                let opened = state.openings.removeFirst()
                isOpening = !state.openings.isEmpty
                // A handler may have taken the network away again.
                guard opened == state.round else { return [] }
                defer { state.runs = [] }
                return state.runs.map(\.resume)
            }
            for resume in runs { resume() }
        }
    }
}
