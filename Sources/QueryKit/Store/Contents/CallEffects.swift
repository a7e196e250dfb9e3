/// What a call has changed in data sources so far: by that its layers know whether a value holds already what they promise (R22).
final class CallEffects: Sendable {
    private struct Change {
        let regions: RegionSet
        /// Which commit it is, if the source numbers them.
        let place: CommitPlace?
        /// As which change the client was told of it, so that runs which read something of it are known as outdated.
        var told: ChangeNumber?

        /// What can be said without the place. A change that is told while a run is under way outdates it, whether it had read by then or not.
        func sight(in reads: RunReads) -> Sight {
            guard let told else { return .unseen }
            return reads.isOutdated || told > reads.asOf ? .unsure : .seen
        }
    }

    private let changes = Lock<[Change]>([])

    /// A commit is about to come about; who reads from now on may see it.
    func begin(_ regions: [QueryRegion], at place: CommitPlace) {
        let regions = RegionSet(regions)
        changes.withLock { $0.append(Change(regions: regions, place: place)) }
    }

    /// The commit has failed.
    func withdraw(_ place: CommitPlace) {
        changes.withLock { $0.removeAll { $0.place.map { $0.number == place.number && $0.source === place.source } ?? false } }
    }

    /// The client is told of a change.
    func tell(_ regions: [QueryRegion], as number: ChangeNumber) {
        changes.withLock { changes in
            let known = changes.indices.filter { index in regions.allSatisfy { changes[index].regions.covers($0) } }
            for index in known { changes[index].told = number }
            if known.isEmpty { changes.append(Change(regions: RegionSet(regions), place: nil, told: number)) }
        }
    }

    /// Whether what a run has read includes all of it that concerns the run. What concerns nothing of it can't be seen.
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
