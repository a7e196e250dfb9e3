/// The changes that a mutation's call has made in data sources. They determine whether a value already includes what its layers show (R22).
final class CallEffects: Sendable {
    private struct Change {
        let regions: RegionSet
        /// The commit of the change, if the source numbers its commits.
        let place: CommitPlace?
        /// The number of the change, once it was reported to the client, so that runs that have read any of it are known to be outdated.
        var told: ChangeNumber?

        /// Whether a run has seen the change, regardless of the place. A change that is reported while a run is under way outdates that
        /// run, whether or not the run had read by then.
        func sight(in reads: RunReads) -> Sight {
            // A commit may be read before it is reported to the client.
            guard let told else { return place == nil ? .unseen : .unsure }
            return reads.isOutdated || told > reads.asOf ? .unsure : .seen
        }
    }

    private let changes = Lock<[Change]>([])
    /// The effects of the mutation that makes the call inside its own run, if there is one. The changes of the call are its changes too.
    private let outer: CallEffects?

    init(within outer: CallEffects? = nil) { self.outer = outer }

    /// Notes that a commit begins. From now on a read may see it.
    func begin(_ regions: [QueryRegion], at place: CommitPlace) {
        outer?.begin(regions, at: place)
        let regions = RegionSet(regions)
        changes.withLock { changes in
            // If several commits change the same regions, keep only the last one: a read that sees it has seen the others.
            if let last = changes.last, last.told != nil, last.place?.source === place.source, last.regions == regions {
                changes.removeLast()
            }
            changes.append(Change(regions: regions, place: place))
        }
    }

    /// Removes a commit that has failed.
    func withdraw(_ place: CommitPlace) {
        outer?.withdraw(place)
        changes.withLock { $0.removeAll { $0.place.map { $0.number == place.number && $0.source === place.source } ?? false } }
    }

    /// Notes that a change was reported to the client.
    func tell(_ regions: [QueryRegion], as number: ChangeNumber) {
        outer?.tell(regions, as: number)
        changes.withLock { changes in
            let known = changes.lastIndex { change in change.told == nil && regions.allSatisfy { change.regions.covers($0) } }
            if let known {
                changes[known].told = number
                return
            }
            let new = Change(regions: RegionSet(regions), place: nil, told: number)
            if let last = changes.last, last.place == nil, last.regions == new.regions { changes.removeLast() }
            changes.append(new)
        }
    }

    /// Whether a run has seen all changes that overlap the regions it has read. If none does, the result is `unseen`.
    func sight(in reads: RunReads) -> Sight {
        if reads.regions.isEmpty { return .unseen }
        let concerning = changes.withLock { $0.filter { $0.regions.overlaps(reads.regions) } }
        if concerning.isEmpty { return .unseen }
        var sight = Sight.seen
        for change in concerning {
            switch change.place.flatMap(reads.moments.sight) ?? change.sight(in: reads) {
            case .seen: break
            case .unsure: sight = .unsure
            case .unseen: return .unseen
            }
        }
        return sight
    }
}
