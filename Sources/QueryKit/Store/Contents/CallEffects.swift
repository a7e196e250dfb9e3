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
            // A commit may have been read before the client is told of it.
            guard let told else { return place == nil ? .unseen : .unsure }
            return reads.isOutdated || told > reads.asOf ? .unsure : .seen
        }
    }

    private let changes = Lock<[Change]>([])
    /// Those of the mutation that makes the call, if one does: what the call changes, that mutation changes too.
    private let outer: CallEffects?

    init(within outer: CallEffects? = nil) { self.outer = outer }

    /// A commit begins; a read may see it from now on.
    func begin(_ regions: [QueryRegion], at place: CommitPlace) {
        outer?.begin(regions, at: place)
        let regions = RegionSet(regions)
        changes.withLock { changes in
            // Of many commits that change the same, the last one counts: what sees that sees the others.
            if let last = changes.last, last.told != nil, last.place?.source === place.source, last.regions == regions {
                changes.removeLast()
            }
            changes.append(Change(regions: regions, place: place))
        }
    }

    /// The commit has failed.
    func withdraw(_ place: CommitPlace) {
        outer?.withdraw(place)
        changes.withLock { $0.removeAll { $0.place.map { $0.number == place.number && $0.source === place.source } ?? false } }
    }

    /// The client is told of a change.
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
