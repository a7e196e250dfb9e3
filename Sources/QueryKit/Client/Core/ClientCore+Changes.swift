/// Changes: each gets a number and is entered for all stores in one step under the client's lock (R29). Handlers, triggers and runs follow
/// later.
extension ClientCore {
    /// The effect of a change on one store.
    struct Concern {
        let slot: UInt32
        let kind: StoreChange.Kind
        var spared: Int32?
    }

    /// Enters a change, and returns the stores that it concerns.
    ///
    /// - Parameter finish: Called before any store is notified. All events of the stores from then on come after the change.
    private func enter(
        _ pattern: PatternChange? = nil,
        regions: RegionChange? = nil,
        _ find: (inout State) -> [Concern],
        finish: () -> Void = {}
    ) -> [StoreCore] {
        state.withLock { state in
            let number = state.nextChange()
            // Caches reject older values of all matching requests, even of those without a store.
            if let pattern { patterns.notify(pattern, number) }
            let stores = find(&state).compactMap { concern in
                let change = StoreChange(number: number, kind: concern.kind, regions: regions, spared: concern.spared)
                return state.note(change, at: concern.slot)
            }
            // Set the gauge last, so that a reader without the lock finds either all of the change or nothing.
            changeGauge.set(number.number)
            finish()
            return stores
        }
    }

    // MARK: By pattern

    func invalidate(_ pattern: QueryPattern, _ given: QueryCause, refetch: QueryRefetch) -> QueryRefetches {
        let cause = announce(given, as: .invalidation, of: .pattern(pattern))
        if let refetches = ChangeBatch.current(of: self)?.add(.pattern(pattern), cause, refetch) { return refetches }
        if pattern == .all {
            let number = enterForAll(.invalidated(cause, refetch), .invalidated(.all))
            return QueryRefetches(completedLater: { refetches in
                visit(number, { $0.catchUp(refetches) }, finally: { refetches.complete() })
            })
        }
        let stores = enter(.invalidated(pattern)) { $0.concerns(.pattern(pattern), cause, refetch) }
        let refetches = notify(stores)
        check(pattern, hasMatches: !stores.isEmpty)
        return refetches
    }

    /// Invalidates what matches any of the patterns, as one change.
    func invalidate(anyOf patterns: [QueryPattern], _ cause: QueryCause, refetch: QueryRefetch) {
        if let pattern = patterns.first, patterns.count == 1 {
            _ = invalidate(pattern, cause, refetch: refetch)
        } else if !patterns.isEmpty {
            batch { for pattern in patterns { _ = invalidate(pattern, cause, refetch: refetch) } }
        }
    }

    /// Refetches the observed matches that were marked as out of date and have not been fetched since, as one change.
    func refetchInvalidated(anyOf patterns: [QueryPattern], _ cause: QueryCause) {
        let kind = StoreChange.Kind.due(cause)
        if patterns.contains(.all) { return visit(enterForAll(kind), { $0.catchUp() }) }
        notify(
            enter { state in
                var known: Set<UInt32> = []
                return patterns.flatMap { state.registry.slots(matching: $0) }.filter { known.insert($0).inserted }
                    .map { Concern(slot: $0, kind: kind) }
            }
        )
    }

    // A reset makes stores forget their calls, so it ends exactly these calls. The calls are counted when the change is entered. A call
    // that is made later is not ended: the store sees it after the change, and keeps it.

    func reset(_ pattern: QueryPattern) {
        let kind = StoreChange.Kind.reset(announce(.reset, as: .reset, of: .pattern(pattern)), forgets: true)
        var count = 0
        if pattern == .all {
            let number = enterForAll(kind) { count = mutationQueues.count }
            mutationQueues.end(matching: pattern, .kept, upTo: count)
            return visit(number, { $0.catchUp() })
        }
        let stores = enter { state in
            state.registry.slots(matching: pattern).map { Concern(slot: $0, kind: kind) }
        } finish: {
            count = mutationQueues.count
        }
        mutationQueues.end(matching: pattern, .kept, upTo: count)
        notify(stores)
        check(pattern, hasMatches: !stores.isEmpty)
    }

