/// What runs read, and what becomes of it when that changes (R18).
extension StoreCore {
    /// What the value was read from.
    var reads: [QueryRegion] { host.reads(ticket) }

    var baseValue: AnyValue? { contents.withBasis { basis, _ in basis.value } }

    /// Notes that a run reads some regions. When the call returns, a change of any of them concerns the store.
    func noteReads(_ regions: [QueryRegion], _ start: RunStart) {
        if !start.isMutation { host.noteReads(regions, ticket, start) }
    }

    /// The result of a run is stale at birth; does nothing once the run is over.
    func outdate(_ start: RunStart, by change: RegionChange) {
        host.outdate(ticket, start, by: change)
        // A run that goes on for long, such as a stream, begins again now.
        catchUp()
    }

    /// Whether a run is the one under way.
    func isUnderWay(_ start: RunStart) -> Bool { contents.withLock { $0.machine.run?.number == start.number } }

    /// What changed since the latest run that brought a value began. Runs are told from the second one that asks.
    func changes(for start: RunStart) -> RegionChanges {
        change { contents, _ in
            let rare = contents.needRare()
            guard rare.changes != nil else {
                rare.changes = .nothing
                contents.noteUse()
                return .anything
            }
            return contents.run?.number == start.number ? contents.run?.changes ?? .anything : .anything
        }
    }
}
