/// What calls change in data sources, and whether a value includes it already (R22).
extension CallEntry {
    /// A change that a call has made, or is about to make.
    struct Change: Sendable {
        let regions: RegionSet
        /// The commit, if the source numbers its commits. It may be read before it is reported.
        let commit: SourceCommit?
        /// The number of the change; `nil` until the source reports it. From then on, runs that have read any of it are outdated.
        var reported: ChangeNumber?
    }
}

extension Ledger {
    // MARK: Commits

    /// A commit of a call begins. From now on a read may see it.
    mutating func begin(_ call: CallEntry, _ regions: [QueryRegion], at commit: SourceCommit) {
        add(CallEntry.Change(regions: RegionSet(regions), commit: commit), to: call)
    }

    /// A commit of a call has failed.
    mutating func withdraw(_ call: CallEntry, _ commit: SourceCommit) {
        trash.add(commit.source)
        self[call].changes.removeAll { $0.commit.map { $0.number == commit.number && $0.source === commit.source } ?? false }
        if let outer = call.outer { withdraw(outer, commit) }
    }

    /// A source reports what a call has changed.
    mutating func report(_ regions: [QueryRegion], of call: CallEntry) {
        let known = self[call].changes.lastIndex { made in made.reported == nil && regions.allSatisfy { made.regions.covers($0) } }
        if let known {
            self[call].changes[known].reported = change
        } else {
            add(CallEntry.Change(regions: RegionSet(regions), commit: nil, reported: change), to: call, isNested: false)
        }
        // The changes of a call that another one makes are changes of that, too.
        if let outer = call.outer { report(regions, of: outer) }
    }

    private mutating func add(_ made: CallEntry.Change, to call: CallEntry, isNested: Bool = true) {
        // Of several changes of the same regions the last one counts: a read that sees it has seen the others.
        if let last = self[call].changes.last, last.commit == nil ? made.commit == nil : last.reported != nil,
            last.commit?.source === made.commit?.source, last.regions == made.regions
        {
            trash.add(self[call].changes.removeLast().commit?.source)
        }
        self[call].changes.append(made)
        if isNested, let outer = call.outer { add(made, to: outer) }
    }

    // MARK: Sight

    /// Whether the result of a run includes what a layer shows.
    ///
    /// - Parameter change: The latest change that the result includes.
    func sight(of layer: Layer, in run: Run, asOf change: ChangeNumber) -> Sight {
        guard let call = layer.owner else { return .seen }
        if let commit = self[call].commit, change >= commit { return .seen }
        return sight(ofChangesBy: call, in: run, asOf: change)
    }

    /// Whether a run has seen all changes of a call that overlap what it has read.
    private func sight(ofChangesBy call: CallEntry, in run: Run, asOf change: ChangeNumber) -> Sight {
        if self[call].changes.isEmpty { return .unseen }
        let (known, moments) = run.notes.withLock { ($0.known, $0.moments) }
        var found: Sight?
        for made in self[call].changes where made.regions.overlaps(known) {
            switch made.commit.flatMap({ moments.sight(of: $0) }) ?? sight(of: made, in: run, asOf: change) {
            case .seen: found = found ?? .seen
            case .unsure: found = .unsure
            case .unseen: return .unseen
            }
        }
        return found ?? .unseen
    }

    /// Whether a run has seen a change, as far as the number of the change tells. A change during a run outdates it, whether or not it had
    /// read by then.
    private func sight(of made: CallEntry.Change, in run: Run, asOf change: ChangeNumber) -> Sight {
        guard let reported = made.reported else { return made.commit == nil ? .unseen : .unsure }
        return self[run].isOutdated || reported > change ? .unsure : .seen
    }

    /// Whether an intermediate value may include what a layer shows. It may be taken back, so it removes no layer.
    func mayShowTwice(_ run: Run) -> Bool {
        self[run.entry].layers.contains { layer in
            layer.owner.map { sight(ofChangesBy: $0, in: run, asOf: self[run].asOf) != .unseen } ?? false
        }
    }

    // MARK: Rejection

    /// Whether a result was read while a call took effect: it might be wrong with the layer of the call as well as without it.
    ///
    /// Only one in a row: beside frequent writes, a slow run might otherwise never bring a value. The next one is shown beneath the layers.
    func isUnsure(_ run: Run) -> Bool {
        let entry = run.entry
        guard case .success? = self[run].outcome, !self[entry].layers.isEmpty, !isIgnored(run) else { return false }
        // The result of a run for some pages shows nothing about the others.
        if run.aim != .everything, self[entry].base != nil { return false }
        if !run.isPrivate, self[entry].repeatedRun == self[run].number { return false }
        return self[entry].layers.contains { sight(of: $0, in: run, asOf: self[run].asOf) == .unsure }
    }

    /// Doesn't show such a result. A shared run begins again, and its callers wait for that. Returns whether it does.
    mutating func reject(_ run: Run) -> Bool {
        guard isUnsure(run) else { return false }
        // Only the caller of a private run receives the value.
        if run.isPrivate { self[run].isWithheld = true } else { repeatRun(run) }
        return !run.isPrivate
    }
}
