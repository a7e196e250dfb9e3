/// Where mutations should be, said as simply as possible: in line, waiting for the network, at work, or over; and when queries may go on.
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
    /// All that have begun, in order; of one scope strictly one after the other.
    private(set) var begun: [Int] = []
    private(set) var isOffline = false
    /// Those for which queries wait since the network is back, and until when.
    private var resumed: Set<Int> = []
    private var patience = 0

    var running: [Int] { mutations.filter { $0.value.phase == .running }.keys.sorted() }

    var pending: [Int] { mutations.filter { $0.value.phase != .over }.keys.sorted() }

    mutating func add(_ step: ModelMutation.Step, scope: String?) {
        mutations[step.id] = Mutation(step: step, scope: scope)
        begin()
    }

    /// Lets those begin that nobody of their scope is before.
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

    /// A mutation is over; true if queries may go on now that waited for it.
    mutating func end(_ id: Int) -> Bool {
        let scope = mutations[id]?.scope
        let wasFirst = mutations[id]?.phase != .waiting
        mutations[id]?.phase = .over
        begin()
        // Whoever is next in the scope takes over that queries wait.
        if resumed.contains(id), wasFirst, let scope, let next = pending.first(where: { mutations[$0]?.scope == scope }) {
            resumed.remove(id)
            resumed.insert(next)
        }
        return resumed.remove(id) != nil && resumed.isEmpty && !isOffline
    }

    /// Whether queries wait for mutations.
    var holdsRuns: Bool { !resumed.isEmpty }

    /// All mutations are over.
    mutating func endAll() {
        for id in pending { mutations[id]?.phase = .over }
    }

    /// The network goes or comes; true if queries may go on at once.
    mutating func set(isOffline: Bool, _ now: Int) -> Bool {
        guard isOffline != self.isOffline else { return false }
        self.isOffline = isOffline
        guard !isOffline else { return false }
        resumed = Set(pending.filter { mutations[$0]?.phase == .paused })
        patience = now + 5
        for id in resumed.sorted() { start(id) }
        return resumed.isEmpty
    }

    /// Time passes to `now`; true if queries have waited long enough.
    mutating func advance(to now: Int) -> Bool {
        guard !isOffline, !resumed.isEmpty, patience <= now else { return false }
        resumed = []
        return true
    }
}
