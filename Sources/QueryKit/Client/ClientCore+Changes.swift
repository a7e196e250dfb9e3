/// Changes: each gets a number and is entered for all stores in one step under the client's lock (R29). Handlers, triggers and runs follow.
extension ClientCore {
    /// What a change means for one store.
    struct Concern {
        let slot: UInt32
        let kind: StoreChange.Kind
        var spared: Int32?
    }

    /// Enters one change, and returns the stores that it concerns.
    private func enter(
        _ pattern: PatternChange? = nil,
        regions: RegionChange? = nil,
        _ find: (inout State) -> [Concern]
    ) -> [StoreCore] {
        state.withLock { state in
            state.lastChange = state.lastChange.next
            let number = state.lastChange
            // Caches refuse what is older, whether or not it has a store.
            if let pattern { patterns.tell(pattern, number) }
            return find(&state).compactMap { concern in
                let change = StoreChange(number: number, kind: concern.kind, regions: regions, spared: concern.spared)
                return state.note(change, at: concern.slot)
            }
        }
    }

    // MARK: By pattern

    func invalidate(_ pattern: QueryPattern, _ cause: QueryCause, refetch: QueryRefetch) {
        tell(
            enter(.invalidated(pattern)) { state in
                state.registry.slots(matching: pattern).map { Concern(slot: $0, kind: .invalidated(cause, refetch)) }
            }
        )
    }

    func reset(_ pattern: QueryPattern) {
        tell(
            enter { state in
                state.registry.slots(matching: pattern).map { Concern(slot: $0, kind: .reset(.reset, forgets: true)) }
            }
        )
    }

    func remove(_ pattern: QueryPattern) {
        let removed = enter(.removed(pattern)) { state in
            state.registry.slots(matching: pattern).map { Concern(slot: $0, kind: .reset(.reset, forgets: true)) }
        }
        visit(removed) { [weak self] in _ = self?.retire($0, .removed, forgets: true) }
    }

    /// Begins another session: every store takes another context before anything else happens to it.
    func beginSession(_ session: String?, _ owner: WeakOwner) {
        let stores = state.withLock { state -> [StoreCore] in
            state.lastChange = state.lastChange.next
            let number = state.lastChange
            let former = context.withLock { context -> QueryContext in
                defer {
                    context.session = session
                    context.owner = owner
                }
                return context
            }
            former.owner?.end()
            return state.registry.allSlots().compactMap { state.note(StoreChange(number: number, kind: .renewed), at: $0) }
        }
        lines.cancel(matching: .all)
        forgetLooks()
        visit(stores) { [weak self] in _ = self?.retire($0, .removed) }
    }

    // MARK: By what was read

    func changed(_ regions: [QueryRegion], _ cause: QueryCause, in scope: RunScope?) {
        let callers = scope?.callers ?? []
        let change = RegionChange(regions: regions, mutation: scope?.mutation)
        tell(
            enter(regions: change) { state in
                state.concerns(state.reads, regions) { slot, region in
                    guard let store = state.registry.store(at: slot) else { return nil }
                    let run = state.registry.run(at: slot)
                    // A run is not run again by what it changes itself, nor is one that waits for it and has read nothing of that yet.
                    if scope?.isRun(run, of: store) == true { return nil }
                    let isSpared =
                        run != 0 && callers.contains(ObjectIdentifier(store)) && !state.registry.keepsParts(at: slot)
                        && state.reads.latestRun(of: slot, reading: regions) < run
                    return Concern(slot: slot, kind: .invalidated(cause.about(region), .active), spared: isSpared ? run : nil)
                }
            }
        )
    }

    func invalidate(tags: Set<QueryTag>, refetch: QueryRefetch) {
        guard let first = tags.first else { return }
        tell(
            enter { state in
                var concerns = state.concerns(state.tags, tags.map(\.region)) { slot, region in
                    Concern(slot: slot, kind: .invalidated(.tagged(QueryTag(region.source)), refetch))
                }
                // What a run is about to bring may carry the tags too: nobody knows before it is there.
                let known = Set(concerns.map(\.slot))
                for slot in state.registry.slotsComputingTags() where !known.contains(slot) {
                    concerns.append(Concern(slot: slot, kind: .invalidated(.tagged(first), refetch)))
                }
                return concerns
            }
        )
    }

    // MARK: One store

    /// Enters a change of one request, which caches have to know.
    func invalidate(_ path: QueryPath, _ store: StoreCore?, refetch: QueryRefetch) {
        let pattern = QueryPattern.path(path)
        let stores = enter(.invalidated(pattern)) { state in
            guard let store, state.registry.isKept(store.ticket) else { return [] }
            return [Concern(slot: store.ticket.slot, kind: .invalidated(.invalidated(pattern), refetch))]
        }
        tell(stores)
    }

