/// The callers that wait for the runs of a store, in order of arrival.
///
/// The list is linked through the waiters themselves, because most stores have no waiters, and most other stores have one.
struct WaiterList: Sendable {
    private(set) var first: Waiter?
    // Invariant: the last waiter in the list that begins with `first`, which keeps it alive.
    private unowned(unsafe) var last: Waiter?

    var isEmpty: Bool { first == nil }

    mutating func append(_ waiter: Waiter) {
        if let last { last.next = waiter } else { first = waiter }
        last = waiter
    }

    /// Removes a waiter. Returns `false` if it isn't in the list.
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

    /// Removes and returns all waiters of one run.
    mutating func remove(waitingFor run: Int32) -> WaiterList {
        var removed = WaiterList()
        var kept = WaiterList()
        while let waiter = popFirst() {
            if waiter.run == run { removed.append(waiter) } else { kept.append(waiter) }
        }
        self = kept
        return removed
    }

    /// Removes and returns all waiters.
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

    /// The number of waiters, in time proportional to it.
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
