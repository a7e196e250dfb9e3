/// One commit among those of a source that numbers them: every one gets a higher number than the commits that can be read already.
package struct CommitPlace: Sendable {
    let source: any AnyObject & Sendable
    let number: UInt64

    package init(_ number: UInt64, of source: any AnyObject & Sendable) {
        self.source = source
        self.number = number
    }
}

/// Which commits of such a source a read sees: all up to the first number, none after the last, and of those in between it can't be told.
package struct ReadMoment: Sendable {
    let source: any AnyObject & Sendable
    let commits: ClosedRange<UInt64>

    package init(_ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        self.source = source
        self.commits = commits
    }
}

/// Whether a run has seen something.
enum Sight: Sendable {
    case seen, unseen
    /// Perhaps: it happened while the run read.
    case unsure
}

/// The moments at which the parts of a run read.
struct ReadMoments: Sendable {
    private var moments: [ReadMoment] = []
    /// Whether the run has taken over a value that was read at an unknown time.
    private var hasEarlier = false

    mutating func add(_ moment: ReadMoment) {
        guard let index = moments.firstIndex(where: { $0.source === moment.source }) else { return moments.append(moment) }
        let known = moments[index].commits
        let commits = min(known.lowerBound, moment.commits.lowerBound)...max(known.upperBound, moment.commits.upperBound)
        moments[index] = ReadMoment(commits, of: moment.source)
    }

    mutating func add(_ other: ReadMoments) {
        for moment in other.moments { add(moment) }
        hasEarlier = hasEarlier || other.hasEarlier
    }

    mutating func addEarlier() { hasEarlier = true }

    /// Whether the run sees a commit; `nil` if it doesn't know.
    func sight(of place: CommitPlace) -> Sight? {
        guard !hasEarlier, let moment = moments.first(where: { $0.source === place.source }) else { return nil }
        if place.number <= moment.commits.lowerBound { return .seen }
        return place.number <= moment.commits.upperBound ? .unsure : .unseen
    }
}

/// What a run has read, and when.
struct RunReads: Sendable {
    let run: Int32
    var regions = RegionSet()
    var moments = ReadMoments()
    /// The last change that the store knows of.
    var asOf = ChangeNumber.none
    /// Whether one that came later has touched what it read.
    var isOutdated = false
}
