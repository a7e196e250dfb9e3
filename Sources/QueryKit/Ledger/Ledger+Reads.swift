/// What runs read, and what they take over from each other (R18).
extension Ledger {
    // MARK: Noting

    /// Notes that a scope reads regions. From this step on, a change of them concerns its run.
    ///
    /// - Parameter statement: The statement that reads them, if the source describes it.
    mutating func note(_ regions: [QueryRegion], by statement: (any ReadStatement)? = nil, _ scope: Scope) {
        var part = scope
        while let outer = part.outer {
            part.notes.withLock { notes in for region in regions { notes.known.insert(region) } }
            part = outer
        }
        if let run = scope.run { return note(regions, by: statement, run) }
        // Nothing depends on what a call reads.
        if scope.call == nil { part.notes.withLock { notes in for region in regions { notes.known.insert(region) } } }
    }

    private mutating func note(_ regions: [QueryRegion], by statement: (any ReadStatement)?, _ run: Run) {
        guard isCurrent(run) else { return }
        // Many parts of a table become the whole table.
        let new = run.notes.withLock { notes in regions.compactMap { notes.known.insert($0) } }
        guard isListed(run.entry) else { return }
        let (slot, number) = (self[run.entry].slot, self[run].number)
        for region in new { self[tables].reads.enter(region, slot: slot, run: number) }
        if let statement { self[tables].reads.enter(statement, slot: slot, run: number) }
    }

    /// The regions that an entry depends on, and the statements that have read them.
    func reads(of entry: Entry) -> (regions: [QueryRegion], statements: ReadStatements) {
        guard isListed(entry) else { return ([], ReadStatements()) }
        let slot = self[entry].slot
        return (self[tables].reads.regions(of: slot), self[tables].reads.statements(of: slot))
    }

    // MARK: Nested fetches

    /// Makes a scope depend on what a value was read from, although it was read before.
    mutating func takeOver(_ entry: Entry, _ reader: Scope) {
        let regions = reads(of: entry).regions
        takeOverEarlier(regions, reader)
        note(regions, reader)
    }

    func takeOverEarlier(_ regions: [QueryRegion], _ reader: Scope) { if !regions.isEmpty { _ = reader.visit { $0.moments.addEarlier() } } }

    func takeOver(_ moments: ReadMoments, _ reader: Scope) { _ = reader.visit { $0.moments.add(moments) } }

    /// Makes a scope depend on what a run has read so far, and on whether that has changed since.
    mutating func takeOver(_ run: Run, _ reader: Scope) {
        let (known, moments) = run.notes.withLock { ($0.known, $0.moments) }
        takeOver(moments, reader)
        if !known.isEmpty { note(known.regions, reader) }
        if self[run].isOutdated, let outer = reader.run { outdate(outer, .regionChanged) }
    }

    // MARK: Changes that were missed

    /// A source reports that regions had changed before a run noted them.
    mutating func outdate(_ run: Run, by regions: [QueryRegion]) {
        guard isCurrent(run) else { return }
        let cause = QueryCause.regionChanged.about(regions.first)
        outdate(run, cause)
        if self[run].phase == .live, self[run.entry].isObserved { restart(run.entry, cause) }
    }

    /// Marks the result of a run as out of date. Another run follows if the entry is wanted.
    mutating func outdate(_ run: Run, _ cause: QueryCause) {
        guard isCurrent(run) else { return }
        let entry = run.entry
        change = change.next
        self[run].isOutdated = true
        self[entry].marked = change
        if !run.isPrivate, self[entry].isObserved || !self[run].callers.isEmpty { self[run].trailing = self[run].trailing ?? cause }
        publish(entry)
    }

    /// What a run has read reports no changes, so the value counts as stale as soon as the run ends. Returns whether that is so.
    mutating func markUnfollowed(_ run: Run) -> Bool {
        guard run.notes.withLock({ $0.moments.hasUnfollowed }) else { return false }
        change = change.next
        self[run.entry].marked = change
        return true
    }
}
