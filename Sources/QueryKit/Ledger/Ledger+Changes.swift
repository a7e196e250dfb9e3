/// Changes: each gets a number, and concerns all of its entries from the step on in which it is entered (R29).
extension Ledger {
    // MARK: Invalidating

    /// What an invalidation concerns.
    enum Subject: Sendable {
        case pattern(QueryPattern)
        case tags(Set<QueryTag>)
        case entries([Entry])
    }

    /// - Parameter list: Gets the runs that follow.
    mutating func invalidate(_ subject: Subject, _ cause: QueryCause, refetch: QueryRefetch = .active, _ list: Refetches? = nil) {
        refetches = list
        mark(entries(of: subject), cause, refetch)
        refetches = nil
    }

    func entries(of subject: Subject) -> [Entry] {
        switch subject {
        case .pattern(let pattern): matches(pattern)
        case .tags(let tags):
            tags.reduce(into: Set<UInt32>()) { $0.formUnion(self[tables].tags.slots(overlapping: $1.region)) }.compactMap { entry(at: $0) }
        case .entries(let entries): entries.filter { isListed($0) }
        }
    }

    /// R18: a source has changed some regions.
    ///
    /// - Parameters:
    ///   - writer: The run that has made the change. It isn't repeated for its own changes.
    ///   - call: The call that has made the change.
    mutating func changed(_ regions: [QueryRegion], _ cause: QueryCause, by writer: Run? = nil, of call: CallEntry? = nil) {
        follow(enter(changed: regions, cause, by: writer, of: call).entries, cause, .active)
    }

    /// A change that is entered, and whose runs and states are due.
    struct Entered: Sendable {
        let entries: [Entry]
        let change: ChangeNumber
        let cause: QueryCause
    }

    /// The first half of a change: each entry and each run under way counts it from this step on. It has no effects. Its runs and states
    /// are due until it is followed.
    mutating func enter(
        changed regions: [QueryRegion],
        _ cause: QueryCause,
        by writer: Run? = nil,
        of call: CallEntry? = nil
    ) -> Entered {
        let found = regions.reduce(into: Set<UInt32>()) { $0.formUnion(self[tables].reads.slots(overlapping: $1)) }
        let callers = writer.map { waiting(for: $0.entry) } ?? []
        var concerned: [Entry] = []
        change = change.next
        if let call { report(regions, of: call) }
        for slot in found {
            guard let entry = entry(at: slot) else { continue }
            let isSpared = callers.contains(entry) && self[entry].run.map { !hasRead($0, regions) } == true
            note(change, entry, cause, .active, regions, sparing: isSpared ? self[entry].run : writer)
            concerned.append(entry)
        }
        return Entered(entries: concerned, change: change, cause: cause)
    }

    private func hasRead(_ run: Run, _ regions: [QueryRegion]) -> Bool {
        run.notes.withLock { notes in regions.contains { notes.known.overlaps($0) } }
    }

    /// The second half of a change.
    mutating func followLater(_ entered: Entered) {
        follow(entered.entries.filter { isDue($0, entered.change) }, entered.cause, .active)
        trash.add(entered.entries)
    }

    /// Whether an entry has not been fetched, emptied or forgotten since a change, and no run that has seen the change is under way.
    private func isDue(_ entry: Entry, _ change: ChangeNumber) -> Bool {
        guard isListed(entry), self[entry].asOf < change else { return false }
        return self[entry].run.map { self[$0].asOf < change } ?? true
    }

    /// The entries whose runs wait for an entry, directly or through others.
    private func waiting(for wanted: Entry) -> Set<Entry> {
        var found: Set<Entry> = []
        var open: [Entry] = [wanted]
        while let inner = open.popLast() {
            for run in [self[inner].run].compactMap(\.self) + self[inner].privateRuns {
                for caller in self[run].callers + self[run].nextCallers {
                    guard let reader = caller.reader?.run, !reader.isPrivate, isCurrent(reader) else { continue }
                    if found.insert(reader.entry).inserted { open.append(reader.entry) }
                }
            }
        }
        return found
    }

    /// One change: every entry and every run under way counts it from this step on. Runs and states follow, in parts if there are many.
    mutating func mark(_ entries: [Entry], _ cause: QueryCause, _ refetch: QueryRefetch) {
        change = change.next
        for entry in entries { note(change, entry, cause, refetch) }
        follow(entries, cause, refetch)
    }

    /// - Parameter spared: A run that has made the change, or that has read nothing of what has changed. What it has shown so far is older.
    mutating func note(
        _ change: ChangeNumber,
        _ entry: Entry,
        _ cause: QueryCause,
        _ refetch: QueryRefetch,
        _ regions: [QueryRegion]? = nil,
        sparing spared: Run? = nil
    ) {
        self[entry].marked = change
        if let regions { self[entry].changes?.add(regions) } else { self[entry].changes? = .anything }
        unpublish(entry)
        for run in (self[entry].run.map { [$0] } ?? []) + self[entry].privateRuns {
            // A run that was paused before its first attempt reads as of the moment at which it continues.
            if !self[run].phase.hasBegun { continue }
            if run === spared, self[run].phase != .live {
                if !self[run].isOutdated { self[run].asOf = change }
            } else {
                self[run].isOutdated = true
            }
        }
        // The run may end before the change is followed: then the next one begins in the same step (R17).
        guard let run = self[entry].run, self[run].isOutdated, wants(entry, refetch) else { return }
        self[run].trailing = self[run].trailing ?? cause
    }

    private func wants(_ entry: Entry, _ refetch: QueryRefetch) -> Bool {
        let isActive = self[entry].isObserved || self[entry].run.map { !self[$0].callers.isEmpty } == true
        return switch refetch {
        case .none: false
        case .active: isActive
        case .inactive: !isActive
        case .all: true
        }
    }

