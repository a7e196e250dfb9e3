/// Decides how many reads run on callers' threads at once: a pure value.
///
/// Quick reads leave one thread of the cooperative pool free. A tiny read takes less time than waking another thread, so it may use the
/// last thread too. But a task that awaits only such reads never suspends, so regularly one of them is refused: it uses a lane, and other
/// tasks get the thread.
struct CallersThreadUse: Sendable {
    /// Which reads a thread may perform.
    enum Budget {
        /// Reads that are known to be quick.
        case quick
        /// Only reads that are known to be tiny; see ``ReadCost/isTiny(_:)``.
        case tiny
    }

    /// The number of reads on the last thread before one is refused.
    static let lastLimit = 128

    /// The number of quick reads at once.
    private let limit: Int
    /// Whether one more read may use the last thread.
    private let hasLast: Bool
    private var count = 0
    /// The number of reads on the last thread since one was refused.
    private var lastCount = 0

    init(limit: Int, hasLast: Bool) { (self.limit, self.hasLast) = (limit, hasLast) }

    /// Creates the value for this number of cores, which is also the number of threads of the cooperative pool. With a single core, all
    /// reads use lanes.
    init(cores: Int) { self.init(limit: max(1, cores) - 1, hasLast: cores > 1) }

    /// Whether no read may ever begin.
    var isOff: Bool { limit <= 0 && !hasLast }

    /// Begins a read. Returns which reads the thread may perform; `nil` if the read must use a lane.
    mutating func enter(acceptsLast: Bool = true) -> Budget? {
        if count < limit {
            count += 1
            return .quick
        }
        guard acceptsLast, hasLast, count == limit else { return nil }
        guard lastCount < Self.lastLimit else {
            lastCount = 0
            return nil
        }
        lastCount += 1
        count += 1
        return .tiny
    }

    mutating func leave() { count -= 1 }
}

extension ReadCost {
    /// Whether a read may run on its caller's thread.
    func fits(_ budget: CallersThreadUse.Budget, _ limit: UInt64) -> Bool { budget == .tiny ? isTiny(limit) : isQuick(limit) }
}
