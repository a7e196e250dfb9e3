/// What the engine carries out after it has released the lock, in this order.
enum Effect: Sendable {
    /// Begins the next attempt of a run.
    case start(Run, attempt: Int)
    /// Cancels the task of an attempt, because its run has been given up or the attempt has taken too long.
    case cancel(Run, attempt: Int)
    /// A more urgent caller waits for a run under way.
    case raise(Run)
    /// An attempt has taken too long: asks what follows, and ends it.
    case expire(Run, attempt: Int)
    case resume(Caller, UnsafeContinuation<AnyValue, any Error>?, Result<AnyValue, any Error>)
    /// Calls the observers of an entry until nothing is left to deliver.
    case deliver(Entry)
    /// Shows all changed entries on the main actor, in one turn.
    case deliverOnMain
    case ask(Question)
    /// Continues with the next part of a large change.
    case follow
    /// Continues to release entries.
    case trim
    /// A session has begun: makes the settings of the observers of these entries again.
    case exchange([Entry])
    case setTimer(QueryInstant)
    /// Watches the sources of triggers, or stops that.
    case beginTriggers(ActiveTriggers)
    case endTriggers(ActiveTriggers)
    case begin(CallEntry, attempt: Int)
    case cancelCall(CallEntry, attempt: Int)
    /// An attempt of a call has taken too long: asks what follows, and ends it.
    case expireCall(CallEntry, attempt: Int)
    case callHandlers(CallEntry, Result<AnyValue, any Error>)
    case append(CallEntry)
    case remove(CallEntry)
    case release(CallEntry)
    /// Asks a shared journal whether a call may be made.
    case askTurn(CallEntry, attempt: Int)
    /// Extends the leases of calls.
    case extend([CallEntry])
    /// Makes calls of the journal that no client holds. A call that they may precede then asks again.
    case resumeFree(CallEntry?, attempt: Int)
    /// Resumes a wait: it has come to its end, or was cancelled.
    case settle(Signal, UnsafeContinuation<Bool, Never>?, hasEnded: Bool)
}

/// A wait for the end of something, such as of all work.
final class Signal: Guarded<Signal.Content>, @unchecked Sendable {
    struct Content: ~Copyable {
        /// `nil` in tests of the ledger.
        var continuation: UnsafeContinuation<Bool, Never>?
        var isOver = false
    }

    init() { super.init(Content()) }
}

extension Ledger {
    /// Begins a wait. Returns false if it was cancelled before.
    mutating func begin(_ signal: Signal, _ continuation: UnsafeContinuation<Bool, Never>?) -> Bool {
        self[signal].continuation = continuation
        if !self[signal].isOver { return true }
        effects.append(.settle(signal, continuation, hasEnded: false))
        return false
    }

    /// Ends a wait, unless it was cancelled.
    mutating func end(_ signal: Signal, hasEnded: Bool = true) {
        if self[signal].isOver { return }
        self[signal].isOver = true
        effects.append(.settle(signal, self[signal].continuation, hasEnded: hasEnded))
    }
}

/// Code of the app to call outside the lock, with all that it needs, and the places for its answers.
// Invariant: one thread has the question: the ledger that makes it, then the thread that carries out the effect, then the ledger again. So
// its properties need no check of exclusive access, which took 1,200 instructions of a fetch.
final class Question: @unchecked Sendable {
    enum Kind {
        /// What the inputs of an entry show.
        case value
        /// What the entry shows when this run ends.
        case end(Run)
        /// Whether one of these settings allows the library to start a run.
        case conditions([Settings], QueryCause)
    }

    let entry: Entry
    let kind: Kind
    /// The number of the inputs, or of the decision.
    let version: UInt32
    @exclusivity(unchecked) var record = QueryRecord()
    @exclusivity(unchecked) var base: AnyValue?
    @exclusivity(unchecked) var updates: [Layer] = []
    @exclusivity(unchecked) var updatesUntil: UInt32 = 0
    @exclusivity(unchecked) var layers: [Layer] = []
    /// Layers that end with this value.
    @exclusivity(unchecked) var landed: [Layer] = []
    @exclusivity(unchecked) var shown: AnyValue?
    /// Values to show in the same step.
    @exclusivity(unchecked) var others: [Question] = []

    // MARK: Answers

    @exclusivity(unchecked) var value: AnyValue?
    @exclusivity(unchecked) var isEqual = false
    @exclusivity(unchecked) var isEnabled = false

    init(_ entry: Entry, _ kind: Kind, _ version: UInt32) { (self.entry, self.kind, self.version) = (entry, kind, version) }
}
