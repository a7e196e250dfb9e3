/// The changes that a mutation's call has made in data sources. They determine whether a value already includes what its layers show (R22).
final class CallEffects: Sendable {
    private struct Change {
        let regions: RegionSet
        /// The commit of the change, if the source numbers its commits.
        let commit: SourceCommit?
        /// The number of the change; `nil` until the change is reported to the client. From then on, runs that have read any of it are
        /// known to be outdated.
        var reported: ChangeNumber?

        /// Whether a run has seen the change, regardless of the commit. A change that is reported while a run is under way outdates that
        /// run, whether or not the run had read by then.
        func sight(in reads: RunReads) -> Sight {
            // A commit may be read before it is reported to the client.
            guard let reported else { return commit == nil ? .unseen : .unsure }
            return reads.isOutdated || reported > reads.asOf ? .unsure : .seen
        }
    }

    private let changes = Lock<[Change]>([])
    /// The effects of the mutation that makes the call inside its own run, if there is one. The changes of the call are changes of that
    /// mutation too.
    private let outer: CallEffects?

    init(within outer: CallEffects? = nil) { self.outer = outer }

    /// Notes that a commit begins. From now on a read may see it.
    func begin(_ regions: [QueryRegion], at commit: SourceCommit) {
        outer?.begin(regions, at: commit)
        let regions = RegionSet(regions)
        changes.withLock { changes in
            // If several commits change the same regions, keep only the last one: a read that sees it has seen the others.
            if let last = changes.last, last.reported != nil, last.commit?.source === commit.source, last.regions == regions {
                changes.removeLast()
            }
            changes.append(Change(regions: regions, commit: commit))
        }
    }

    /// Removes a commit that has failed.
    func withdraw(_ commit: SourceCommit) {
        outer?.withdraw(commit)
        changes.withLock { $0.removeAll { $0.commit.map { $0.number == commit.number && $0.source === commit.source } ?? false } }
    }

    /// Notes that a change was reported to the client.
    func noteReport(_ regions: [QueryRegion], as number: ChangeNumber) {
        outer?.noteReport(regions, as: number)
        changes.withLock { changes in
            let known = changes.lastIndex { change in change.reported == nil && regions.allSatisfy { change.regions.covers($0) } }
            if let known {
                changes[known].reported = number
                return
            }
            let new = Change(regions: RegionSet(regions), commit: nil, reported: number)
            if let last = changes.last, last.commit == nil, last.regions == new.regions { changes.removeLast() }
            changes.append(new)
        }
    }

    /// Whether a run has seen all changes that overlap the regions it has read. If no change overlaps them, the result is `unseen`.
    func sight(in reads: RunReads) -> Sight {
        if reads.regions.isEmpty { return .unseen }
        let concerning = changes.withLock { $0.filter { $0.regions.overlaps(reads.regions) } }
        if concerning.isEmpty { return .unseen }
        var sight = Sight.seen
        for change in concerning {
            switch change.commit.flatMap(reads.moments.sight) ?? change.sight(in: reads) {
            case .seen: break
            case .unsure: sight = .unsure
            case .unseen: return .unseen
            }
        }
        return sight
    }
}
