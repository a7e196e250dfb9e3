/// The runs of one round, and what they have brought so far: a value without a lock.
struct PictureMembers<Run: AnyObject & Sendable>: Sendable {
    /// Whether a run may read in the round.
    enum Admission: Sendable {
        case joins
        /// It joins, though changes that came after the round are known to it: its result will be out of date.
        case asOfRound
        case waits
    }

    /// How a member learns that its result is out.
    struct Wait: Sendable {
        /// Counts it as working again.
        let resume: @Sendable () -> Void
        /// Brings what is left to do when the result is out: the run's own task does it.
        let end: Promise<@Sendable () -> Void>
    }

    private struct Member: Sendable {
        let run: Run
        var result: RunResult?
        var wait: Wait?
    }

    private var members: [Member] = []

    var runs: [Run] { members.map(\.run) }

    /// Whether all of them have a result.
    var isReady: Bool { members.allSatisfy { $0.wait != nil } }

    /// What the members have brought.
    var results: [(run: Run, result: RunResult, wait: Wait)] {
        members.compactMap { member in
            guard let wait = member.wait, let result = member.result else { return nil }
            return (member.run, result, wait)
        }
    }

    func contains(_ run: Run) -> Bool { members.contains { $0.run === run } }

    func contains(where isWanted: (Run) -> Bool) -> Bool { members.contains { isWanted($0.run) } }

    mutating func add(_ run: Run) { members.append(Member(run: run)) }

    /// Takes the result of a member; `false` if the run is none.
    mutating func take(_ result: RunResult, of run: Run, _ wait: Wait) -> Bool {
        guard let index = members.firstIndex(where: { $0.run === run }) else { return false }
        members[index].result = .some(result)
        members[index].wait = wait
        return true
    }

    /// Removes a member; `false` if the run is none.
    mutating func remove(_ run: Run) -> Bool {
        guard let index = members.firstIndex(where: { $0.run === run }) else { return false }
        members.remove(at: index)
        return true
    }

    /// Removes a member that has no result yet; `false` if the run is none.
    mutating func removeWorking(_ run: Run) -> Bool {
        guard members.contains(where: { $0.run === run && $0.wait == nil }) else { return false }
        return remove(run)
    }

    /// Takes out all that have no result.
    mutating func removeLate() -> [Run] {
        defer { members.removeAll { $0.wait == nil } }
        return members.filter { $0.wait == nil }.map(\.run)
    }
}

/// The moments at which the sources of a round are read, as numbers of the client's changes.
struct PictureNumbers: Sendable {
    /// All sources show the changes up to the first number, and none those after the last.
    private(set) var first: ChangeNumber?
    private(set) var last: ChangeNumber?

    mutating func note(_ number: ChangeNumber) {
        first = min(first ?? number, number)
        last = max(last ?? number, number)
    }

    /// Whether a run may read at these moments.
    ///
    /// - Parameters:
    ///   - asOf: The change that it has to see.
    ///   - missed: The first change that what its store shows lacks.
    ///   - isAwaited: Whether a member waits for it.
    func admission(asOf: ChangeNumber, missed: ChangeNumber?, isAwaited: Bool) -> PictureMembers<StoreRun>.Admission {
        guard let first, let last, asOf > first else { return .joins }
        if isAwaited { return .asOfRound }
        // Without it the others would be shown beside something older.
        return missed.map { $0 <= last } == true ? .asOfRound : .waits
    }
}
