import Foundation

/// Leases: the right of a client to make a call of a shared journal.
extension Ledger {
    // MARK: Turns

    /// The journal has told whether a call may be made.
    mutating func take(_ turn: MutationTurn, _ call: CallEntry, attempt: Int) {
        guard case .asking(attempt) = self[call].state else { return }
        switch turn {
        case .lost: return stop([call], .failure(CancellationError()), isKept: true)
        case .now: work(call)
        // Its turn had come before.
        case .blocked where self[call].hasBegun, .after where self[call].hasBegun: work(call)
        case .blocked(let earlier):
            // The other client's call may itself wait for one of these.
            self[call].preceding = []
            if !giveWay(call, to: earlier) { pause(call) }
        case .after(let earlier):
            if giveWay(call, to: earlier) { break }
            // If a client that is gone has left them, they come first.
            if earlier == self[call].preceding { work(call) } else { effects.append(.resumeFree(call, attempt: attempt)) }
            self[call].preceding = earlier
        }
        show(call)
    }

    /// The calls that no client held are resumed.
    ///
    /// - Parameter canResume: Whether the app has said how.
    mutating func resumedFree(_ call: CallEntry, attempt: Int, canResume: Bool) {
        guard case .asking(attempt) = self[call].state else { return }
        if canResume { effects.append(.askTurn(call, attempt: attempt)) } else { work(call) }
        show(call)
    }

    private mutating func pause(_ call: CallEntry) {
        let delay = Nanoseconds(JournalLeases.pause)
        move(call, to: .waiting(until: now.later(by: delay)))
        schedule(.call(call, self[call].attempts), after: delay)
    }

    /// Lets calls of this client that precede a call in the journal go first. Returns false if there are none.
    private mutating func giveWay(_ call: CallEntry, to earlier: [UUID]) -> Bool {
        guard let scope = call.scope, var calls = scopes[scope]?.calls, calls.first === call else { return false }
        guard let last = calls.lastIndex(where: { earlier.contains($0.id) }), last > 0 else { return false }
        calls.removeFirst()
        calls.insert(call, at: last)
        scopes[scope]?.calls = calls
        move(call, to: .queued)
        advance(scope: scope)
        return true
    }

    // MARK: Extending

    /// The client has the lease of a call, and extends it while the call is under way.
    mutating func lease(_ call: CallEntry) {
        guard call.isShared, self[call].state.result == nil else { return }
        self[call].isLeased = true
        if !extendsLeases { extendLater() }
    }

    private mutating func extendLater() {
        extendsLeases = true
        schedule(.lease, after: Nanoseconds(JournalLeases.span / 2))
    }

    mutating func extendLeases() {
        extendsLeases = false
        let leased = calls.values.filter { self[$0].isLeased && self[$0].state.result == nil }
        if leased.isEmpty { return }
        beginWork()
        effects.append(.extend(leased))
    }

    mutating func extended() {
        if !extendsLeases { extendLater() }
        endWork()
    }

    // MARK: Other clients

    /// Looks for calls that other clients hold no more, when the first of their leases may have ended.
    mutating func lookForCalls(after delay: Nanoseconds) { schedule(.resumption, after: delay) }

    mutating func resumeFree() {
        beginWork()
        effects.append(.resumeFree(nil, attempt: 0))
    }
}
