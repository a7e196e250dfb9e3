/// What runs read, and what becomes of it when that changes (R18).
extension StoreCore {
    /// What the value was read from.
    var reads: [QueryRegion] { host.reads(ticket) }

    var depth: Int { contents.withLock { $0.extras?.depth ?? 0 } }

    func deepen(to depth: Int) {
        contents.withLock { contents in
            let extras = contents.needExtras()
            extras.depth = max(extras.depth, depth)
        }
    }

    var baseValue: StateBox.Value? { contents.withLock { $0.baseValue } }

    func noteReads(_ regions: [QueryRegion], _ start: RunStart) {
        guard !start.isMutation else { return }
        let counts = contents.withLock { contents in
            guard start.isPrivate || contents.run?.number == start.number else { return false }
            contents.needExtras().hasReads = true
            return true
        }
        if counts { host.noteReads(regions, ticket, run: start.number) }
    }

    /// After a run that brought a value only its own reads count. One that failed leaves those before it, because their value still shows.
    func settleReads(_ start: RunStart, _ outcome: RunOutcome) {
        guard case .success = outcome, contents.withLock({ $0.extras?.hasReads == true }) else { return }
        host.settleReads(ticket, run: start.number)
    }

    /// Marks the value as out of date because something changed that it was read from.
    func invalidate(_ cause: QueryCause, refetch: QueryRefetch, by change: RegionChange?) {
        guard typing.runsByItself else { return }
        if let mutation = change?.mutation, contents.withLock({ $0.extras?.layers.isEmpty == false }) { landLayers(of: mutation) }
        let isEnabled = context.isEnabled
        let spared = unaffectedRun(by: change)
        perform(
            self.change { contents, input in
                if let change { contents.extras?.changes?.add(change.regions) } else { contents.extras?.changes? = .anything }
                return contents.process(input) { $0.invalidate(cause, refetch: refetch, isEnabled: isEnabled, sparing: spared, &$1) }
            }
        )
    }

    /// The run under way that will see the change without being told: it waits for the one that makes it, and has read nothing yet of what changes.
    private func unaffectedRun(by change: RegionChange?) -> Int32? {
        guard let change, change.callers.contains(ObjectIdentifier(self)) else { return nil }
        // A list keeps pages of former runs, which have read what they show.
        guard let run = contents.withLock({ $0.extras?.changes == nil ? $0.machine.run?.number : nil }) else { return nil }
        return host.latestRun(of: ticket, reading: change.regions) < run ? run : nil
    }

    func outdate(_ start: RunStart, _ cause: QueryCause, by change: RegionChange?) {
        if isUnderWay(start) { invalidate(cause, refetch: .active, by: change) }
    }

    func isUnderWay(_ start: RunStart) -> Bool { contents.withLock { $0.machine.run?.number == start.number } }

    func changes(for start: RunStart) -> RegionChanges {
        contents.withLock { contents in
            let extras = contents.needExtras()
            guard extras.changes != nil else {
                extras.changes = .nothing
                return .anything
            }
            return contents.run?.number == start.number ? contents.run?.changes ?? .anything : .anything
        }
    }
}

/// Regions that changed, and the mutation that changed them, if it was one of this process.
struct RegionChange: Sendable {
    let regions: [QueryRegion]
    var mutation: LayerStack.Owner?
    /// The stores whose runs wait for the run that makes the change.
    var callers: Set<ObjectIdentifier> = []
}

extension StoreContents {
    /// The value beneath the layers.
    var baseValue: StateBox.Value? {
        if let extras, !extras.layers.isEmpty { return extras.layers.base }
        return state.record.flags.contains(.hasValue) ? state.current : nil
    }
}
