/// Combines several changes into one (R29).
extension ClientCore {
    func batch<Result>(_ body: () throws -> Result) rethrows -> Result {
        if ChangeBatch.current(of: self) != nil { return try body() }
        let token = work.begin()
        defer { token.end() }
        beginJointChange()
        return try ChangeBatch.carryOut(for: self, body, finish: finish)
    }

    /// Enters the batch's invalidations, lets stores publish what they have held back, and then notifies the affected stores.
    private func finish(_ contents: ChangeBatch.Contents) {
        let concerned = enter(contents)
        let lists = Dictionary(uniqueKeysWithValues: concerned.map { ($0.store.ticket.slot, $0.lists) })
        let watch: @Sendable (StoreCore, inout StoreContents) -> Void = { store, contents in
            for list in lists[store.ticket.slot] ?? [] { contents.watchRun(of: store, for: list) }
        }
        let decided = contents.stores.map { store in
            let (_, actions) = store.decide { contents, _ in
                watch(store, &contents)
                contents.publishHeldBack()
            }
            return (store, actions)
        }
        endJointChange()
        for (store, actions) in decided { store.perform(actions) }
        for invalidation in contents.invalidations {
            guard case .pattern(let pattern) = invalidation.subject else { continue }
            check(pattern, hasMatches: !stores(matching: pattern).isEmpty)
        }
        let held = Set(contents.stores.map(\.ticket.slot))
        visit(concerned.map(\.store).filter { !held.contains($0.ticket.slot) }) { store in
            store.change { contents, _ in watch(store, &contents) }
        } finally: {
            for invalidation in contents.invalidations { invalidation.refetches.complete() }
        }
    }

    /// Enters all invalidations of a batch under one number, as one change per store.
    ///
    /// - Returns: The stores, each with the lists of runs that its invalidations will cause.
    private func enter(_ contents: ChangeBatch.Contents) -> [(store: StoreCore, lists: [RefetchList])] {
        if contents.invalidations.isEmpty { return [] }
        return state.withLock { state in
            let number = state.nextChange()
            defer { changeGauge.set(number.number) }
            var found: [UInt32: (cause: QueryCause, refetch: QueryRefetch, lists: [RefetchList])] = [:]
            var order: [UInt32] = []
            for (index, invalidation) in contents.invalidations.enumerated() {
                switch invalidation.subject {
                case .pattern(let pattern): patterns.notify(.invalidated(pattern), number)
                case .request(let path, _): patterns.notify(.invalidated(.path(path)), number)
                case .store, .tags: break
                }
                for concern in state.concerns(invalidation.subject, invalidation.cause, invalidation.refetch) {
                    guard case .invalidated(let cause, let refetch) = concern.kind else { continue }
                    // The value was written after this invalidation, so it stays fresh. The batch retains the store, so its slot can't have
                    // been reused.
                    if let count = contents.written[concern.slot], count > index { continue }
                    if found[concern.slot] == nil { order.append(concern.slot) }
                    var joined = found[concern.slot] ?? (cause, refetch, [])
                    joined.refetch = joined.refetch.joined(with: refetch)
                    if joined.lists.last !== invalidation.refetches { joined.lists.append(invalidation.refetches) }
                    found[concern.slot] = joined
                }
            }
            return order.compactMap { slot in
                guard let (cause, refetch, lists) = found[slot] else { return nil }
                return state.note(StoreChange(number: number, kind: .invalidated(cause, refetch)), at: slot).map { ($0, lists) }
            }
        }
    }
}

extension ClientCore.State {
    /// The changes of the stores that an invalidation concerns.
    func concerns(
        _ subject: ChangeBatch.Invalidation.Subject,
        _ cause: QueryCause,
        _ refetch: QueryRefetch
    ) -> [ClientCore.Concern] {
        switch subject {
        case .pattern(let pattern):
            return registry.slots(matching: pattern).map { ClientCore.Concern(slot: $0, kind: .invalidated(cause, refetch)) }
        case .request(_, let ticket):
            guard let ticket, registry.isKept(ticket) else { return [] }
            return [ClientCore.Concern(slot: ticket.slot, kind: .invalidated(cause, refetch))]
        case .store(let ticket):
            guard registry.isCurrent(ticket) else { return [] }
            return [ClientCore.Concern(slot: ticket.slot, kind: .invalidated(cause, refetch))]
        case .tags(let tags):
            var concerns = concerns(self.tags, tags.map(\.region)) { slot, region in
                ClientCore.Concern(slot: slot, kind: .invalidated(.tagged(QueryTag(region.source)).from(cause.origin), refetch))
            }
            // A run under way may give its result one of the tags, too. That is known only when the run ends.
            let known = Set(concerns.map(\.slot))
            for slot in registry.slotsComputingTags() where !known.contains(slot) {
                concerns.append(ClientCore.Concern(slot: slot, kind: .invalidated(cause, refetch)))
            }
            return concerns
        }
    }
}

extension QueryRefetch {
    /// A refetch that includes this one and the other.
    fileprivate func joined(with other: QueryRefetch) -> QueryRefetch {
        switch (self, other) {
        case (.none, let refetch), (let refetch, .none): refetch
        case (.active, .active): .active
        case (.inactive, .inactive): .inactive
        case (.all, _), (_, .all), (.active, .inactive), (.inactive, .active): .all
        }
    }
}

extension QueryClient {
    /// Combines several writes, invalidations and optimistic layers into one change.
    ///
    /// ```swift
    /// client.batch {
    ///     client.setValue(trip, for: TripDetail(id: trip.id))
    ///     client.updateValue(for: TripList()) { $0.append(trip) }
    ///     client.invalidate("statistics/**")
    /// }
    /// ```
    ///
    /// Each store publishes once, after the closure has returned, and everything on the main actor updates in one turn. Inside the closure
    /// you can read what you have written. Invalidations take effect at the end, even for values that you read inside the closure. A value
    /// that you write after an invalidation stays fresh. Other threads may read a written value before the end, but no handler is called
    /// for it.
    ///
    /// `reset`, `remove`, `clear` and `changed` take effect immediately. A nested batch of the same client becomes part of the outer one.
    /// No lock is held while the closure runs. If the closure throws, the changes that it made before are kept and published.
    public func batch<Result>(_ changes: () throws -> Result) rethrows -> Result { try core.batch(changes) }
}
