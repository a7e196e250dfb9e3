/// What observers see, and in which order.
extension Ledger {
    /// The state as it is now. A leaf keeps it, so that readers don't need the ledger.
    func state(_ entry: Entry) -> StateBox {
        if let state = entry.published.withLock({ $0.state }) { return state }
        let state = makeState(entry)
        entry.published.withLock { $0.state = state }
        return state
    }

    private func makeState(_ entry: Entry) -> StateBox {
        StateBox(record: makeRecord(entry), current: self[entry].value, byteCount: self[entry].byteCount)
    }

    private func makeRecord(_ entry: Entry) -> QueryRecord {
        var record = self[entry].shownRecord ?? self[entry].record
        var flags = record.flags.subtracting(.running).subtracting([.invalidated, .live, .optimistic])
        if self[entry].isInvalidated { flags.insert(.invalidated) }
        if let run = self[entry].run { flags.formUnion(self[run].flags(run.aim)) }
        for run in self[entry].privateRuns { flags.formUnion(self[run].flags(.everything)) }
        if !self[entry].calls.isEmpty { flags.formUnion(self.flags(ofCalls: self[entry].calls)) }
        if flags.contains(.fetching) { flags.remove(.paused) }
        if self[entry].isOptimistic { flags.insert(.optimistic) }
        record.flags = flags
        record.publishCount = self[entry].revision
        return record
    }

    /// The published state doesn't count any more; the next reader makes another one.
    mutating func unpublish(_ entry: Entry) {
        trash.add(
            entry.published.withLock { leaf in
                defer { leaf.state = nil }
                return leaf.state
            }
        )
    }

    /// Shows the entry as it is now, if that differs from what was shown last.
    mutating func publish(_ entry: Entry, _ result: Result<AnyValue, any Error>? = nil) {
        if let result { self[entry].result = result }
        // The change is shown with those of other entries.
        if self[entry].joint.isEmpty { publishNow(entry) } else { unpublish(entry) }
    }

    mutating func publishNow(_ entry: Entry) {
        if heldBack != nil {
            heldBack?.append(entry)
            return unpublish(entry)
        }
        let result = self[entry].result.take()
        unpublish(entry)
        trash.add(self[entry].lastPublished)
        // Without observers a state is made when it is read.
        guard !self[entry].observers.isEmpty else {
            self[entry].revision &+= 1
            self[entry].lastPublished = nil
            return
        }
        let before = self[entry].lastPublished
        var record = makeRecord(entry)
        var changes: StateChanges = result == nil ? [] : .result
        if !looks(entry, record, like: before) {
            changes.insert(.state)
        } else if case .success? = result, before?.current != nil, notifiesEqual(entry) {
            changes.insert(.equalState)
        }
        if record.showsFetching != before?.record.showsFetching ?? false {
            changes.insert(record.showsFetching ? .fetchingStarted : .fetchingEnded)
        }
        if !changes.isDisjoint(with: [.state, .equalState]) {
            self[entry].revision &+= 1
            record.publishCount = self[entry].revision
        }
        let state = StateBox(record: record, current: self[entry].value, byteCount: self[entry].byteCount)
        self[entry].lastPublished = state
        entry.published.withLock { $0.state = state }
        if !changes.isEmpty { deliver(entry, Publication(state: state, changes: changes, result: result)) }
    }

    private func looks(_ entry: Entry, _ record: QueryRecord, like before: StateBox?) -> Bool {
        guard let before else { return false }
        let isSame =
            if let value = self[entry].value, let former = before.current { value.isIdentical(to: former) } else {
                self[entry].value == nil && before.current == nil
            }
        return isSame && record.looksLike(before.record)
    }

    private func notifiesEqual(_ entry: Entry) -> Bool { self[entry].observers.contains { self[$0].settings.notifiesEqual } }

    // MARK: Publication

    private mutating func deliver(_ entry: Entry, _ publication: Publication) {
        if !self[entry].isInMainTurn, self[entry].observers.contains(where: \.isOnMainActor) {
            self[entry].isInMainTurn = true
            mainTurn.append(entry)
            if mainTurn.count == 1 {
                beginWork()
                effects.append(.deliverOnMain)
            }
        }
        self[entry].deliveries.append(publication)
        if self[entry].isDelivering { return }
        self[entry].isDelivering = true
        beginWork()
        effects.append(.deliver(entry))
    }

    /// R4: the next state for the observers of an entry. One thread delivers at a time.
    mutating func nextDelivery(_ entry: Entry) -> (Publication, [Observer])? {
        guard !self[entry].deliveries.isEmpty else {
            self[entry].isDelivering = false
            review(entry)
            endWork()
            return nil
        }
        let publication = self[entry].deliveries.removeFirst()
        var ready: [Observer] = []
        for observer in self[entry].observers where !observer.isOnMainActor {
            if self[observer].older > 0 {
                self[observer].older -= 1
            } else if self[observer].isReady {
                ready.append(observer)
            } else {
                self[observer].missed.append(publication)
            }
        }
        return (publication, ready)
    }

    /// The handlers have received a publication: now its callers continue.
    mutating func delivered(_ publication: Publication) {
        for caller in publication.callers {
            guard case .delivery(let result) = self[caller].place else { continue }
            self[caller].place = .answered
            effects.append(.resume(caller, self[caller].continuation, result))
        }
    }

    /// All states that a turn of the main actor shows, as of one moment.
    mutating func takeMainTurn() -> [(Publication, [Observer])] {
        let entries = mainTurn
        mainTurn = []
        trash.add(entries)
        return entries.map { entry in
            self[entry].isInMainTurn = false
            return (Publication(state: state(entry), changes: .state), self[entry].observers.filter(\.isOnMainActor))
        }
    }
}

extension Run.Progress {
    /// How a run shows.
    fileprivate func flags(_ aim: RunAim) -> QueryRecord.Flags {
        switch phase {
        case .working, .failing, .held, .queued:
            switch aim {
            case .next: [.fetching, .nextPage]
            case .previous: [.fetching, .previousPage]
            case .everything, .page: .fetching
            }
        case .backingOff: .fetching
        case .paused: .paused
        case .live: .live
        }
    }
}
