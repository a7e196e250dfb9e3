/// A queue of payloads ordered by the instants at which they are due; payloads with equal instants keep the order of insertion.
///
/// A binary heap, and a pure value without a clock. Obsolete entries aren't removed; the code that pops one decides if it still counts.
struct DeadlineQueue<Payload> {
    private struct Entry {
        let deadline: QueryInstant
        let order: UInt64
        let payload: Payload

        func isBefore(_ other: Entry) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    var count: Int { entries.count }

    /// The instant at which the next payload is due.
    var earliest: QueryInstant? { entries.first?.deadline }

    mutating func insert(_ payload: Payload, at deadline: QueryInstant) {
        entries.appendSparingly(Entry(deadline: deadline, order: nextOrder, payload: payload))
        nextOrder += 1
        siftUp(from: entries.count - 1)
    }

    /// Removes and returns the next payload that is due at `now`.
    mutating func popDue(at now: QueryInstant) -> (deadline: QueryInstant, payload: Payload)? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            siftDown(from: 0)
        }
        return (first.deadline, first.payload)
    }

    /// Removes the payloads for which the closure returns `true`, in time proportional to the size of the queue.
    mutating func removeAll(where isObsolete: (Payload) -> Bool) {
        entries.removeAll { isObsolete($0.payload) }
        if entries.capacity > 1_024, entries.count * 4 < entries.capacity { entries = entries.map { $0 } }
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var next = parent
            let first = 2 * parent + 1
            for child in first..<min(first + 2, max(first, entries.count)) where entries[child].isBefore(entries[next]) {
                next = child
            }
            if next == parent { return }
            entries.swapAt(parent, next)
            parent = next
        }
    }
}
