/// The steps to carry out on a cache, in order. A pure value: it decides which steps can be omitted and which readers must wait.
struct CacheSteps {
    /// A value to encode and write.
    struct Write: Sendable {
        var stored: StoredValue
        let ttl: Duration
        let persistence: QueryPersistence
    }

    enum Step: Sendable {
        case write(QueryCacheKey, Write)
        case mark(QueryCacheKey)
        case remove(QueryCacheKey)
        case pattern(PatternChange)
        /// A caller waits until all earlier steps are done.
        case pass(Promise<Void>)
    }

    /// Steps that were taken are replaced by `nil`.
    private var steps: [Step?] = []
    private var next = 0
    /// The index of the last step for a key. Contains only steps that another step may replace, because no pattern was added since.
    private var open: [QueryCacheKey: Int] = [:]
    /// How many steps concern each key, including the step under way.
    private var concerns: [QueryCacheKey: Int] = [:]
    private var patternCount = 0
    private var current: Step?
    private(set) var isWorking = false
    /// Steps that are done or were replaced.
    private var spent: [Step] = []

    // MARK: Adding steps

    /// Adds a write. If there are several values for one key, only the newest is written.
    mutating func write(_ write: Write, _ key: QueryCacheKey) { put(.write(key, write), key) }

    mutating func remove(_ key: QueryCacheKey) { put(.remove(key), key) }

    mutating func mark(_ key: QueryCacheKey) {
        guard let index = open[key] else { return append(.mark(key), key) }
        // A value that is not yet written is written as out of date. A value that will be removed need not be marked.
        if case .write(_, var write) = steps[index] {
            write.stored.isInvalidated = true
            steps[index] = .write(key, write)
        }
    }

    mutating func change(_ change: PatternChange) {
        steps.append(.pattern(change))
        patternCount += 1
        open = [:]
    }

    /// The promise that a reader of a key must wait for; `nil` if no step concerns the key.
    mutating func turn(for key: QueryCacheKey) -> Promise<Void>? {
        guard patternCount > 0 || concerns[key] != nil else { return nil }
        let promise = Promise<Void>()
        steps.append(.pass(promise))
        return promise
    }

    private mutating func put(_ step: Step, _ key: QueryCacheKey) {
        guard let index = open[key] else { return append(step, key) }
        if let former = steps[index] { spent.append(former) }
        steps[index] = step
    }

    private mutating func append(_ step: Step, _ key: QueryCacheKey) {
        open[key] = steps.count
        concerns[key, default: 0] += 1
        steps.append(step)
    }

    // MARK: Taking steps

    /// Begins the work. Returns whether the caller must carry it out: there are steps, and none is under way.
    mutating func begin() -> Bool {
        guard !isWorking, next < steps.count else { return false }
        isWorking = true
        return true
    }

    /// Ends the current step and returns the next. At the end, ends the work and returns `nil`.
    mutating func take() -> Step? {
        settle()
        guard next < steps.count, let step = steps[next] else {
            steps = []
            next = 0
            isWorking = false
            return nil
        }
        steps[next] = nil
        next += 1
        current = step
        if let key = step.key, open[key] == next - 1 { open[key] = nil }
        // Remove the taken steps when they are the majority, so that the average cost per step stays constant.
        if next > 64, next * 2 > steps.count {
            steps.removeFirst(next)
            open = open.mapValues { [next] in $0 - next }
            next = 0
        }
        return step
    }

    /// The steps that are no longer needed. Release them outside the lock: the deinit of their values may run arbitrary code.
    mutating func takeSpent() -> [Step] {
        defer { spent = [] }
        return spent
    }

    private mutating func settle() {
        guard let done = current else { return }
        current = nil
        spent.append(done)
        if case .pattern = done { patternCount -= 1 }
        guard let key = done.key, let count = concerns[key] else { return }
        concerns[key] = count > 1 ? count - 1 : nil
    }
}

extension CacheSteps.Step {
    fileprivate var key: QueryCacheKey? {
        switch self {
        case .write(let key, _), .mark(let key), .remove(let key): key
        case .pattern, .pass: nil
        }
    }
}
