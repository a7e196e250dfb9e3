/// A queue of payloads ordered by the instants at which they are due; payloads with equal instants keep the order of insertion.
///
/// A binary heap, and a pure value without a clock. Obsolete elements may stay in the queue: the code that pops an element decides whether
/// it still counts.
struct DeadlineQueue<Payload> {
    fileprivate struct Element {
        let deadline: QueryInstant
        let order: UInt64
        let payload: Payload

        func isBefore(_ other: Element) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private var elements: [Element] = []
    private var nextOrder: UInt64 = 0

    var count: Int { elements.count }

    /// The instant at which the next payload is due.
    var earliest: QueryInstant? { elements.first?.deadline }

    mutating func insert(_ payload: Payload, at deadline: QueryInstant) {
        elements.appendSparingly(Element(deadline: deadline, order: nextOrder, payload: payload))
        nextOrder += 1
        siftUp(from: elements.count - 1)
    }

    /// Removes and returns the next payload that is due at `now`.
    mutating func popDue(at now: QueryInstant) -> (deadline: QueryInstant, payload: Payload)? {
        guard let first = elements.first, first.deadline <= now else { return nil }
        let last = elements.removeLast()
        if !elements.isEmpty {
            elements[0] = last
            siftDown(from: 0)
        }
        return (first.deadline, first.payload)
    }

    /// Removes the payloads for which the closure returns `true`, in time proportional to the size of the queue.
    mutating func removeAll(where isObsolete: (Payload) -> Bool) {
        elements.removeAll { isObsolete($0.payload) }
        if elements.capacity > 1_024, elements.count * 4 < elements.capacity { elements = elements.map { $0 } }
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child].isBefore(elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var next = parent
            let first = 2 * parent + 1
            for child in first..<min(first + 2, max(first, elements.count)) where elements[child].isBefore(elements[next]) {
                next = child
            }
            if next == parent { return }
            elements.swapAt(parent, next)
            parent = next
        }
    }
}

extension DeadlineQueue: Sendable where Payload: Sendable {}
extension DeadlineQueue.Element: Sendable where Payload: Sendable {}