    func enter(_ ticket: StoreTicket, _ kind: StoreChange.Kind) -> Bool {
        !enter { state in state.registry.isCurrent(ticket) ? [Concern(slot: ticket.slot, kind: kind)] : [] }.isEmpty
    }

    func outdate(_ ticket: StoreTicket, _ start: RunStart, by change: RegionChange?) {
        let cause = QueryCause.regionChanged.about(change?.regions.first)
        // The store takes it at the end of the run at the latest.
        _ = enter(regions: change) { state in
            guard state.registry.isCurrent(ticket), start.isPrivate || state.registry.run(at: ticket.slot) == start.number else {
                return []
            }
            return [Concern(slot: ticket.slot, kind: .invalidated(cause, .active))]
        }
    }

    func takeNews(for ticket: StoreTicket) -> StoreNews {
        state.withLock { state in
            var news = StoreNews(latest: state.lastChange)
            if state.registry.takesNews(ticket) { news.changes = state.news.removeValue(forKey: ticket.slot) ?? [] }
            return news
        }
    }

    func waitingNews(for ticket: StoreTicket) -> StoreNews.Waiting {
        state.withLock { state in
            guard state.registry.hasNews(ticket) else { return .nothing }
            let isReset = state.news[ticket.slot]?.contains { if case .invalidated = $0.kind { false } else { true } }
            return isReset == true ? .reset : .invalidation
        }
    }

    // MARK: Several stores

    var moment: ChangeNumber? { state.withLock { $0.jointChanges == 0 ? $0.lastChange : nil } }

    func jointly<Result>(_ body: () -> Result) -> Result {
        state.withLock { $0.jointChanges += 1 }
        defer {
            let actions = state.withLock { state -> [@Sendable () -> Void] in
                state.jointChanges -= 1
                state.lastChange = state.lastChange.next
                guard state.jointChanges == 0 else { return [] }
                defer { state.whenWhole = [] }
                return state.whenWhole
            }
            for action in actions { action() }
        }
        return body()
    }

    func whenWhole(_ action: @escaping @Sendable () -> Void) {
        let isWhole = state.withLock { state in
            if state.jointChanges == 0 { return true }
            state.whenWhole.append(action)
            return false
        }
        if isWhole { action() }
    }

    func hasChanged(_ ticket: StoreTicket, since number: ChangeNumber) -> Bool {
        state.withLock { $0.registry.hasChanged(ticket, since: number) }
    }

    // MARK: Telling

    /// How long a call that changes something may deliver what follows, before a task of the client goes on.
    private static var patience: Duration { .milliseconds(1) }

    /// Lets stores take what was entered.
    private func tell(_ stores: [StoreCore]) { visit(stores) { $0.catchUp() } }

    /// Does something to some stores: at once, as far as that is quick, and the rest in a task.
    func visit(_ stores: [StoreCore], _ action: @escaping @Sendable (StoreCore) -> Void) {
        let end = SystemClock().now.advanced(by: Self.patience)
        for (index, store) in stores.enumerated() {
            action(store)
            guard index % 8 == 7, index + 1 < stores.count, SystemClock().now > end else { continue }
            return visitLater(stores[(index + 1)...], action)
        }
    }

    private func visitLater(_ stores: ArraySlice<StoreCore>, _ action: @escaping @Sendable (StoreCore) -> Void) {
        let token = work.begin()
        // Owned by nobody: it ends by itself, and a client is settled only after it.
        Task.detached(priority: Task.currentPriority) {
            for (index, store) in stores.enumerated() {
                action(store)
                if index % 64 == 63 { await Task.yield() }
            }
            token.end()
        }
    }
}

extension ClientCore.State {
    /// Keeps a change for a store until that takes it; `nil` if the store is gone.
    fileprivate mutating func note(_ change: StoreChange, at slot: UInt32) -> StoreCore? {
        guard let store = registry.heldStore(at: slot) else { return nil }
        var isInvalidation = false
        if case .invalidated = change.kind { isInvalidation = true }
        registry.note(change.number, at: slot, isInvalidation: isInvalidation)
        news[slot, default: []].append(change)
        return store
    }

    fileprivate func concerns(
        _ index: RegionIndex,
        _ regions: [QueryRegion],
        _ concern: (UInt32, QueryRegion) -> ClientCore.Concern?
    ) -> [ClientCore.Concern] {
        var found: [UInt32: QueryRegion] = [:]
        for region in regions {
            for slot in index.slots(overlapping: region) where found[slot] == nil { found[slot] = region }
        }
        return found.compactMap { concern($0, $1) }
    }
}
