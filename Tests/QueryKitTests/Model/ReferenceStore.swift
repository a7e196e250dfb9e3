/// A simple model of what a store should show: no tasks, no locks, no code shared with the library.
///
/// Each step changes the fields and then calls `publish`, which records a state if an observer could see a difference.
struct ReferenceStore {
    struct Run {
        var callers: Set<Int> = []
        var lateCallers: Set<Int> = []
        var isOutdated = false
        var isOverwritten = false
        var mustFollow = false
        /// Whether it has shown an intermediate value that looked different.
        var hasShownOther = false
        /// Whether it waits for the network and has fetched nothing yet.
        var isPaused: Bool
        let number: Int
        var read: Int?
        /// The state that a cancellation restores.
        var before: Face
    }

    /// The visible part of a state.
    struct Face: Equatable {
        enum Result: Equatable {
            case none, success
            case failure(String)
        }

        var value: Int?
        var result = Result.none
        var isInvalidated = false
        var isPartial = false
        var failures = 0
        /// How many results have failed so far.
        var errors = 0
        var updatedAt = 0
    }

    /// What a mutation adds to the value while it is under way and until a run after `landsAfter` has landed.
    struct Layer {
        let mutation: Int
        let amount: Int
        var landsAfter: Int?
        var isOver = false
        /// The regions that the mutation reported as changed.
        var region: Int?

        /// Whether a run includes the mutation's change: a change of what the run reads outdates it, before or after the read.
        func isSeen(by run: Run) -> Bool { region != nil && run.read == region && !run.isOutdated }
        func isDoubted(by run: Run) -> Bool { region != nil && run.read == region && run.isOutdated && !isLanded(by: run) }
        func isLanded(by run: Run) -> Bool { landsAfter.map { $0 < run.number } ?? false }
    }

    let ttl: Int
    let isEnabled: Bool
    var face = Face()
    var run: Run?
    var layers: [Layer] = []
    var isOffline = false
    /// The regions that the value was read from, or that a run is reading.
    private(set) var reads: Set<Int> = []
    private var lastRun = 0
    /// The last run whose value was rejected because it may or may not include a mutation's change.
    private var discardedRun = 0
    var subscribers: Set<Int> = []
    var expiry: Int
    var isKept = true
    private(set) var published: [String] = []
    private(set) var revision = 0
    /// How many fetches have begun.
    private(set) var fetches = 0
    /// Callers whose wait is over, with their results.
    private(set) var outcomes: [Int: String] = [:]

    static let retention = 300

    init(ttl: Int, isEnabled: Bool, now: Int) {
        self.ttl = ttl
        self.isEnabled = isEnabled
        expiry = now + Self.retention
    }

    var isIdle: Bool { run == nil && subscribers.isEmpty && !layers.contains { $0.landsAfter == nil } }

    /// The value with its layers applied.
    private var visible: Int? { face.value.map { layers.reduce($0) { $0 + $1.amount } } }

    private var description: String {
        let isFetching = run?.isPaused == false
        let isLoading = isFetching && (face.result == .none || face.value == nil && face.result != .success)
        var text: String
        switch face.result {
        case _ where isLoading: text = "loading"
        case .none: text = "idle"
        case .success: text = "\(visible ?? -1)"
        case .failure(let error): text = "failed(\(error))" + (visible.map { " had \($0)" } ?? "")
        }
        if isFetching, !isLoading { text += " fetching" }
        if face.isInvalidated { text += " invalidated" }
        if run?.isPaused == true { text += " paused" }
        if face.failures > 0 { text += " \(face.failures)x" }
        if !layers.isEmpty, face.value != nil { text += " optimistic" }
        return text
    }

    private mutating func publish(always: Bool = false, _ change: (inout ReferenceStore) -> Void) {
        let before = (description, visible, face.errors)
        change(&self)
        guard always || before != (description, visible, face.errors) else { return }
        revision += 1
        published.append("\(revision) \(description)")
    }

    func isStale(_ now: Int) -> Bool {
        face.result != .success || face.isInvalidated || face.isPartial || now - face.updatedAt >= ttl
    }

