/// One thing that is measured, under the name by which it is chosen and reported.
struct Case: Sendable {
    enum Kind: Sendable {
        /// How long an operation takes. The closure makes what both need; it runs only when the case was chosen.
        case time(@Sendable () async throws -> (work: Workload, floor: Workload?))
        /// How many bytes one of many things keeps.
        case memory(@Sendable () -> (load: Load, floor: Load?))
        /// How long something takes that does not begin and end in one place. The closure brings so many samples, in nanoseconds.
        case delay(@Sendable (Int) async throws -> (delays: [Double], floor: [Double]?))
    }

    let name: String
    let summary: String
    /// At most so many samples, for a case whose preparation takes long.
    var sampleLimit = Int.max
    let kind: Kind

    static let all =
        storeCases + subscriptionCases + fetchCases + publishCases + patternCases + changeCases + pageCases + persistenceCases
        + databaseCases + observationCases + diaryCases
}

/// Equal operations, done in batches: one batch is one sample.
struct Workload {
    /// How many operations make a batch; `nil` for as many as make it long enough to be timed well.
    var batch: Int?

    /// What has to be done anew before each batch; not timed.
    var prepare: () async throws -> Void = {}

    /// Does as many operations as it is told. The loop stands inside, so that calling this costs each of them next to nothing.
    let run: (Int) async throws -> Void
}

/// Many equal things that are kept in memory.
struct Load {
    let count: Int

    /// Makes them, and returns whatever keeps them.
    let build: () -> any AnyObject
}
