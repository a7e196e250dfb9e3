/// How a store and a cache come together: the cache is asked when a run begins, and hears of what came of it.
extension StoreCore {
    var hasResult: Bool { box.record.hasResult }

    /// What a value depends on that comes about now; see ``QueryRequest/cacheVariant(in:)``. Unknown where no values are kept.
    var variantNow: ValueVariant {
        guard let keeper = contents.withBasis({ basis, _ in basis.rare?.keepers.first }) else { return .unknown }
        return .known(keeper.request.cacheVariant(in: keeper.context))
    }

    /// What the value depends on that a run has brought: known if it is the same now as before the last attempt.
    func variant(of run: StoreRun) -> ValueVariant { run.variant == .unknown || run.variant != variantNow ? .unknown : run.variant }

    var valueNumber: UInt32 { contents.withBasis { basis, _ in basis.valueNumber } }

    /// Takes over what a cache had for a run that begins, unless the run was given up meanwhile.
    ///
    /// Answers whether the stored value is as good as a result of the run. If not, it shows, as old as it is, and the run goes on.
    func restore(_ stored: StoredValue, for run: StoreRun) -> Bool {
        let clock = run.storeContext.clock
        let (now, time) = (clock.now, QueryTimestamp(date: stored.date, clock: clock))
        var input = StoreInput(value: stored.value, byteCount: typing.byteCount(of: stored.value))
        input.date = stored.date
        input.isRestored = true
        input.variant = stored.variant
        // A stream goes on bringing values, and whoever asks for a run by name wants one.
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

    /// Takes over a value from an archive, if there is no result, the context is still the one by which it was found, and the store was not
    /// emptied meanwhile.
    ///
    /// - Parameter replacesOlder: Whether it may also take the place of a result whose value is older.
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

    /// Tells a cache of a change; called in the order of changes, with no lock held.
    func keep(_ change: StoredChange, _ keeper: RequestSettings) {
        guard let keep = keeper.context.settings.persistence?.keep else { return }
        var context = keeper.context
        // The cache is found by way of the client. What happened before a session ended is kept under that session's name.
        if context.owner?.isEnded == true { context.owner = RunScope.outside { host.context(for: keeper.request) }.owner }
        keep(change, keeper.request, context)
    }

    /// The settings that say how values are kept, in the present session.
    var keepers: [RequestSettings] {
        contents.withLock(\.keepers)
    }

    /// What an archive can hold of the store.
    var archivable: ArchivableValue? {
        // In one step, and after the changes that the client has entered: a session may end at any moment.
        change { contents, _ in
            guard let keeper = contents.keepers.first, let persistence = keeper.context.settings.persistence, let base = contents.baseValue,
                !contents.state.record.flags.contains(.partial)
            else { return nil }
            return ArchivableValue(
                value: contents.stored(base),
                persistence: persistence,
                request: keeper.request,
                context: keeper.context
            )
        }
    }
}

/// A value with all that is needed to encode it and to find it again.
struct ArchivableValue: Sendable {
    let value: StoredValue
    let persistence: QueryPersistence
    let request: any QueryRequest
    let context: QueryContext
}

extension StoreContents {
    /// What a change means for a cache, if it means anything.
    func storedChange(_ effects: RunMachine.Effects, _ input: StoreInput, _ before: QueryRecord) -> StoredChange? {
        if input.forgets { return .forgotten }
        let record = state.record
        if effects.value == .accept, !input.isRestored, !record.flags.contains(.partial), let baseValue {
            return .value(stored(baseValue))
        }
        // A cache hears of invalidations by pattern itself, because they concern requests without a store too.
        let isMarked = record.flags.contains(.invalidated) && !before.flags.contains(.invalidated)
        return isMarked && record.cause.pattern?.isLiteral == true ? .outdated : nil
    }

    /// The settings that say how values are kept, in the present session.
    fileprivate var keepers: [RequestSettings] { (rare?.keepers ?? []).filter { $0.context.owner === base.context.owner } }

    /// The base value as a cache or an archive gets it.
    ///
    /// Regions and tags reach only stores. What depends on them is never taken for fresh once its store is gone: a change may have been missed.
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
