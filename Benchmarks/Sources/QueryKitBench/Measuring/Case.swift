/// A measured operation, with the name by which it is selected and reported.
struct Case: Sendable {
    enum Kind: Sendable {
        /// The duration of an operation. The closure creates what both workloads need; it is called only if the case is selected.
        case time(@Sendable () async throws -> (work: Workload, floor: Workload?))
        /// The bytes that one of many things retains.
        case memory(@Sendable () -> (load: Load, floor: Load?))
        /// The delay between two events at different places. The closure returns the requested number of samples, in nanoseconds.
        case delay(@Sendable (Int) async throws -> (delays: [Double], floor: [Double]?))
    }

    let name: String
    let summary: String
    /// The maximum number of samples, for cases with a long preparation.
    var sampleLimit = Int.max
    /// Whether the case and its floor are compared by their p95 instead of their medians; only for delays.
    var comparesTails = false
    let kind: Kind

    static let all =
        storeCases + subscriptionCases + fetchCases + publishCases + patternCases + changeCases + pageCases + persistenceCases
        + inspectorCases + databaseCases + observationCases + diaryCases + postgresCases
}

/// Equal operations, performed in batches. One batch is one sample.
struct Workload {
    /// The number of operations in a batch; `nil` for as many as make the batch long enough to be timed accurately.
    var batch: Int?

    /// Prepares each batch; not timed.
    var prepare: () async throws -> Void = {}

    /// Performs the given number of operations. The loop is inside the closure, so that the call itself costs almost nothing per operation.
    let run: (Int) async throws -> Void
}

/// Many equal things in memory.
struct Load {
    let count: Int

    /// Creates them, and returns an object that retains them.
    let build: () -> any AnyObject
}