    mutating func follow(_ entries: [Entry], _ cause: QueryCause, _ refetch: QueryRefetch) {
        if entries.count <= limits.part, followers.isEmpty {
            for entry in entries { follow(entry, cause, refetch) }
        } else if !entries.isEmpty {
            beginPart(of: refetches)
            followLater(Following(entries, cause, refetch, refetches))
        }
    }

    mutating func followLater(_ following: Following) {
        if followers.isEmpty {
            beginWork()
            effects.append(.follow)
        }
        followers.append(following)
    }

    /// Continues a large change. Returns whether more is left.
    mutating func followNext() -> Bool {
        var left = limits.part
        while left > 0, let first = followers.first {
            let part = first.entries[followed...].prefix(left)
            followed += part.count
            left -= part.count
            refetches = first.refetches
            for entry in part where isListed(entry) {
                if let number = first.trigger {
                    followTrigger(entry, first.cause, after: number)
                } else if self[entry].isInvalidated {
                    follow(entry, first.cause, first.refetch)
                }
            }
            refetches = nil
            if followed == first.entries.count {
                endPart(of: first.refetches)
                trash.add(followers.removeFirst())
                followed = 0
            }
        }
        guard followers.isEmpty else { return true }
        if let openRound { close(openRound) }
        endWork()
        return false
    }

    private mutating func follow(_ entry: Entry, _ cause: QueryCause, _ refetch: QueryRefetch) {
        self[entry].record.cause = cause
        if refetches != nil, wants(entry, refetch) { watch(entry) }
        if let run = self[entry].run {
            if self[run].isOutdated, isLive(entry), wants(entry, refetch) { return restart(entry, cause) }
        } else if wants(entry, refetch) {
            want(entry, cause)
        }
        publish(entry)
    }

    // MARK: Resetting

    /// Empties entries. Layers of calls stay (R34).
    mutating func reset(_ entries: [Entry], _ cause: QueryCause = .reset) {
        change = change.next
        for entry in entries { empty(entry, cause, keepsLayers: true) }
    }

    /// Forgets entries. Those in use are reset instead (R16).
    mutating func remove(_ entries: [Entry], _ cause: QueryCause = .reset) {
        change = change.next
        for entry in entries {
            empty(entry, cause, keepsLayers: true)
            if !self[entry].isInUse { unlist(entry) }
        }
    }

    /// Makes an entry as new. Its observers see it empty, and then loading.
    private mutating func empty(_ entry: Entry, _ cause: QueryCause, keepsLayers: Bool) {
        var callers: [Caller] = []
        if let run = self[entry].run {
            callers = self[run].callers + self[run].nextCallers
            stop(run, restores: false)
        }
        self[entry].lastShown = self[entry].lastRun
        dropUpdates(entry)
        if !keepsLayers {
            trash.add(self[entry].layers)
            self[entry].layers = []
        }
        trash.add(self[entry].joint)
        self[entry].joint = []
        setBase(entry, nil)
        // Answers about former values don't count any more.
        self[entry].shownInputs = self[entry].inputs
        setValue(entry, nil)
        self[entry].isOptimistic = false
        let calls = keepsLayers ? pendingNotes(entry) : nil
        self[entry].record = QueryRecord()
        self[entry].record.cause = cause
        self[entry].record.notes = calls
        self[entry].shownRecord = nil
        (self[entry].asOf, self[entry].marked) = (change, .none)
        if isListed(entry) { self[tables].reads.remove(slot: self[entry].slot) }
        publish(entry)
        if !self[entry].layers.isEmpty { derive([entry]) }
        // Runs that wait for a value wait for another run, because their own entries were not emptied.
        let readers = callers.filter { caller in caller.reader?.run.map { keepsLayers && isCurrent($0) } ?? false }
        for caller in callers where !readers.contains(where: { $0 === caller }) {
            answer(caller, .failure(CancellationError()), after: entry)
        }
        if let first = readers.first {
            begin(entry, first.settings, Run.Start(cause: cause, aim: first.aim, isByLibrary: false), readers)
        } else if self[entry].isObserved {
            want(entry, cause)
        } else {
            foldIfUnfetched(entry)
        }
        updateUse(entry)
    }

    // MARK: Sessions

    /// Ends everything in one step: the tables are exchanged, and only what is in use is touched.
    ///
    /// Durable calls stay in the journal for their session (R24).
    mutating func clear(_ cause: QueryCause) {
        change = change.next
        for call in calls.values.sorted(by: { $0.number < $1.number }) { endWithSession(call) }
        trash.add(kept.values)
        (calls, scopes, kept, extendsLeases) = ([:], [:], [:], false)
        trash.add(tables)
        tables = Tables()
        epoch &+= 1
        dissolveRounds()
        for former in followers { endPart(of: former.refetches) }
        trash.add(followers)
        // The effect that continues a large change ends its work.
        (followers, followed) = ([], 0)
        for entry in live {
            for run in self[entry].privateRuns {
                let callers = self[run].callers
                self[run].callers = []
                stop(run)
                publish(entry)
                for caller in callers { answer(caller, .failure(CancellationError()), after: nil) }
            }
            if self[entry].observers.isEmpty {
                cancel(entry)
            } else {
                list(entry)
                updateClaim(entry)
                for observer in self[entry].observers {
                    for tag in self[observer].settings.tags { self[tables].tags.enter(tag.region, slot: self[entry].slot, run: 0) }
                }
                forgetSession(entry)
                empty(entry, cause, keepsLayers: false)
            }
        }
        endDeadlines()
        exchangeSettings()
    }
}