    func remove(_ pattern: QueryPattern) {
        let kind = StoreChange.Kind.reset(announce(.reset, as: .reset, of: .pattern(pattern)), forgets: true)
        var count = 0
        if pattern == .all {
            let number = enterForAll(kind, .removed(.all)) { count = mutationQueues.count }
            mutationQueues.end(matching: pattern, .kept, upTo: count)
            return visit(number, release, later: releaseIfEmpty)
        }
        let removed = enter(.removed(pattern)) { state in
            state.registry.slots(matching: pattern).map { Concern(slot: $0, kind: kind) }
        } finish: {
            count = mutationQueues.count
        }
        mutationQueues.end(matching: pattern, .kept, upTo: count)
        visit(removed, release, later: releaseIfEmpty)
        check(pattern, hasMatches: !removed.isEmpty)
    }

    /// Begins another session: every store switches to a new context before anything else happens to it.
    func beginSession(_ session: String?, _ owner: WeakOwner) {
        let number = enterForAll(.renewed(announce(.session, as: .session, of: .nothing))) {
            let former = context.withLock { context -> QueryContext in
                defer {
                    context.session = session
                    context.owner = owner
                }
                return context
            }
            former.owner?.end()
        }
        mutationQueues.endFormerSessions()
        forgetLooks()
        sessions.send(session)
        // A store empties itself when it takes the change. Anything that it contains afterwards belongs to the new session.
        visit(number, releaseIfEmpty)
    }

    /// Applies the removal to a store, and releases the store unless it is in use. Results that arrive before the removing call returns are
    /// removed, too.
    private var release: @Sendable (StoreCore) -> Void {
        { [weak self] in _ = self?.retire($0, .removed, forgets: true) }
    }

    /// Applies the removal to a store, and releases the store unless it is in use or has received a result since then.
    private var releaseIfEmpty: @Sendable (StoreCore) -> Void {
        { [weak self] in _ = self?.retire($0, .removed, onlyIfEmpty: true) }
    }

    // MARK: By region and tag

    func changed(_ regions: [QueryRegion], _ cause: QueryCause, in scope: RunScope?) {
        let cause = attribute(cause, to: regions, in: scope)
        if wantsEvents { report(originOf: cause) }
        notify(enter(regions, cause, in: scope))
    }

    /// Adds an origin to the cause of a change of regions, if events have listeners. Doesn't report the origin, so a source may call this
    /// with a lock held.
    @inline(__always)
    func attribute(_ cause: QueryCause, to regions: [QueryRegion], in scope: RunScope?) -> QueryCause {
        guard wantsEvents else { return cause }
        let kind: QueryOrigin.Kind = cause == .otherProcess ? .otherProcess : .commit
        return cause.from(origin(kind, of: .regions(regions), in: scope?.mutationOrigin))
    }

    /// The first half of ``changed(_:_:in:)``: marks the affected stores as out of date and returns them. The caller must notify them.
    func enter(_ regions: [QueryRegion], _ cause: QueryCause, in scope: RunScope?) -> [StoreCore] {
        let callers = scope?.callers ?? []
        let change = RegionChange(regions: regions, mutation: scope?.mutation)
        return enter(regions: change) { state in
            if scope?.store?.host === self { scope?.effects?.noteReport(regions, as: state.lastChange) }
            return state.concerns(state.reads, regions) { slot, region in
                guard let store = state.registry.store(at: slot) else { return nil }
                let run = state.registry.run(at: slot)
                // A run is not repeated for its own changes. A run that waits for it is not repeated either, if it has not yet read the
                // changed data.
                if scope?.isRun(run, of: store) == true { return nil }
                let isSpared =
                    run != 0 && callers.contains(ObjectIdentifier(store)) && !state.registry.keepsParts(at: slot)
                    && state.reads.latestRun(of: slot, reading: regions) < run
                return Concern(slot: slot, kind: .invalidated(cause.about(region), .active), spared: isSpared ? run : nil)
            }
        }
    }

