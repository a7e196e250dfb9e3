/// A queue of elements to deliver one at a time, in order of arrival. A plain value that its owner guards with a lock.
///
/// If no delivery is under way, the thread that adds an element releases the lock, and then delivers the element and all elements that are
/// added during the delivery. Other threads only enqueue their elements. So elements are delivered in order, and no thread waits.
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

    /// Enqueues an element and returns `nil`, or returns the element. If the element is returned, the caller has to deliver it, and then
    /// every element that ``next()`` returns, until it returns `nil`.
    mutating func enter(_ element: Element) -> Element? {
        if isBusy {
            waiting.append(element)
            return nil
        }
        isBusy = true
        return element
    }

    /// Begins the delivery of something that isn't enqueued. Call this only if no delivery is under way.
    mutating func begin() {
        precondition(!isBusy)
        isBusy = true
    }

    /// The element to deliver next; `nil` when all are delivered. After `nil`, the next thread that adds an element delivers it.
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
