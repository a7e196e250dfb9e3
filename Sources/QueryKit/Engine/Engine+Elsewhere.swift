/// Fetches by runs of other clients.
extension Engine {
    /// The scope, if it means something to this client's ledger.
    func own(_ scope: Scope?) -> Scope? { scope.flatMap { $0.holder == nil || $0.holder === self ? $0 : nil } }

    /// A run of another client begins to wait for an entry of this one. Returns false if they wait for each other.
    func beginWait(of scope: Scope, for entry: Entry) -> Bool {
        guard let reader = scope.run, let holder = scope.holder else { return true }
        holder.enterApart { $0.beginWait(of: reader, for: entry, in: self) }
        // Looked for after the wait has begun: of two waits that close a cycle at once, at least one finds it.
        if !waits(entry, for: reader.entry) { return true }
        holder.enterApart { $0.endWait(of: scope, for: entry, nil) }
        return false
    }

    /// Ends the wait before the caller is resumed, so that its client isn't settled in between.
    func endWait(of caller: Caller, _ scope: Scope) {
        guard let entry = caller.entry else { return }
        let given = enter { $0[caller].handedOver }
        scope.holder?.enterApart { $0.endWait(of: scope, for: entry, given) }
        // From now on changes of the regions concern the run. Of earlier ones this client knows.
        guard let given, let run = scope.run, given.moments?.hasUnfollowed != true, enter({ $0.hasChanged(given) }) else { return }
        scope.holder?.enterApart { $0.outdate(run, .regionChanged) }
    }

    /// Whether an entry waits for another one, directly or through others, in whichever clients they are.
    func waits(_ entry: Entry, for wanted: Entry) -> Bool {
        var open: [(holder: any LedgerHolder, entry: Entry)] = [(self, entry)]
        var seen: Set<Entry> = [entry]
        while let (holder, entry) = open.popLast() {
            if entry === wanted { return true }
            var awaited: [(holder: any LedgerHolder, entry: Entry)] = []
            holder.enterApart { awaited = $0.awaited(by: entry, holder) }
            for next in awaited where seen.insert(next.entry).inserted { open.append(next) }
        }
        return false
    }
}