    // MARK: Actions of users

    mutating func fetch(_ caller: Int) {
        if run == nil { start() }
        if run?.isOutdated == true || run?.isOverwritten == true {
            run?.lateCallers.insert(caller)
        } else {
            run?.callers.insert(caller)
        }
        isKept = true
    }

    mutating func cancel(caller: Int, _ now: Int) {
        guard outcomes[caller] == nil else { return }
        outcomes[caller] = "cancelled"
        run?.callers.remove(caller)
        run?.lateCallers.remove(caller)
        leaveIfUnwanted(now)
    }

    mutating func subscribe(_ subscriber: Int, _ now: Int) {
        subscribers.insert(subscriber)
        isKept = true
        guard isEnabled, isStale(now) else { return }
        if run == nil {
            start()
        } else if run?.isOutdated == true || run?.isOverwritten == true {
            run?.mustFollow = true
        }
    }

    mutating func unsubscribe(_ subscriber: Int, _ now: Int) {
        subscribers.remove(subscriber)
        if isIdle { expiry = now + Self.retention }
        leaveIfUnwanted(now)
    }

    /// All callers and observers of the run have left.
    private mutating func leaveIfUnwanted(_ now: Int) {
        guard let run, run.callers.isEmpty, subscribers.isEmpty else { return }
        publish(always: run.hasShownOther) { store in
            store.stop()
            guard !run.lateCallers.isEmpty else { return }
            store.begin()
            store.run?.callers = run.lateCallers
        }
        guard run.lateCallers.isEmpty else { return }
        foldLayers()
        if isIdle { expiry = now + Self.retention }
    }

    private mutating func stop() {
        guard let run else { return }
        let isInvalidated = face.isInvalidated
        face = run.before
        face.isInvalidated = isInvalidated
        self.run = nil
    }

    mutating func cancelRun(_ now: Int) {
        guard let run else { return }
        for caller in run.callers.union(run.lateCallers) { outcomes[caller] = "cancelled" }
        publish { $0.stop() }
        foldLayers()
        if isIdle { expiry = now + Self.retention }
    }

    mutating func invalidate(refetchAll: Bool = false, only mark: Bool = false) {
        let wantsRun = !mark && (refetchAll ? isEnabled : isEnabled && (!subscribers.isEmpty || run?.callers.isEmpty == false))
        publish { store in
            store.face.isInvalidated = true
            if store.run == nil, wantsRun {
                store.begin()
            } else if store.run?.isPaused == false {
                store.run?.isOutdated = true
                if wantsRun { store.run?.mustFollow = true }
            }
        }
    }

    mutating func write(_ value: Int, _ now: Int) {
        publish { store in
            store.face = Face(value: value, result: .success, errors: store.face.errors, updatedAt: now)
            if store.run?.isPaused == false {
                store.run?.isOverwritten = true
                if store.isEnabled, !store.subscribers.isEmpty || store.run?.callers.isEmpty == false { store.run?.mustFollow = true }
            }
            store.run?.before = store.face
            store.run?.hasShownOther = false
        }
        foldLayers()
        isKept = true
        if isIdle { expiry = now + Self.retention }
    }

    mutating func reset(_ now: Int, expiring: Bool = false) {
        if let run {
            for caller in run.callers.union(run.lateCallers) { outcomes[caller] = "cancelled" }
        }
        publish { store in
            store.run = nil
            store.face = Face()
        }
        if expiring { isKept = false } else if isIdle { expiry = now + Self.retention }
        if isEnabled, !subscribers.isEmpty { start() }
        foldLayers()
    }

    /// Advances the time to `now`.
    mutating func advance(to now: Int) {
        if isKept, isIdle, expiry <= now { reset(now, expiring: true) }
    }

    // MARK: Events of fetches

    private mutating func begin() {
        lastRun += 1
        run = Run(isPaused: isOffline, number: lastRun, before: face)
        face.failures = 0
        if !isOffline { beginFetch() }
    }

