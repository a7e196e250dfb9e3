/// What stores read and which tags they carry, and who is concerned when that changes.
extension ClientCore {
    func noteReads(_ regions: [QueryRegion], _ ticket: StoreTicket, run: Int32) {
        state.withLock { state in
            guard state.registry.isKept(ticket) else { return }
            for region in regions { state.reads.enter(region, slot: ticket.slot, run: run) }
        }
    }

    func settleReads(_ ticket: StoreTicket, run: Int32) {
        state.withLock { state in
            if state.registry.isKept(ticket) { state.reads.settle(slot: ticket.slot, run: run) }
        }
    }

    func reads(_ ticket: StoreTicket) -> [QueryRegion] {
        state.withLock { $0.registry.isKept(ticket) ? $0.reads.regions(of: ticket.slot) : [] }
    }

    func latestRun(of ticket: StoreTicket, reading regions: [QueryRegion]) -> Int32 {
        state.withLock { $0.registry.isKept(ticket) ? $0.reads.latestRun(of: ticket.slot, reading: regions) : 0 }
    }

    func setTags(_ tags: Set<QueryTag>, _ ticket: StoreTicket) {
        state.withLock { state in
            guard state.registry.isKept(ticket) else { return }
            state.tags.remove(slot: ticket.slot)
            for tag in tags { state.tags.enter(tag.region, slot: ticket.slot, run: 0) }
        }
    }

    /// The stores that read something which overlaps one of the regions, each once, with a region that concerns it.
    func stores(reading regions: [QueryRegion]) -> [(store: StoreCore, region: QueryRegion)] {
        state.withLock { $0.stores(in: $0.reads, for: regions) }
    }

    func stores(tagged tags: [QueryTag]) -> [(store: StoreCore, region: QueryRegion)] {
        state.withLock { $0.stores(in: $0.tags, for: tags.map(\.region)) }
    }

    /// Invalidates stores. Those that others fetch come first, so that a run which fetches another request finds that one out of date.
    func invalidate(
        _ stores: [StoreCore],
        _ cause: (Int) -> QueryCause,
        refetch: QueryRefetch,
        by change: RegionChange? = nil
    ) {
        if stores.count < 2 || stores.allSatisfy({ $0.depth == 0 }) {
            for index in stores.indices { stores[index].invalidate(cause(index), refetch: refetch, by: change) }
            return
        }
        for index in stores.indices.sorted(by: { stores[$0].depth < stores[$1].depth }) {
            stores[index].invalidate(cause(index), refetch: refetch, by: change)
        }
    }
}

extension QueryTag {
    /// A tag as a region, so that one kind of index serves both.
    fileprivate var region: QueryRegion { QueryRegion(source: name) }
}

extension ClientCore.State {
    fileprivate func stores(in index: RegionIndex, for regions: [QueryRegion]) -> [(store: StoreCore, region: QueryRegion)] {
        var found: [UInt32: QueryRegion] = [:]
        for region in regions {
            for slot in index.slots(overlapping: region) where found[slot] == nil { found[slot] = region }
        }
        return found.compactMap { slot, region in registry.store(at: slot).map { ($0, region) } }
    }
}
