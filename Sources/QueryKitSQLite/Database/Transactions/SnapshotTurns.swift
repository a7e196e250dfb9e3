/// Decides which run may read a shared snapshot, one at a time: a pure value.
///
/// At the end of a turn the snapshot is free, and the first run that asks begins the next turn. If the turn were handed over to a suspended
/// run, all others would wait until that run is resumed, which takes several times as long as a short read. One run may wait in a loop
/// instead of being suspended; more loops would only keep more cores busy.
struct SnapshotTurns<Caller: Sendable>: Sendable {
    private var isBusy = false
    private(set) var isOver = false
    /// Whether a run waits in a loop.
    private var hasLoop = false
    /// The suspended runs.
    private var waiting: [Caller] = []

    /// Whether no run is reading.
    var isFree: Bool { !isBusy }

    /// Begins a turn if no other run is reading. Returns false if the snapshot is over, and `nil` if the run must wait.
    mutating func begin() -> Bool? {
        if isOver { return false }
        if isBusy { return nil }
        isBusy = true
        return true
    }

    /// Returns whether the run may wait in a loop; ``leaveLoop()`` must follow.
    mutating func enterLoop() -> Bool {
        if hasLoop { return false }
        hasLoop = true
        return true
    }

    mutating func leaveLoop() { hasLoop = false }

    /// Enters a run that is about to be suspended. Returns false if it need not wait.
    mutating func wait(_ caller: Caller) -> Bool {
        guard isBusy, !isOver else { return false }
        waiting.append(caller)
        return true
    }

    /// Ends a turn. Returns the runs to resume, which then ask again. One is resumed even if another waits in the loop, because the system
    /// may have suspended the thread of that one.
    mutating func end() -> [Caller] {
        isBusy = false
        if isOver { return takeAll() }
        return waiting.isEmpty ? [] : [waiting.removeFirst()]
    }

    /// From now on, no run begins. Returns the runs to resume.
    mutating func finish() -> [Caller] {
        isOver = true
        return takeAll()
    }

    private mutating func takeAll() -> [Caller] {
        defer { waiting = [] }
        return waiting
    }
}
