/// Fetches by runs of other clients. No ledger reaches the contents of another one, so what their callers take over is handed to them when
/// they are answered.
extension Ledger {
    /// What a caller takes over into another client.
    struct HandedOver: Sendable {
        let entry: Entry
        let regions: [QueryRegion]
        /// `nil` if they were read earlier.
        let moments: ReadMoments?
        /// The latest change that the value includes.
        let asOf: ChangeNumber
    }

    /// The end of a run for one of its callers.
    mutating func handOver(_ run: Run, to caller: Caller) {
        if let reader = caller.reader { takeOver(run, reader) }
        guard caller.elsewhere != nil else { return }
        let (known, moments) = run.notes.withLock { ($0.known, $0.moments) }
        self[caller].handedOver = HandedOver(entry: run.entry, regions: known.regions, moments: moments, asOf: self[run].asOf)
    }

    /// A fresh value for a caller.
    mutating func handOver(_ entry: Entry, to caller: Caller) {
        if let reader = caller.reader { takeOver(entry, reader) }
        guard caller.elsewhere != nil else { return }
        self[caller].handedOver = HandedOver(entry: entry, regions: reads(of: entry).regions, moments: nil, asOf: self[entry].asOf)
    }

    func hasChanged(_ given: HandedOver) -> Bool { self[given.entry].marked > given.asOf }

    // MARK: Waiting for other clients

    /// A run begins to wait for an entry of another client. While it waits, it isn't work of this one.
    mutating func beginWait(of reader: Run, for entry: Entry, in holder: any LedgerHolder) {
        guard isCurrent(reader) else { return }
        self[reader].elsewhere.append((holder, entry))
        countWait(of: reader)
    }

    /// It has been answered, and takes over what it depends on from now on.
    mutating func endWait(of reader: Scope, for entry: Entry, _ given: HandedOver?) {
        if let given {
            if let moments = given.moments { takeOver(moments, reader) } else { takeOverEarlier(given.regions, reader) }
            note(given.regions, reader)
        }
        guard let run = reader.run, isCurrent(run) else { return }
        guard let index = self[run].elsewhere.firstIndex(where: { $0.entry === entry }) else { return }
        trash.add(self[run].elsewhere.remove(at: index).holder)
        uncountWait(of: run)
    }

    /// What the runs of an entry wait for, in this client and in others.
    func awaited(by entry: Entry, _ holder: any LedgerHolder) -> [(holder: any LedgerHolder, entry: Entry)] {
        var found: [(holder: any LedgerHolder, entry: Entry)] = []
        for run in [self[entry].run].compactMap(\.self) + self[entry].privateRuns {
            found += self[run].awaited.map { (holder, $0) } + self[run].elsewhere
        }
        for call in self[entry].calls { found += self[call].awaited.map { (holder, $0) } }
        return found
    }

    /// Whether runs that wait for other clients are among those that an entry waits for.
    func waitsElsewhere(_ entry: Entry) -> Bool {
        var open = [entry]
        var seen: Set<Entry> = [entry]
        while let entry = open.popLast() {
            for run in [self[entry].run].compactMap(\.self) + self[entry].privateRuns {
                if !self[run].elsewhere.isEmpty { return true }
                for awaited in self[run].awaited where seen.insert(awaited).inserted { open.append(awaited) }
            }
        }
        return false
    }
}
