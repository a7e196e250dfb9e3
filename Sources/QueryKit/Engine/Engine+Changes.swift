/// Changes of data sources.
extension Engine {
    /// R18: regions have changed. Entries that depend on them are stale when this returns; runs and handlers follow.
    func changed(_ regions: [QueryRegion], _ cause: QueryCause = .regionChanged) {
        let scope = own(Scope.current)
        enterNow { $0.changed(regions, cause, by: scope?.run, of: scope?.call) }
    }

    /// The first half of a change, for a source whose changes are ordered: in their order, each before a later one can be read. It calls
    /// no code of the app, so the source may hold a lock.
    ///
    /// - Parameter scope: The scope of the task that makes the change.
    func enter(changed regions: [QueryRegion], _ cause: QueryCause, in scope: Scope?) -> ChangeToFollow {
        let scope = own(scope)
        let entered = enter { ledger in
            // The client isn't settled until the second half.
            ledger.beginWork()
            return ledger.enter(changed: regions, cause, by: scope?.run, of: scope?.call)
        }
        return ChangeToFollow(engine: self, entered: entered)
    }

    /// The rest of a large change: its caller has waited for the first part only.
    func followRest() { while enterNow({ $0.followNext() }) {} }
}

/// A change that each entry counts, and whose runs and states are due.
struct ChangeToFollow: Sendable {
    fileprivate let engine: Engine
    fileprivate let entered: Ledger.Entered

    /// The second half, without locks of the source. Call it once.
    func notify() {
        engine.enterNow { ledger in
            ledger.followLater(entered)
            ledger.endWork()
        }
    }
}
