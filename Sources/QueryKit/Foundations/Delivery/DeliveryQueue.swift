/// A queue of elements to deliver one at a time, in order of arrival. A plain value that its owner guards with a lock.
///
/// A thread that adds an element while no delivery is under way delivers it after releasing the lock, and then all elements that were added
/// during the delivery. Other threads only enqueue their elements. So elements are delivered in order, and no thread waits.
struct DeliveryQueue<Element> {
    /// Delivered elements are replaced by `nil`, so that they aren't kept alive here, nor released with the owner's lock held.
    private var waiting: [Element?] = []
    /// The index of the first element that was not delivered yet.
    private var first = 0
    /// Whether an element is being delivered.
    private(set) var isBusy = false

    init() {}

    /// How many elements wait behind the one that is being delivered.
    var count: Int { waiting.count - first }

    /// Whether no element waits.
    var isEmpty: Bool { count == 0 }

    /// Enqueues an element, or returns it if the caller has to deliver it and then call ``next()`` until that returns `nil`.
    mutating func enter(_ element: Element) -> Element? {
        if isBusy {
            waiting.append(element)
            return nil
        }
        isBusy = true
        return element
    }

    /// Begins the delivery of something that the caller doesn't enqueue, because no delivery is under way.
    mutating func begin() {
        precondition(!isBusy)
        isBusy = true
    }

    /// The element to deliver next; `nil` when all are delivered. The next thread that adds an element then delivers it.
    mutating func next() -> Element? {
        guard !isEmpty else {
            (waiting, first, isBusy) = ([], 0, false)
            return nil
        }
        let next = waiting[first].take()
        first += 1
        // Delivered elements are removed in batches, because each removal moves all the others.
        if first > 16, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return next
    }

    /// Removes and returns all waiting elements.
    mutating func removeAll() -> [Element] {
        defer { (waiting, first) = ([], 0) }
        return waiting[first...].compactMap { $0 }
    }

    /// Calls a closure with each waiting element.
    func visit(_ body: (Element) -> Void) {
        for case let element? in waiting[first...] { body(element) }
    }
}

extension DeliveryQueue: Sendable where Element: Sendable {}
