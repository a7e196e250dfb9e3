/// The callers that wait for the runs of a store, in the order in which they came.
///
/// Linked through the waiters themselves, because most stores have none and most others one.
struct WaiterList: Sendable {
    private(set) var first: Waiter?
    // Invariant: the last of the waiters that `first` leads to, which keeps it alive.
    private unowned(unsafe) var last: Waiter?

    var isEmpty: Bool { first == nil }

    mutating func append(_ waiter: Waiter) {
        if let last { last.next = waiter } else { first = waiter }
        last = waiter
    }

    /// Takes out one waiter; `false` if it isn't there.
    mutating func remove(_ waiter: Waiter) -> Bool {
        var before: Waiter?
        var current = first
        while let found = current {
            if found === waiter {
                unlink(found, after: before)
                return true
            }
            before = found
            current = found.next
        }
        return false
    }

    /// Takes out all waiters of one run.
    mutating func remove(waitingFor run: Int32) -> WaiterList {
        var removed = WaiterList()
        var kept = WaiterList()
        while let waiter = popFirst() {
            if waiter.run == run { removed.append(waiter) } else { kept.append(waiter) }
        }
        self = kept
        return removed
    }

    /// Takes out all waiters.
    mutating func removeAll() -> WaiterList {
        defer { self = WaiterList() }
        return self
    }

    mutating func popFirst() -> Waiter? {
        guard let waiter = first else { return nil }
        unlink(waiter, after: nil)
        return waiter
    }

    private mutating func unlink(_ waiter: Waiter, after before: Waiter?) {
        if let before { before.next = waiter.next } else { first = waiter.next }
        if last === waiter { last = before }
        waiter.next = nil
    }

    /// Costs as much as there are waiters.
    var count: Int {
        var count = 0
        visit { _ in count += 1 }
        return count
    }

    func visit(_ body: (Waiter) -> Void) {
        var current = first
        while let waiter = current {
            current = waiter.next
            body(waiter)
        }
    }

    func contains(where isWanted: (Waiter) -> Bool) -> Bool {
        var current = first
        while let waiter = current {
            if isWanted(waiter) { return true }
            current = waiter.next
        }
        return false
    }
}
