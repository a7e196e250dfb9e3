/// The runs of one round and their results so far. A plain value without a lock.
struct RoundMembers<Run: AnyObject & Sendable>: Sendable {
    /// Whether a run may read in the round.
    enum Admission: Sendable {
        case joins
        /// It joins although it began after changes that the round doesn't include, so its result will be out of date.
        case asOfRound
        case waits
    }

    /// The wait of a member until its result is published.
    struct Wait: Sendable {
        /// Counts the run as working again.
        let resume: @Sendable () -> Void
        /// Resolved when the result is published, with the remaining actions for the run's own task.
        let end: Promise<@Sendable () -> Void>
    }

    private struct Member: Sendable {
        let run: Run
        var result: RunResult?
        var wait: Wait?
    }

    private var members: [Member] = []

    var runs: [Run] { members.map(\.run) }

    var count: Int { members.count }

    /// Whether all members but one have a result.
    var isAlmostReady: Bool { members.count { $0.wait == nil } == 1 }

    /// Whether all members have a result.
    var isReady: Bool { members.allSatisfy { $0.wait != nil } }

    /// The results of the members that have one.
    var results: [(run: Run, result: RunResult, wait: Wait)] {
        members.compactMap { member in
            guard let wait = member.wait, let result = member.result else { return nil }
            return (member.run, result, wait)
        }
    }

    func contains(_ run: Run) -> Bool { members.contains { $0.run === run } }

    func contains(where isWanted: (Run) -> Bool) -> Bool { members.contains { isWanted($0.run) } }

    mutating func add(_ run: Run) { members.append(Member(run: run)) }

    /// Sets the result of a member. Returns `false` if the run isn't a member.
    mutating func take(_ result: RunResult, of run: Run, _ wait: Wait) -> Bool {
        guard let index = members.firstIndex(where: { $0.run === run }) else { return false }
        members[index].result = .some(result)
        members[index].wait = wait
        return true
    }

    /// Removes a member. Returns `false` if the run isn't one.
    mutating func remove(_ run: Run) -> Bool {
        guard let index = members.firstIndex(where: { $0.run === run }) else { return false }
        members.remove(at: index)
        return true
    }

    /// Removes a member without a result. Returns `false` if the run isn't one.
    mutating func removeWorking(_ run: Run) -> Bool {
        guard members.contains(where: { $0.run === run && $0.wait == nil }) else { return false }
        return remove(run)
    }

    /// Removes and returns all members without a result.
    mutating func removeLate() -> [Run] {
        defer { members.removeAll { $0.wait == nil } }
        return members.filter { $0.wait == nil }.map(\.run)
    }
}

/// The moments at which the sources of a round are read, as change numbers of the client.
struct RoundNumbers: Sendable {
    /// All sources show the changes up to the first number, and no source shows a change after the last.
    private(set) var first: ChangeNumber?
    private(set) var last: ChangeNumber?

    mutating func note(_ number: ChangeNumber) {
        first = min(first ?? number, number)
        last = max(last ?? number, number)
    }

    /// Whether a run may read at these moments.
    ///
    /// - Parameters:
    ///   - asOf: The change up to which the run has to read.
    ///   - missed: The first change that the value of its store doesn't include.
    ///   - isAwaited: Whether a member waits for the run.
    func admission(asOf: ChangeNumber, missed: ChangeNumber?, isAwaited: Bool) -> RoundMembers<StoreRun>.Admission {
        guard let first, let last, asOf > first else { return .joins }
        if isAwaited { return .asOfRound }
        // Without this run, the others would be shown beside an older value.
        return missed.map { $0 <= last } == true ? .asOfRound : .waits
    }
}