    func invalidate(tags: Set<QueryTag>, refetch: QueryRefetch) -> QueryRefetches {
        guard let first = tags.first else { return QueryRefetches(of: { _ in }) }
        let cause = announce(.tagged(first), as: .tags, of: .tags(tags.sorted { $0.name < $1.name }))
        if let refetches = ChangeBatch.current(of: self)?.add(.tags(tags), cause, refetch) { return refetches }
        return notify(enter { $0.concerns(.tags(tags), cause, refetch) })
    }

    // MARK: One store

    /// Enters a change of one request, and notifies caches.
    func invalidate(_ path: QueryPath, _ store: StoreCore?, refetch: QueryRefetch) -> QueryRefetches {
        let cause = announce(.invalidated(.path(path)), as: .invalidation, of: .pattern(.path(path)))
        let subject = ChangeBatch.Invalidation.Subject.request(path, store?.ticket)
        if let refetches = ChangeBatch.current(of: self)?.add(subject, cause, refetch) { return refetches }
        return notify(enter(.invalidated(.path(path))) { $0.concerns(subject, cause, refetch) })
    }

    /// Removes one store, as ``remove(_:)-(QueryPattern)`` removes all matches of a pattern.
    func remove(_ store: StoreCore) {
        let cause = announce(.reset, as: .reset, of: .pattern(.path(store.path)))
        var count = 0
        let stores = enter { state in
            state.concern(store.ticket, .reset(cause, forgets: true))
        } finish: {
            count = mutationQueues.count
        }
        if stores.isEmpty { return }
        mutationQueues.end(of: store.ticket, upTo: count)
        visit([store], release, later: releaseIfEmpty)
    }

    func enter(_ ticket: StoreTicket, _ kind: StoreChange.Kind) -> Bool { !enter { $0.concern(ticket, kind) }.isEmpty }

    func outdate(_ ticket: StoreTicket, _ start: RunStart, by change: RegionChange?) {
        let cause = QueryCause.regionChanged.about(change?.regions.first)
        // The store takes the change at the end of the run at the latest.
        _ = enter(regions: change) { state in
            guard state.registry.isCurrent(ticket), start.isPrivate || state.registry.run(at: ticket.slot) == start.number else {
                return []
            }
            return [Concern(slot: ticket.slot, kind: .invalidated(cause, .active))]
        }
    }

    var latestChange: ChangeNumber { ChangeNumber(number: changeGauge.value) }

    func takePendingChanges(for ticket: StoreTicket) -> PendingChanges {
        state.withLock { state in
            var pending = PendingChanges(latest: state.lastChange)
            if state.registry.takesPendingChanges(ticket) {
                pending.changes = state.pendingChanges.removeValue(forKey: ticket.slot) ?? []
                if state.pendingChanges.isEmpty, state.pendingChanges.capacity > 1_024 { state.pendingChanges = [:] }
            }
            guard !state.generalChanges.isEmpty, state.registry.isCurrent(ticket) else { return pending }
            let isRetired = state.registry.isRetired(ticket)
            for index in state.generalChanges.indices where state.generalChanges[index].take(ticket.slot, isRetired: isRetired) {
                pending.changes.append(state.generalChanges[index].change)
            }
            pending.changes.sort { $0.number < $1.number }
            return pending
        }
    }

    func pendingKind(for ticket: StoreTicket) -> PendingChanges.Kind {
        state.withLock { state in
            guard state.registry.isCurrent(ticket) else { return .nothing }
            var changes = state.registry.hasPendingChanges(ticket) ? state.pendingChanges[ticket.slot] ?? [] : []
            let isRetired = state.registry.isRetired(ticket)
            changes += state.generalChanges.filter { $0.waits(for: ticket.slot, isRetired: isRetired) }.map(\.change)
            // A refetch that is due changes nothing until the store takes it.
            changes.removeAll(where: \.kind.isDue)
            if changes.isEmpty { return .nothing }
            return changes.contains { if case .invalidated = $0.kind { false } else { true } } ? .reset : .invalidation
        }
    }

    // MARK: Several stores

