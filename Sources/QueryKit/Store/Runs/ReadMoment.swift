/// A commit of a source that numbers its commits. A commit gets its number before it can be read. The number is higher than the numbers of
/// all commits that can be read at that time.
package struct SourceCommit: Sendable {
    let source: any AnyObject & Sendable
    let number: UInt64

    package init(_ number: UInt64, of source: any AnyObject & Sendable) {
        self.source = source
        self.number = number
    }
}

/// The commits of a source that a read sees: all up to the first number, and none after the last. Whether it sees the commits in between is
/// unknown.
package struct ReadMoment: Sendable {
    let source: any AnyObject & Sendable
    let commits: ClosedRange<UInt64>

    package init(_ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        self.source = source
        self.commits = commits
    }
}

/// Whether a run has seen a change.
enum Sight: Sendable {
    case seen, unseen
    /// Unknown, because the change happened while the run was reading.
    case unsure
}

/// The moments at which a run has read.
struct ReadMoments: Sendable {
    private var moments: [ReadMoment] = []
    /// Whether the run has taken a value that was read at an unknown time.
    private var hasEarlier = false
    /// Whether the run has read something that reports no changes, either itself or through a fetch.
    private(set) var hasUnfollowed = false

    mutating func add(_ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        guard let index = moments.firstIndex(where: { $0.source === source }) else {
            return moments.append(ReadMoment(commits, of: source))
        }
        let known = moments[index].commits
        let all = min(known.lowerBound, commits.lowerBound)...max(known.upperBound, commits.upperBound)
        // Usually no commit has happened since the previous read.
        if all != known { moments[index] = ReadMoment(all, of: source) }
    }

    mutating func add(_ other: ReadMoments) {
        for moment in other.moments { add(moment.commits, of: moment.source) }
        hasEarlier = hasEarlier || other.hasEarlier
        hasUnfollowed = hasUnfollowed || other.hasUnfollowed
    }

    mutating func addEarlier() { hasEarlier = true }

    mutating func addUnfollowed() { hasUnfollowed = true }

    /// Whether the run has seen a commit; `nil` if the moments don't show it.
    func sight(of commit: SourceCommit) -> Sight? {
        guard !hasEarlier, let moment = moments.first(where: { $0.source === commit.source }) else { return nil }
        if commit.number <= moment.commits.lowerBound { return .seen }
        return commit.number <= moment.commits.upperBound ? .unsure : .unseen
    }
}

/// The regions that a run has read, and when.
struct RunReads: Sendable {
    let run: Int32
    var regions = RegionSet()
    var moments = ReadMoments()
    /// The latest change that the store has taken.
    var asOf = ChangeNumber.none
    /// Whether a later change has concerned what the run has read.
    var isOutdated = false
}
