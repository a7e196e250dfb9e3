/// How a store describes itself to an inspector.
extension StoreCore {
    /// A value that changes whenever the row below would change, except for what depends on the time or on conditions and closures of the
    /// app. Calls no foreign code.
    var fingerprint: Int {
        contents.inspect { basis in
            var hasher = Hasher()
            hasher.combine(basis)
            hasher.combine(basis.loneRun == nil ? 0 : 1)
            return hasher.finalize()
        } contents: { contents in
            var hasher = Hasher()
            hasher.combine(contents.basis.pointee)
            hasher.combine(contents.machine.lastNumber)
            hasher.combine(contents.machine.subscribers)
            hasher.combine(contents.waitingCount)
            hasher.combine(contents.outbox.latestObserver.map(ObjectIdentifier.init))
            return hasher.finalize()
        }
    }

    /// Describes the store for a list. Calls foreign code, so no lock may be held.
    func row(showsValues: Bool) -> StoreRow {
        let real = box
        let (record, settings) = (real.shown.record, settings)
        let freshness = freshness(by: settings.context)
        let (subscribers, waiters, runs) = contents.inspect { basis in
            (0, basis.loneRun?.loneWaiter == nil ? 0 : 1, basis.lastRun + (basis.loneRun == nil ? 0 : 1))
        } contents: { contents in
            (contents.machine.subscribers, contents.waitingCount, contents.machine.lastNumber)
        }
        let path = path
        return StoreRow(
            id: ticket.id,
            elements: path.elements.map { $0.text(showsValues: showsValues) },
            path: path.text(showsValues: showsValues),
            type: TypeName(type(of: request.unwrapped)).element.description,
            isMutation: !typing.runsByItself,
            status: StoreRow.Status(record),
            flags: flags(real, isStale: real.record.isStale(at: freshness.now, ttl: freshness.ttl), settings),
            subscribers: Int(subscribers),
            waiters: Int(waiters),
            updatedAt: record.valueTime.happened ? record.valueTime.instant : nil,
            ttl: freshness.ttl == .infinity ? nil : .nanoseconds(freshness.ttl.count),
            runs: Int(runs),
            failures: Int(real.record.errorCount),
            byteCount: real.byteCount,
            cause: record.cause.text(showsValues: showsValues),
            origin: record.cause.origin?.number,
            error: record.error.map { ShortText.kind(of: $0) }
        )
    }

    private func flags(_ real: StateBox, isStale: Bool, _ settings: RequestSettings) -> [StoreRow.Flag] {
        let record = real.shown.record
        return StoreRow.Flag.allCases.filter { flag in
            switch flag {
            case .fetching: record.flags.contains(.fetching)
            case .paused: record.flags.contains(.paused)
            case .stale: typing.runsByItself && real.record.hasResult && isStale
            case .invalidated: record.flags.contains(.invalidated)
            case .placeholder: shown(real, to: settings).record.flags.contains(.placeholder)
            case .optimistic: record.flags.contains(.optimistic)
            case .simulated: !real.record.flags.isDisjoint(with: .simulated)
            case .disabled: isDisabled
            }
        }
    }

    /// Whether the conditions of the app don't let the library start runs. An inline request whose closure was released isn't disabled: it
    /// runs when an observer or a caller has the closure again.
    private var isDisabled: Bool {
        typing.runsByItself && contents.withLock { $0.conditionalContexts }?.allSatisfy(\.isDisabled) == true
    }

    /// What an invalidation would do to the store now; `nil` for the store of a mutation, which isn't invalidated. Changes nothing.
    var effectOfInvalidation: Affected.Effect? {
        guard typing.runsByItself else { return nil }
        let (isEnabled, isDisabled) = RunScope.outside { (self.isEnabled, self.isDisabled) }
        return contents.withLock { contents -> Affected.Effect in
            // The machine is a value, so a copy of it can process the event.
            var machine = contents.machine
            var record = contents.state.record
            let isWanted = machine.isObserved || machine.run.map { $0.waiters > 0 } == true
            let effects = machine.invalidate(.manual, refetch: .active, isEnabled: isEnabled, &record)
            if isDisabled { return .disabled }
            if !isWanted { return .unobserved }
            if !isEnabled { return .withoutClosure }
            if effects.starts != nil { return .runs }
            if effects.hasNext { return .restarts }
            return machine.trailing == nil ? .waitsForNetwork : .runsAgain
        }
    }

    /// The effect of an invalidation, with the store's id and path; `nil` for the store of a mutation.
    func affected(showsValues: Bool) -> Affected? {
        effectOfInvalidation.map { Affected(id: ticket.id, path: path.text(showsValues: showsValues), effect: $0) }
    }
}

extension StoreContents {
    /// How many callers wait for a run.
    fileprivate var waitingCount: Int32 { machine.run.map { $0.waiters + $0.nextWaiters } ?? 0 }
}

extension Hasher {
    /// Combines what a row shows of a store that does nothing.
    fileprivate mutating func combine(_ basis: borrowing StoreBasis) {
        let state = basis.state
        combine(ObjectIdentifier(state))
        combine(state.record.publishCount)
        combine(state.record.valueCount)
        combine(state.record.flags.rawValue)
        combine(state.record.valueTime.instant)
        combine(ObjectIdentifier(basis.base))
        combine(basis.caller.map(ObjectIdentifier.init))
        combine(basis.lastRun)
    }
}

extension StoreRow.Status {
    init(_ record: QueryRecord) {
        if record.flags.contains(.succeeded) {
            self = .success
        } else if record.error != nil {
            self = .failure
        } else {
            self = record.flags.contains(.fetching) ? .loading : .idle
        }
    }
}
