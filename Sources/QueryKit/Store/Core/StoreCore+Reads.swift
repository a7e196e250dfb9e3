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

extension StoreRun {
    /// Reports a value that is fresh until something changes that it was read from, if it was read from nothing.
    ///
    /// A value that comes from a cache was read by an earlier run. A dependency is something to follow, and a stream brings its changes itself.
    /// Where the run before has read something, this one had a reason not to.
    @inline(never)
    func reportIfNothingToFollow(_ result: RunResult) {
        guard let mistakes = store.host.mistakes, case .success = result, !hasOrigin, !isCancelled else { return }
        guard settings.context.settings.dependencies.isEmpty, !(request.unwrapped is any StreamRequest) else { return }
        if existingNotes?.withLock({ $0.known.isEmpty }) == false || !store.reads.isEmpty { return }
        let type = String(describing: type(of: request.unwrapped))
        mistakes.report(
            .nothingToFollow,
            about: "\(type) \(store.path.elements.first?.description ?? "")",
            at: store.path,
            """
            The request \(store.path) is freshUntilChanged(), but its fetch has read nothing that reports changes, so its value stays fresh for \
            ever. Call QueryReads.note(_:) where the fetch reads and client.changed(_:) after a write, or write ttl(_:) instead. If it reads a \
            database, read it in the task of the fetch, and don't set isFollowed = false.
            """
        )
    }
}
