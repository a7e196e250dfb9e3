import Foundation

/// What data sources call while the code of a run reads them. A source that reads on a thread of its own keeps ``current``.
extension Scope {
    /// The holder of notes, for comparison by sources. As long as one keeps it, no other run has the same. It doesn't keep the run.
    var record: AnyObject { notes.buffer }

    /// The path of the request that depends on the reads; `nil` in calls, outside of all runs, and once the run is over.
    var followingPath: QueryPath? {
        guard let run, visit({ _ in }) else { return nil }
        return run.entry.path
    }

    // MARK: Noting

    /// Notes that the run reads regions. When the call returns, a change of any of them concerns the run.
    ///
    /// - Parameter statement: The statement that reads them, if the source describes it.
    func note(_ regions: [QueryRegion], by statement: (any ReadStatement)? = nil) {
        if regions.isEmpty && statement == nil { return }
        var isKnown = true
        let isOpen = visit { notes in
            isKnown = isKnown && regions.allSatisfy { notes.known.covers($0) }
            if let statement { isKnown = isKnown && notes.recurring.contains { $0.statement === statement } }
        }
        if isOpen, !isKnown { enter(regions, statement) }
    }

    /// Notes regions that a source notes repeatedly.
    func note(_ list: RecurringRegions) {
        var isKnown = true
        let isOpen = visit { notes in isKnown = isKnown && notes.recurring.contains { $0 === list } }
        if isOpen, !isKnown { enter(list) }
    }

    /// Notes both regions that are noted repeatedly and which commits of a source the run sees.
    func note(_ list: RecurringRegions, _ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        var isKnown = true
        let isOpen = visit { notes in
            notes.moments.add(commits, of: source)
            isKnown = isKnown && notes.recurring.contains { $0 === list }
        }
        if isOpen, !isKnown { enter(list) }
    }

    /// Notes which commits of a source the run sees.
    func note(_ moment: ReadMoment) { _ = visit { $0.moments.add(moment.commits, of: moment.source) } }

    /// Notes that the run reads something that reports no changes. The value counts as stale as soon as the run ends.
    func noteUnfollowed() { _ = visit { $0.moments.addUnfollowed() } }

    /// Reports noted regions that had already changed when they were noted. Another run follows.
    func outdate(_ regions: [QueryRegion]) {
        guard let run, visit({ _ in }) else { return }
        holder?.enterApart { $0.outdate(run, by: regions) }
    }

    private func enter(_ list: RecurringRegions) {
        enter(list.regions, list.statement)
        _ = visit { $0.remember(list) }
    }

    private func enter(_ regions: [QueryRegion], _ statement: (any ReadStatement)?) {
        if let holder {
            holder.enterApart { $0.note(regions, by: statement, self) }
        } else {
            _ = visit { notes in for region in regions { notes.known.insert(region) } }
        }
    }

    // MARK: Commits of a call

    /// Notes that a commit of the current call begins, before it can be read. Does nothing outside of a call.
    func begin(_ regions: [QueryRegion], at commit: SourceCommit) {
        if let call { holder?.enterApart { $0.begin(call, regions, at: commit) } }
    }

    /// Notes that a commit of the current call has failed.
    func withdraw(_ commit: SourceCommit) { if let call { holder?.enterApart { $0.withdraw(call, commit) } } }

    // MARK: Parts

    /// Calls a closure as a part of the current scope, and returns its result with the regions that it has read.
    static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, reads: RegionSet) {
        let part = Scope(partOf: current)
        defer { _ = part.notes.withLock { $0.end() } }
        let result = try await $current.withValue(part, operation: work)
        return (result, part.notes.withLock { $0.known })
    }

    /// Calls code that isn't part of the run, although it is called in the run's task: handlers, conditions and layers.
    static func outside<Result>(_ call: () -> Result) -> Result {
        if current == nil { call() } else { $current.withValue(nil, operation: call) }
    }

    // MARK: Attempts

    /// What an attempt has saved for later attempts of the same run.
    var progress: (any Sendable)? { run?.notes.withLock { $0.progress }?.value }

    func remember(_ progress: any Sendable) {
        let new = Kept(progress)
        // The former one is released without the lock.
        _ = run?.notes.withLock { notes -> Kept? in
            // After the end of the run nothing would release it.
            if notes.isOver { return nil }
            defer { notes.progress = new }
            return notes.progress
        }
    }

    /// Sets the date of the value that the attempt will return.
    func date(_ date: Date) { run?.notes.withLock { $0.origin = ValueOrigin(date: date) } }
}
