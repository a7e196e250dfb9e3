/// Budgets: entries that aren't in use are released when there are too many, the least recently used one first (R15).
extension Ledger {
    /// A number of entries, and of the bytes of their values.
    struct Extent: Sendable {
        var entries = 0
        var bytes = 0

        func exceeds(_ other: Extent) -> Bool { entries > other.entries || bytes > other.bytes }
    }

    // MARK: Claims

    /// Notes a use of an entry, or its end. An entry counts from its first use on.
    mutating func updateClaim(_ entry: Entry) {
        guard isListed(entry) else { return }
        // Only the retention of requests counts: if that of the client is infinite, the budgets still hold.
        let isKept = self[entry].retention == .infinity
        setClaim(entry, isKept ? .none : self[entry].isInUse ? .inUse : .unused)
    }

    mutating func setClaim(_ entry: Entry, _ claim: Entry.Claim) {
        let (slot, former) = (self[entry].slot, self[entry].claim)
        self[entry].claim = claim
        if former == .unused { self[tables].noteUse(slot) }
        if claim == .unused { self[tables].noteUnused(slot) }
        if (former == .none) == (claim == .none) { return }
        let sign = claim == .none ? -1 : 1
        self[tables].claimed.entries += sign
        self[tables].claimed.bytes += sign * self[entry].byteCount
    }

    /// Shows another value, and counts its size.
    mutating func setValue(_ entry: Entry, _ value: AnyValue?) {
        let growth = (value?.byteCount ?? 0) - self[entry].byteCount
        trash.add(self[entry].value)
        self[entry].value = value
        if growth == 0 || !isListed(entry) { return }
        self[tables].byteCount += growth
        if self[entry].claim != .none { self[tables].claimed.bytes += growth }
    }

    // MARK: Releasing

    /// Releases entries, a part in each step. An effect continues if there are more.
    mutating func trim() {
        guard isOverBudget else {
            goal = nil
            return
        }
        var left = limits.part
        while left > 0, isOverBudget, let entry = leastUsed {
            left -= 1
            if entry.takeRead() { setClaim(entry, .unused) } else { unlist(entry) }
        }
        if leastUsed == nil || !isOverBudget {
            goal = nil
        } else if !isTrimming {
            isTrimming = true
            beginWork()
            effects.append(.trim)
        }
    }

    /// The end of each step releases a part. Returns whether more is left.
    mutating func trimNext() -> Bool {
        isTrimming = isOverBudget && leastUsed != nil
        if !isTrimming { endWork() }
        return isTrimming
    }

    private var isOverBudget: Bool {
        let claimed = self[tables].claimed
        return claimed.entries > limits.entries || claimed.bytes > limits.bytes || goal.map { claimed.exceeds($0) } ?? false
    }

    private var leastUsed: Entry? {
        let slot = self[tables].unused.oldest
        return slot == StoreLinks.none ? nil : entry(at: slot)
    }

    /// Releases half of what may be released, or all of it if memory is critical.
    mutating func releaseMemory(_ pressure: MemoryPressure) {
        let claimed = self[tables].claimed
        goal = pressure == .warning ? Extent(entries: claimed.entries / 2, bytes: claimed.bytes / 2) : Extent()
    }

    /// Releases entries that aren't in use and whose values are stale.
    mutating func releaseStale(_ entries: [Entry]) {
        for entry in entries where !self[entry].isInUse {
            let settings = self[entry].caller ?? self[entry].known
            if !isFresh(entry, settings?.ttl ?? .zero) { unlist(entry) }
        }
    }

    /// Lets go of what a former entry has kept: deadlines and handles may hold it for longer. Answers about its value don't count any more.
    mutating func forget(_ entry: Entry) {
        unpublish(entry)
        dropUpdates(entry)
        setBase(entry, nil)
        self[entry].shownInputs = self[entry].inputs
        trash.add(self[entry].value)
        trash.add(self[entry].result.take())
        trash.add(self[entry].lastPublished)
        trash.add(self[entry].joint)
        trash.add(self[entry].caller)
        trash.add(self[entry].known)
        (self[entry].value, self[entry].lastPublished, self[entry].joint) = (nil, nil, [])
        (self[entry].caller, self[entry].known) = (nil, nil)
    }
}

extension Entry {
    /// How an entry counts toward the budgets of its tables.
    enum Claim {
        /// It was never used, or is kept for ever.
        case none
        case inUse
        /// It may be released.
        case unused
    }

    /// The state that was published; `nil` if it has to be made. Counts as a use.
    func look() -> StateBox? {
        published.withLock { leaf in
            leaf.wasRead = true
            return leaf.state
        }
    }

    /// Whether it was read since the last time this was asked.
    fileprivate func takeRead() -> Bool {
        published.withLock { leaf in
            defer { leaf.wasRead = false }
            return leaf.wasRead
        }
    }
}

extension Tables.Content {
    fileprivate mutating func noteUse(_ slot: UInt32) { unused.remove(slot, &links) }

    fileprivate mutating func noteUnused(_ slot: UInt32) { unused.append(slot, &links) }
}

extension Entry.Content {
    var byteCount: Int { value?.byteCount ?? 0 }
}
