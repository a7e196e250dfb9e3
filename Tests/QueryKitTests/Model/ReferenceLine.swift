/// A simple model of where mutations should be (queued, waiting for the network, at work or over) and when queries may continue.
struct ReferenceLine {
    enum Phase {
        case waiting, paused, running, over
    }

    struct Mutation {
        let step: ModelMutation.Step
        let scope: String?
        var phase = Phase.waiting
    }

    private(set) var mutations: [Int: Mutation] = [:]
    /// All that have begun, in order; those of one scope strictly one after the other.
    private(set) var begun: [Int] = []
    private(set) var isOffline = false
    /// The mutations that queries wait for since the network returned, and until when.
    private var resumed: Set<Int> = []
    private var resumedDeadline = 0

    var running: [Int] { mutations.filter { $0.value.phase == .running }.keys.sorted() }

    var pending: [Int] { mutations.filter { $0.value.phase != .over }.keys.sorted() }

    mutating func add(_ step: ModelMutation.Step, scope: String?) {
        mutations[step.id] = Mutation(step: step, scope: scope)
        begin()
    }

    /// Begins all mutations that are the first of their scope.
    private mutating func begin() {
        for id in pending where mutations[id]?.phase == .waiting {
            guard let scope = mutations[id]?.scope, let first = pending.first(where: { mutations[$0]?.scope == scope }), first != id else {
                start(id)
                continue
            }
        }
    }

    private mutating func start(_ id: Int) {
        mutations[id]?.phase = isOffline ? .paused : .running
        if !isOffline { begun.append(id) }
    }

    /// Ends a mutation; returns whether queries that waited for it may continue now.
    mutating func end(_ id: Int) -> Bool {
        let scope = mutations[id]?.scope
        let wasFirst = mutations[id]?.phase != .waiting
        mutations[id]?.phase = .over
        begin()
        // Queries now wait for the next mutation of the scope.
        if resumed.contains(id), wasFirst, let scope, let next = pending.first(where: { mutations[$0]?.scope == scope }) {
            resumed.remove(id)
            resumed.insert(next)
        }
        return resumed.remove(id) != nil && resumed.isEmpty && !isOffline
    }

    /// Whether queries wait for mutations.
    var holdsRuns: Bool { !resumed.isEmpty }

    /// Ends all mutations.
    mutating func endAll() {
        for id in pending { mutations[id]?.phase = .over }
    }

    /// Changes the network; returns whether queries may continue at once.
    mutating func set(isOffline: Bool, _ now: Int) -> Bool {
        guard isOffline != self.isOffline else { return false }
        self.isOffline = isOffline
        guard !isOffline else { return false }
        resumed = Set(pending.filter { mutations[$0]?.phase == .paused })
        resumedDeadline = now + 5
        for id in resumed.sorted() { start(id) }
        return resumed.isEmpty
    }

    /// Advances the time to `now`; returns whether queries have waited long enough.
    mutating func advance(to now: Int) -> Bool {
        guard !isOffline, !resumed.isEmpty, resumedDeadline <= now else { return false }
        resumed = []
        return true
    }
}
