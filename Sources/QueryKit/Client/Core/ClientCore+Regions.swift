/// The regions and tags of stores, used to find the stores that a change concerns.
extension ClientCore {
    func noteReads(_ regions: [QueryRegion], by statement: (any ReadStatement)?, _ ticket: StoreTicket, _ start: RunStart) {
        state.withLock { state in
            guard state.registry.isKept(ticket), start.isPrivate || state.registry.run(at: ticket.slot) == start.number else { return }
            // Enter the statement together with the first region, which saves a lookup.
            var statement = statement
            for region in regions { state.reads.enter(region, by: statement.take(), slot: ticket.slot, run: start.number) }
            if let statement { state.reads.enter(statement, slot: ticket.slot, run: start.number) }
        }
    }

    func readsRanges(of region: QueryRegion) -> Bool { state.withLock { $0.reads.hasRanges(in: region) } }

    func reads(_ ticket: StoreTicket) -> [QueryRegion] {
        state.withLock { $0.registry.isKept(ticket) ? $0.reads.regions(of: ticket.slot) : [] }
    }

    func statements(_ ticket: StoreTicket) -> ReadStatements {
        state.withLock { $0.registry.isKept(ticket) ? $0.reads.statements(of: ticket.slot) : ReadStatements() }
    }

    func setTags(_ tags: Set<QueryTag>, _ ticket: StoreTicket, inAddition: Bool) {
        state.withLock { state in
            guard state.registry.isCurrent(ticket) else { return }
            if !inAddition { state.tags.remove(slot: ticket.slot) }
            for tag in tags { state.tags.enter(tag.region, slot: ticket.slot, run: 0) }
        }
    }
}

extension QueryTag {
    /// The tag as a region, so that one type of index serves both.
    var region: QueryRegion { QueryRegion(source: name) }
}
