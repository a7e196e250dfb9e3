/// The regions that runs read, and the effect of their changes (R18).
extension StoreCore {
    /// The regions that the value was read from.
    var reads: [QueryRegion] { host.reads(ticket) }

    /// The statements by which the value was read.
    var statements: ReadStatements { host.statements(ticket) }

    var baseValue: AnyValue? { contents.withBasis { basis, _ in basis.value } }

    /// Notes that a run reads some regions. When the call returns, a change of any of these regions concerns the store.
    func noteReads(_ regions: [QueryRegion], by statement: (any ReadStatement)?, _ start: RunStart) {
        if !start.isMutation { host.noteReads(regions, by: statement, ticket, start) }
    }

    /// Marks the result of a run as out of date. Does nothing once the run is over.
    func outdate(_ start: RunStart, by change: RegionChange) {
        host.outdate(ticket, start, by: change)
        // A long run, such as a stream, is restarted now.
        catchUp()
    }

    /// Whether the run is under way.
    func isUnderWay(_ start: RunStart) -> Bool { contents.withLock { $0.machine.run?.number == start.number } }

    /// The changes since the latest successful run began. The first run that calls this gets `anything`: changes are recorded from then on.
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
    /// Reports a mistake if a request is `freshUntilChanged()` but its run has read nothing that reports changes.
    ///
    /// Nothing is reported in these cases: the value comes from a cache, so an earlier run has read it; the request has dependencies; the
    /// request is a stream, which delivers its changes itself; or its previous run has read something.
    @inline(never)
    func reportIfNothingToFollow(_ result: RunResult) {
        guard let mistakes = store.host.mistakes, case .success = result, !hasOrigin, !isCancelled else { return }
        guard settings.context.settings.dependencies.isEmpty, !(request.unwrapped is any StreamRequest) else { return }
        if existingNotes?.withLock({ $0.known.isEmpty }) == false || !store.reads.isEmpty { return }
        let type = TypeName(type(of: request.unwrapped)).whole
        mistakes.report(
            .nothingToFollow,
            about: "\(type) \(store.path.elements.first?.description ?? "")",
            at: store.path,
            """
            The request \(store.path) is freshUntilChanged(), but its fetch has read nothing that reports changes, so its value stays \
            fresh forever. Call QueryReads.note(_:) where the fetch reads and client.changed(_:) after a write, or use ttl(_:) instead. \
            If it reads a database, read it in the task of the fetch, and don't set isFollowed = false.
            """
        )
    }
}
