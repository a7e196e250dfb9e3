/// What the code of a task is part of: a run, a call, or a part of either whose reads are collected apart. Child tasks inherit it. A task
/// that outlives its run still has the scope, but nothing it does counts any more.
final class Scope: Sendable {
    @TaskLocal static var current: Scope?

    enum Work: Sendable {
        case run(Run)
        /// Nothing depends on what a call reads.
        case call(CallEntry)
        /// Work outside of all runs whose reads are collected.
        case none
    }

    let work: Work
    /// The holder of the run's ledger. A run means nothing to other ledgers.
    let holder: (any LedgerHolder)?
    /// The scope that this one is a part of.
    let outer: Scope?
    /// What has been noted here. A leaf beside the ledger's lock, so that reading the same again costs only a comparison.
    let notes: Lock<Notes>

    init(_ run: Run, _ holder: (any LedgerHolder)? = nil) {
        (work, self.holder, outer, notes) = (.run(run), holder, nil, run.notes)
    }

    init(_ call: CallEntry, _ holder: (any LedgerHolder)? = nil) {
        (work, self.holder, outer, notes) = (.call(call), holder, nil, Lock(Notes()))
    }

    /// A part of a scope; of no run, if there is none.
    init(partOf outer: Scope?) {
        (work, holder, self.outer, notes) = (outer?.work ?? .none, outer?.holder, outer, Lock(Notes()))
    }

    var run: Run? { if case .run(let run) = work { run } else { nil } }
    var call: CallEntry? { if case .call(let call) = work { call } else { nil } }

    /// Calls a closure with the notes of the run, and with those of each part of it. Returns false if it is over.
    func visit(_ body: (inout Notes) -> Void) -> Bool {
        guard let outer else {
            // What a call reads is of no use.
            if case .call = work { return true }
            return notes.visit(body)
        }
        return outer.visit(body) && notes.visit(body)
    }

    /// What has been noted while a run, or a part of it, works.
    struct Notes: Sendable {
        /// The regions that were read. Those of a run are in the index of the ledger.
        var known = RegionSet()
        /// The moments at which they were read.
        var moments = ReadMoments()
        /// Some of the known regions, recognized by identity. They are kept alive, so that no other object gets the same address.
        var recurring: [RecurringRegions] = []
        /// What an attempt has saved for later attempts.
        var progress: Kept?
        /// The origin of the value that an attempt is about to return, if it wasn't fetched just now.
        var origin: ValueOrigin?
        var isOver = false

        static let recurringLimit = 8

        mutating func remember(_ list: RecurringRegions) {
            guard recurring.count < Self.recurringLimit, !recurring.contains(where: { $0 === list }) else { return }
            recurring.append(list)
        }

        /// What is released outside of locks.
        mutating func end() -> (recurring: [RecurringRegions], progress: Kept?) {
            isOver = true
            let given = (recurring, progress)
            (recurring, progress) = ([], nil)
            return given
        }
    }

    /// A value of the app or of a kind of request.
    final class Kept: Sendable {
        let value: any Sendable

        init(_ value: any Sendable) { self.value = value }
    }
}

/// Holds a ledger, and carries out its effects.
protocol LedgerHolder: AnyObject, Sendable {
    /// Enters an event from within a scope. Code of the app that follows is called by a task of its own.
    func enterApart(_ event: (inout Ledger) -> Void)
}

extension Lock<Scope.Notes> {
    fileprivate func visit(_ body: (inout Scope.Notes) -> Void) -> Bool {
        withLock { notes in
            if notes.isOver { return false }
            body(&notes)
            return true
        }
    }
}
