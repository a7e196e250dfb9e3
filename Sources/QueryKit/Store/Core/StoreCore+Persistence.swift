/// How a store uses caches: it reads a cache when a run begins, and notifies the caches of changes.
extension StoreCore {
    var hasResult: Bool { box.record.hasResult }

    /// The variant of a value that is created now; see ``QueryRequest/cacheVariant(in:)``. Unknown if no values are kept.
    var variantNow: ValueVariant {
        guard let cacheSettings = contents.withBasis({ basis, _ in basis.rare?.allCacheSettings.first }) else { return .unknown }
        return .known(cacheSettings.request.cacheVariant(in: cacheSettings.context))
    }

    /// The variant of a run's value. It is known only if the current variant equals that from before the last attempt.
    func variant(of run: StoreRun) -> ValueVariant { run.variant == .unknown || run.variant != variantNow ? .unknown : run.variant }

    var valueNumber: UInt32 { contents.withBasis { basis, _ in basis.valueNumber } }

    /// Takes a value from a cache for a run that begins, unless the run was given up in between.
    ///
    /// Returns whether the stored value is the result of the run. If it isn't, the value is shown with its age, and the run continues.
    func restore(_ stored: StoredValue, for run: StoreRun) -> Bool {
        let clock = run.storeContext.clock
        let (now, time) = (clock.now, QueryTimestamp(date: stored.date, clock: clock))
        var input = StoreInput(value: stored.value, byteCount: typing.byteCount(of: stored.value))
        input.date = stored.date
        input.isRestored = true
        input.variant = stored.variant
        // A stream continues to bring values, and an explicit refetch must fetch, so a stored value ends neither.
        let mayEnd =
            !stored.isInvalidated && !(run.request.unwrapped is any StreamRequest)
            && (run.start.origin == .caller || run.start.cause != .manual)
        let ttl = ttl(of: stored.value, by: run.settings.context)
        let ends = change(input) { contents, input -> Bool? in
            guard contents.machine.run?.number == run.start.number, !contents.state.record.hasResult else { return nil }
            var record = contents.state.record
            record.flags.insert(.succeeded)
            record.valueTime = time
            let isFresh = mayEnd && !record.isStale(at: now, ttl: ttl)
            if isFresh, !contents.waiters.contains(where: { !$0.takesFresh }) { return true }
            contents.seed(stored, input, at: time)
            return false
        }
        guard let ends else { return false }
        report(.valueRestored, run.start.cause, run: number(of: run.start))
        if ends { run.notes.withLock { $0.origin = ValueOrigin(date: stored.date, isRestored: true) } }
        return ends
    }

    /// Takes a value from an archive, if there is no result, the session is still that of the context, and the value hasn't changed.
    ///
    /// - Parameter replacesOlder: Whether the archived value may also replace a result whose value is older.
    func seed(_ stored: StoredValue, in context: QueryContext, over number: UInt32, replacesOlder: Bool = false) -> Bool {
        let (time, date) = (QueryTimestamp(date: stored.date, clock: context.clock), context.clock.date)
        let comparison = replacesOlder ? compare(stored.value) : nil
        var input = StoreInput(value: stored.value, byteCount: typing.byteCount(of: stored.value), comparison)
        input.isRestored = true
        input.variant = stored.variant
        let isSeeded = change(input) { contents, input in
            let record = contents.state.record
            guard contents.base.context.owner === context.owner, contents.valueNumber == number else { return false }
            if !record.hasResult {
                contents.seed(stored, input, at: time)
                return true
            }
            guard replacesOlder, record.isReplaced(by: time, isInvalidated: stored.isInvalidated, by: date) else { return false }
            contents.seed(stored, input, at: time)
            return true
        }
        if isSeeded { report(.valueRestored, .restored) }
        return isSeeded
    }

    /// Notifies a cache of a change. Called in the order of changes, with no lock held.
    func keep(_ change: StoredChange, _ cacheSettings: RequestSettings) {
        guard let keep = cacheSettings.context.settings.persistence?.keep else { return }
        var context = cacheSettings.context
        // The cache is looked up through the client. Changes from before the end of a session are kept under that session's name.
        if context.owner?.isEnded == true { context.owner = RunScope.outside { host.context(for: cacheSettings.request) }.owner }
        do {
            try keep(change, cacheSettings.request, context)
        } catch {
            report(.storageFailed, .manual, error)
        }
    }

    /// The settings that determine how values are kept, in the current session.
    var allCacheSettings: [RequestSettings] {
        contents.withLock(\.allCacheSettings)
    }

    /// The value of the store for an archive.
    var archivable: ArchivableValue? {
        // Everything is read in one step, after the changes that the client has entered are applied, because a session may end at any
        // moment.
        change { contents, _ in
            guard let cacheSettings = contents.allCacheSettings.first, let persistence = cacheSettings.context.settings.persistence,
                let base = contents.baseValue, !contents.state.record.flags.contains(.partial)
            else { return nil }
            return ArchivableValue(
                value: contents.stored(base),
                persistence: persistence,
                request: cacheSettings.request,
                context: cacheSettings.context
            )
        }
    }
}

/// A value with everything that is needed to encode it and to find it again.
struct ArchivableValue: Sendable {
    let value: StoredValue
    let persistence: QueryPersistence
    let request: any QueryRequest
    let context: QueryContext
}

extension StoreContents {
    /// The effect of a change on caches, if there is one.
    func storedChange(_ effects: RunMachine.Effects, _ input: StoreInput, _ before: QueryRecord) -> StoredChange? {
        if input.forgets { return .forgotten }
        let record = state.record
        if effects.value == .accept, !input.isRestored, !record.flags.contains(.partial), let baseValue {
            return .value(stored(baseValue))
        }
        // Caches are notified of invalidations by pattern directly, because these concern requests without a store too.
        let isMarked = record.flags.contains(.invalidated) && !before.flags.contains(.invalidated)
        return isMarked && record.cause.pattern?.isLiteral == true ? .outdated : nil
    }

    /// The settings that determine how values are kept, in the current session.
    fileprivate var allCacheSettings: [RequestSettings] {
        (rare?.allCacheSettings ?? []).filter { $0.context.owner === base.context.owner }
    }

    /// The base value in the form for caches and archives.
    ///
    /// Changes of regions and tags reach only stores. A value that depends on them isn't fresh after its store was released, because a
    /// change may have been missed.
    fileprivate func stored(_ value: AnyValue) -> StoredValue {
        let record = state.record
        let dependsOnMore = rare?.isTagged == true || !host.reads(ticket).isEmpty
        return StoredValue(
            value: value,
            date: record.valueTime.date,
            isInvalidated: record.flags.contains(.invalidated) || dependsOnMore,
            asOf: asOf,
            variant: rare?.variant ?? .unknown
        )
    }

    fileprivate mutating func seed(_ stored: StoredValue, _ input: StoreInput, at time: QueryTimestamp) {
        process(input) { machine, record in
            let effects = record.hasResult ? machine.replace(at: time, &record) : machine.seed(at: time, &record)
            if stored.isInvalidated { record.flags.insert(.invalidated) }
            return effects
        }
    }
}
