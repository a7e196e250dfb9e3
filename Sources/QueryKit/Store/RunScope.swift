import Foundation

/// The run in which the present task works: what it fetches on the way, what it reads, and what it wants to remember.
///
/// It travels with the task, into child tasks too. A task that a run leaves behind still sees it, but what it does there counts no longer.
final class RunScope: Sendable {
    @TaskLocal static var current: RunScope?

    private struct Notes {
        var isOver = false
        /// What was read, as far as the index knows it, and as far as it is about to.
        var known = RegionSet()
        var noted = RegionSet()
        /// Some of what is known, to be recognised at once; held, so that nothing else comes to lie at its address.
        var recurring: [RecurringRegions] = []
        /// What an attempt leaves to the next one.
        var progress: (any Sendable)?
        /// When the value came about that an attempt is about to return, if that was not just now.
        var date: Date?
    }

    /// The store whose run this is; `nil` for a scope that only collects.
    let store: (StoreCore)?
    let start: RunStart?
    /// The mutation that runs here, if one does.
    let mutation: LayerStack.Owner?
    /// Counts the run while it works, if it is a private one.
    private let token: WorkToken?
    private let parent: RunScope?
    private let notes = Lock(Notes())

    private init(
        store: (StoreCore)? = nil,
        start: RunStart? = nil,
        mutation: LayerStack.Owner? = nil,
        token: WorkToken? = nil,
        parent: RunScope? = nil
    ) {
        self.store = store
        self.start = start
        self.mutation = mutation
        self.token = token
        self.parent = parent
    }

    private var isOver: Bool { notes.withLock { $0.isOver } || parent?.isOver == true }

    // MARK: Scopes

    /// Carries out a run of a store.
    static func run<Result>(
        _ start: RunStart,
        of store: StoreCore,
        mutation: LayerStack.Owner? = nil,
        countedBy token: WorkToken? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ run: () async -> Result
    ) async -> Result {
        let scope = RunScope(store: store, start: start, mutation: mutation, token: token)
        defer { scope.end() }
        return await $current.withValue(scope, operation: run)
    }

    /// Carries out a part of a run, or something apart from all runs, and answers with what that part read.
    static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, reads: RegionSet) {
        let outer = current
        let scope = RunScope(store: outer?.store, start: outer?.start, mutation: outer?.mutation, token: outer?.token, parent: outer)
        defer { scope.end() }
        let result = try await $current.withValue(scope, operation: work)
        return (result, scope.notes.withLock { $0.known })
    }

    private func end() {
        // What was remembered leaves the lock before it ends: it is somebody else's.
        _ = notes.withLock { notes -> (any Sendable)? in
            notes.isOver = true
            notes.recurring = []
            defer { notes.progress = nil }
            return notes.progress
        }
    }

    /// Calls foreign code that is no part of the run: handlers, which may be told of a change in the middle of it, and layers.
    static func outside<Result>(_ call: () -> Result) -> Result {
        if current == nil { call() } else { $current.withValue(nil, operation: call) }
    }

    // MARK: Fetches inside fetches

    /// Runs `wait`, during which the present run, if there is one, depends on a store. What the value was read from, the run has read too.
    static func waiting(
        for store: StoreCore,
        isolation: isolated (any Actor)? = #isolation,
        _ wait: (_ reader: RunReader?) async throws -> FetchedValue
    ) async throws -> StateBox.Value {
        guard let scope = current, let waiting = scope.store, !scope.isOver else { return try await wait(nil).value }
        if let circle = WaitGraph.shared.withLock({ $0.enter(waiting, waitsFor: store) }) {
            let way = circle.map(\.path.description).joined(separator: " → ")
            throw QueryError(.cycle, "Requests wait for each other in a circle: \(way).", path: store.path)
        }
        defer { WaitGraph.shared.withLock { $0.leave(waiting, waitsFor: store) } }
        waiting.host.runGate?.noteWait(of: waiting, for: store)
        if store.host !== waiting.host { store.host.runGate?.noteWait(of: waiting, for: store) }
        let reader = scope.start.flatMap { $0.isMutation || waiting === store ? nil : RunReader(store: waiting, start: $0) }
        let fetched = try await wait(reader)
        scope.note(fetched.reads)
        return fetched.value
    }

    /// A wait of the present run, which doesn't count as working until that is over; `nil` once the run is over.
    func rest(awaitingRun: Bool = false) -> RunRest? {
        guard let store, let start, !isOver else { return nil }
        return RunRest(store, start.number, token, awaitsRun: awaitingRun)
    }

    // MARK: Reading

    /// Notes that the run reads some regions. When the call returns, a change of any of them reaches the run's store.
    func note(_ regions: [QueryRegion]) {
        // A region that another task of the run is just about to make known is made known here too, rather than waited for.
        let wide = notes.withLock { notes -> [QueryRegion] in
            guard !notes.isOver else { return [] }
            return regions.filter { !notes.known.covers($0) }.map { notes.noted.insert($0) ?? $0 }
        }
        guard !wide.isEmpty else { return }
        if let parent { parent.note(wide) } else if let store, let start { store.noteReads(wide, start) }
        notes.withLock { notes in
            for region in wide { notes.known.insert(region) }
        }
    }

    /// The same for regions that come again and again.
    func note(_ list: RecurringRegions) {
        let isKnown = notes.withLock { $0.isOver || $0.recurring.contains { $0 === list } }
        if isKnown { return }
        note(list.regions)
        notes.withLock { notes in
            if !notes.isOver, notes.recurring.count < 8 { notes.recurring.append(list) }
        }
    }

    /// Some of what the run has noted had changed before the note. Does nothing once the run is over.
    func outdate(_ regions: [QueryRegion]) {
        guard !isOver, let store, let start, !start.isMutation else { return }
        store.outdate(start, by: RegionChange(regions: regions))
    }

    /// Whether the present task works for the run that a store has under way.
    func isRun(_ number: Int32, of store: StoreCore) -> Bool {
        guard let own = self.store, own === store, let start, !start.isPrivate, !isOver else { return false }
        return start.number == number
    }

    /// The stores whose runs wait for the present one, by way of others too.
    var callers: Set<ObjectIdentifier> {
        guard let own = store, !isOver else { return [] }
        return WaitGraph.shared.withLock { $0.isEmpty ? [] : $0.all(waitingFor: own) }
    }

    // MARK: Attempts

    /// What an attempt leaves to the next one of the same run.
    var progress: (any Sendable)? {
        parent?.progress ?? notes.withLock { $0.progress }
    }

    /// Says that the value which the attempt returns is as old as this.
    func date(_ date: Date) {
        if let parent { return parent.date(date) }
        notes.withLock { $0.date = date }
    }

    func takeDate() -> Date? {
        notes.withLock { notes in
            defer { notes.date = nil }
            return notes.date
        }
    }

    func remember(_ progress: any Sendable) {
        if let parent { return parent.remember(progress) }
        _ = notes.withLock { notes -> (any Sendable)? in
            defer { notes.progress = progress }
            return notes.progress
        }
    }
}
