/// The changes of one `batch` call, which observers see as one change (R29).
///
/// Writes and layers change states at once, but the stores publish at the end. Invalidations are entered at the end, in one step.
final class ChangeBatch: Sendable {
    /// An invalidation that was requested during the batch.
    struct Invalidation: Sendable {
        enum Subject: Sendable {
            case pattern(QueryPattern)
            case request(QueryPath, StoreTicket?)
            case store(StoreTicket)
            case tags(Set<QueryTag>)
        }

        let subject: Subject
        let cause: QueryCause
        let refetch: QueryRefetch
        let refetches: RefetchList
    }

    /// The collected changes.
    struct Contents: Sendable {
        var invalidations: [Invalidation] = []
        /// The stores that publish at the end, and for each written store, by its slot, the number of invalidations that precede its latest
        /// write.
        var stores: [StoreCore] = []
        var written: [UInt32: Int] = [:]
    }

    @TaskLocal private static var innermost: ChangeBatch?

    private let host: any StoreHost
    /// The batch around this one, which may be of another client.
    private let outer: ChangeBatch?
    /// `nil` once the batch is over. A task that began in the batch still refers to it.
    private let contents = Lock<Contents?>(Contents())

    private init(_ host: any StoreHost) {
        self.host = host
        outer = Self.innermost
    }

    /// The batch of a client that the current task is in.
    static func current(of host: any StoreHost) -> ChangeBatch? {
        var batch = innermost
        while let candidate = batch {
            if candidate.host === host, candidate.contents.withLock({ $0 != nil }) { return candidate }
            batch = candidate.outer
        }
        return nil
    }

    /// Calls a closure, and then `finish` with the collected changes, even if the closure throws.
    static func carryOut<Result>(
        for host: any StoreHost,
        _ body: () throws -> Result,
        finish: (Contents) -> Void
    ) rethrows -> Result {
        let batch = ChangeBatch(host)
        defer {
            let contents = batch.contents.withLock { contents in
                defer { contents = nil }
                return contents
            }
            if let contents { finish(contents) }
        }
        return try $innermost.withValue(batch, operation: body)
    }

    /// Collects an invalidation. Returns the runs that will follow; `nil` if the batch is over, so that nothing was collected.
    func add(_ subject: Invalidation.Subject, _ cause: QueryCause, _ refetch: QueryRefetch) -> QueryRefetches? {
        var isNoted = false
        let refetches = QueryRefetches(completedLater: { list in
            isNoted = contents.withLock { contents in
                contents?.invalidations.append(Invalidation(subject: subject, cause: cause, refetch: refetch, refetches: list)) != nil
            }
        })
        return isNoted ? refetches : nil
    }

    /// Makes a store publish its changes at the end of the batch. A written value is newer than the invalidations collected before.
    func hold(_ store: StoreCore, isWritten: Bool) {
        contents.withLock { contents in
            if isWritten, let count = contents?.invalidations.count { contents?.written[store.ticket.slot] = count }
            if contents?.stores.contains(where: { $0 === store }) != false { return }
            contents?.stores.append(store)
            // With the lock held: if the batch ends on another thread, that thread must publish what is held back from here on.
            store.contents.withLock { $0.holdBack() }
        }
    }
}

/// The changes that a store publishes at the end of a batch.
final class HeldBack {
    /// The number of batches that hold the store back.
    var count = 1
    /// The first state for subscribers that join during the batch: the last published one, or the empty one if the store was cleared since.
    var published: StateBox
    /// Whether a run was under way in the last published state.
    private var isFetching: Bool
    var changes: StateChanges = []
    var result: Result<AnyValue, any Error>?
    var stored: StoredChange?

    init(_ published: StateBox) {
        self.published = published
        isFetching = published.record.showsFetching
    }

    /// Adds a change. Returns what was replaced, so that the caller releases it outside the lock.
    func add(
        _ changes: StateChanges,
        _ result: Result<AnyValue, any Error>?,
        _ stored: StoredChange?
    ) -> (Result<AnyValue, any Error>?, StoredChange?) {
        let replaced = (result == nil ? nil : self.result, stored == nil ? nil : self.stored)
        self.changes.formUnion(changes)
        if let result { self.result = result }
        if let stored { self.stored = self.stored?.followed(by: stored) ?? stored }
        return replaced
    }

    /// Returns the changes for the caller to publish, and the state that was published before.
    func take(publishing state: StateBox) -> (changes: StateChanges, result: Result<AnyValue, any Error>?, former: StateBox) {
        let wasFetching = isFetching
        isFetching = state.record.showsFetching
        // Handlers are notified of a start before an end, so remove the one that would contradict the state.
        if wasFetching { changes.remove(.fetchingStarted) }
        if isFetching { changes.remove(.fetchingEnded) }
        defer { (changes, result, published) = ([], nil, state) }
        return (changes, result, published)
    }
}

extension StoreContents {
    /// Holds back all changes until ``publishHeldBack()``.
    mutating func holdBack() {
        let rare = needRare()
        if let held = rare.held { held.count += 1 } else { rare.held = HeldBack(state) }
    }

    /// Publishes the held-back changes as one state.
    mutating func publishHeldBack() {
        guard let rare, let held = rare.held else { return }
        held.count -= 1
        // Another batch, around this one or on another thread, isn't over yet.
        guard held.count == 0 else { return }
        rare.held = nil
        let (changes, result) = takeHeldBack(held)
        guard !changes.isEmpty || held.stored != nil else { return add(.release(value: result)) }
        let delivery = Delivery(
            number: outbox.nextNumber(),
            StateEvent(changes: changes, state: state, result: result),
            handlerSettings: changes.isEmpty ? [] : takeHandlerSettings(),
            session: base.context.owner,
            waiters: WaiterList(),
            answer: nil,
            stored: held.stored.map { asOfNow($0) },
            allCacheSettings: rare.allCacheSettings
        )
        held.stored = nil
        if let first = outbox.post(delivery) { add(.deliver(first)) }
    }

    /// Updates a change for caches with the changes that the store has taken since.
    private func asOfNow(_ change: StoredChange) -> StoredChange {
        guard case .value(var stored) = change else { return change }
        if state.record.flags.contains(.invalidated) { stored.isInvalidated = true }
        stored.asOf = latest
        return .value(stored)
    }

    /// Handles the end of a session within a batch: caches are still notified of the values that were written in it, and handlers of the
    /// next session are not.
    mutating func endSessionOfHeldBack() {
        guard let rare, let held = rare.held else { return }
        let stored = held.stored
        held.changes.remove(.result)
        add(.release(value: (held.result, held.stored)))
        (held.result, held.stored) = (nil, nil)
        guard let stored, !rare.allCacheSettings.isEmpty else { return }
        let delivery = Delivery(
            number: outbox.nextNumber(),
            StateEvent(changes: [], state: state, result: nil),
            waiters: WaiterList(),
            answer: nil,
            stored: stored,
            allCacheSettings: rare.allCacheSettings
        )
        if let first = outbox.post(delivery) { add(.deliver(first)) }
    }

    /// Removes and returns the held-back changes. Increments the revision of the state if it is part of them.
    mutating func takeHeldBack(_ held: HeldBack) -> (StateChanges, Result<AnyValue, any Error>?) {
        if !held.changes.isDisjoint(with: [.state, .equalState]) {
            var record = state.record
            record.revision += 1
            release(state)
            state = state.with(record)
        }
        let (changes, result, former) = held.take(publishing: state)
        release(former)
        return (changes, result)
    }
}