    private mutating func beginFetch() {
        if face.value == nil { face.result = .none }
        fetches += 1
        reads.insert(fetches % 3)
        run?.read = fetches % 3
    }

    /// The network is back, and the mutations that waited for it have ended.
    mutating func goOn() {
        guard run?.isPaused == true else { return }
        publish { store in
            store.run?.isPaused = false
            store.beginFetch()
        }
    }

    private mutating func start() {
        publish { $0.begin() }
    }

    mutating func yield(_ value: Int, _ now: Int) {
        guard let run, !run.isPaused, !run.isOverwritten, !layers.contains(where: { $0.region == run.read && run.read != nil }) else {
            return
        }
        if face.value != value || !layers.isEmpty { self.run?.hasShownOther = true }
        publish { store in
            store.face.value = value
            store.face.result = .success
            store.face.isPartial = true
            store.face.failures = 0
            store.face.updatedAt = now
        }
    }

    mutating func end(_ result: Result<Int, TestFailure>, _ now: Int) {
        guard var run else { return }
        for caller in run.callers { outcomes[caller] = result.name }
        if case .success = result, !run.isOverwritten, discardedRun != run.number - 1, layers.contains(where: { $0.isDoubted(by: run) }) {
            discardedRun = run.number
            run.isOverwritten = true
            if !subscribers.isEmpty || !run.callers.isEmpty { run.mustFollow = true }
        }
        publish { [run] store in
            store.run = nil
            if !run.isOverwritten {
                switch result {
                case .success(let value):
                    store.face.value = value
                    store.face.result = .success
                    store.face.failures = 0
                    store.face.updatedAt = now
                    store.layers.removeAll { $0.isLanded(by: run) || $0.isSeen(by: run) }
                    store.reads = run.read.map { [$0] } ?? []
                case .failure(let error):
                    store.face.result = .failure(error.name)
                    store.face.failures += 1
                    store.face.errors += 1
                }
                store.face.isPartial = false
                if !run.isOutdated, case .success = result { store.face.isInvalidated = false }
            }
            // Between a run and its trailing run no state is published.
            if run.mustFollow || !run.lateCallers.isEmpty {
                store.begin()
                store.run?.callers = run.lateCallers
            }
        }
        if isIdle { expiry = now + Self.retention }
        foldLayers()
    }

    // MARK: Events of mutations

    mutating func addLayer(_ layer: Layer) {
        publish { $0.layers.append(layer) }
        isKept = true
    }

    /// Mutations have failed, or were ended together.
    mutating func removeLayers(of mutations: Set<Int>, _ now: Int) {
        publish { store in store.layers.removeAll { mutations.contains($0.mutation) } }
        foldLayers()
        if isIdle { expiry = now + Self.retention }
    }

    /// A mutation reports the regions that it has changed.
    mutating func tell(_ mutation: Int, _ region: Int) {
        for index in layers.indices where layers[index].mutation == mutation { layers[index].region = region }
    }

    /// The mutation's change is visible to every run that begins from now on.
    mutating func landLayer(_ mutation: Int) {
        for index in layers.indices where layers[index].mutation == mutation && layers[index].landsAfter == nil {
            layers[index].landsAfter = run?.isPaused == true ? lastRun - 1 : lastRun
        }
    }

    /// The mutation has ended and invalidated its patterns.
    mutating func finishLayer(_ mutation: Int) {
        for index in layers.indices where layers[index].mutation == mutation { layers[index].isOver = true }
        foldLayers()
    }

    /// The lowest layers that wait for a run become part of the value if no run is under way.
    mutating func foldLayers() {
        guard run == nil else { return }
        publish { store in
            while let layer = store.layers.first, layer.isOver {
                store.layers.removeFirst()
                if store.face.value != nil { store.face.value? += layer.amount }
            }
        }
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let name: String
    var description: String { name }
}

extension Result where Success == Int, Failure == TestFailure {
    var name: String {
        switch self {
        case .success(let value): "\(value)"
        case .failure(let error): error.name
        }
    }
}