    /// Invalidates some stores as one change, and refetches those with observers or waiting callers.
    func invalidate(_ stores: [StoreCore], _ cause: QueryCause) {
        let batch = ChangeBatch.current(of: self)
        // A batch that is over collects nothing.
        let rest = stores.filter { batch?.add(.store($0.ticket), cause, .active) == nil }
        if rest.isEmpty { return }
        notify(
            enter { state in
                rest.filter { state.registry.isCurrent($0.ticket) }
                    .map { Concern(slot: $0.ticket.slot, kind: .invalidated(cause, .active)) }
            }
        )
    }

    var moment: ChangeNumber? { state.withLock { $0.jointChanges == 0 ? $0.lastChange : nil } }

    var jointChanges: Int? { state.withLock { $0.jointChanges == 0 ? $0.endedJointChanges : nil } }

    func jointly<Result>(_ body: () -> Result) -> Result {
        beginJointChange()
        defer { endJointChange() }
        return body()
    }

    func beginJointChange() { state.withLock { $0.jointChanges += 1 } }

    func endJointChange() {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.jointChanges -= 1
            state.endedJointChanges += 1
            changeGauge.set(state.nextChange().number)
            guard state.jointChanges == 0 else { return [] }
            defer { state.whenWhole = [] }
            return state.whenWhole
        }
        for action in actions { action() }
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
        state.withLock { $0.lastGeneralInvalidation > number || $0.registry.hasChanged(ticket, since: number) }
    }

    // MARK: Notifying stores

    /// How long a changing call may notify stores itself before a task of the client continues.
    private static var notifyingTimeLimit: Duration { .milliseconds(1) }

    /// Lets stores take the changes entered for them. Returns the runs that follow, including those of stores that are notified later.
    @discardableResult
    func notify(_ stores: [StoreCore]) -> QueryRefetches {
        QueryRefetches(completedLater: { refetches in
            visit(stores, { $0.catchUp(refetches) }, finally: { refetches.complete() })
        })
    }

    /// Calls `action` for the stores immediately. If this takes too long, a task continues with the remaining stores, and calls `later`
    /// instead if it is given.
    func visit<Stores: Sequence<StoreCore>>(
        _ stores: Stores,
        _ action: @escaping @Sendable (StoreCore) -> Void,
        later: (@Sendable (StoreCore) -> Void)? = nil,
        finally: @escaping @Sendable () -> Void = {}
    ) where Stores.Iterator: Sendable {
        let end = SystemClock().now.advanced(by: Self.notifyingTimeLimit)
        var rest = stores.makeIterator()
        var count = 0
        while let store = rest.next() {
            action(store)
            count += 1
            if count % 8 == 0, SystemClock().now > end { return visitLater(rest, later ?? action, finally) }
        }
        finally()
    }

    private func visitLater(
        _ stores: some IteratorProtocol<StoreCore> & Sendable,
        _ action: @escaping @Sendable (StoreCore) -> Void,
        _ finally: @escaping @Sendable () -> Void
    ) {
        let token = work.begin()
        // Has no owner: it ends on its own, and `settled()` waits for it.
        Task.detached(priority: Task.currentPriority) {
            var stores = stores
            var count = 0
            while let store = stores.next() {
                action(store)
                count += 1
                if count % 64 == 0 { await Task.yield() }
            }
            finally()
            token.end()
        }
    }
}

extension ClientCore.State {
    /// Keeps a change for a store until the store takes it. Returns `nil` if the store no longer exists.
    mutating func note(_ change: StoreChange, at slot: UInt32) -> StoreCore? {
        guard let store = registry.heldStore(at: slot) else { return nil }
        var isInvalidation = false
        if case .invalidated = change.kind { isInvalidation = true }
        registry.note(change.number, at: slot, isInvalidation: isInvalidation)
        pendingChanges[slot, default: []].append(change)
        return store
    }

    /// A change of one store; empty if the store no longer exists.
    func concern(_ ticket: StoreTicket, _ kind: StoreChange.Kind) -> [ClientCore.Concern] {
        registry.isCurrent(ticket) ? [ClientCore.Concern(slot: ticket.slot, kind: kind)] : []
    }

    func concerns(
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
