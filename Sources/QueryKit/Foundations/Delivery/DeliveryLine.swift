/// What has to be delivered, one at a time and in the order in which it came. A value that its owner keeps under a lock.
///
/// The thread whose element finds nobody at work delivers it, with the lock open, and then all that came meanwhile. The others leave
/// theirs in line and go on. So each element is delivered after those before it, and no thread waits for another.
struct DeliveryLine<Element> {
    /// `nil` in the place of those that were delivered: nothing of them is held, or released with the owner's lock held.
    private var waiting: [Element?] = []
    /// Where the line begins.
    private var first = 0
    /// Whether an element is being delivered.
    private(set) var isBusy = false

    init() {}

    /// How many wait behind the one that is being delivered.
    var count: Int { waiting.count - first }

    /// Whether none waits.
    var isEmpty: Bool { count == 0 }

    /// Puts an element in line. Returns it if the caller has to deliver it; ``next()`` says what comes after it.
    mutating func enter(_ element: Element) -> Element? {
        if isBusy {
            waiting.append(element)
            return nil
        }
        isBusy = true
        return element
    }

    /// The caller delivers something that need not stand in line, because it is the first.
    mutating func begin() {
        precondition(!isBusy)
        isBusy = true
    }

    /// The element to deliver after the last one; `nil` when all are delivered. Then the next thread that brings one delivers.
    mutating func next() -> Element? {
        guard !isEmpty else {
            (waiting, first, isBusy) = ([], 0, false)
            return nil
        }
        let next = waiting[first].take()
        first += 1
        // Not one by one: that would move all the others each time.
        if first > 16, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return next
    }

    /// Takes out all that wait.
    mutating func removeAll() -> [Element] {
        defer { (waiting, first) = ([], 0) }
        return waiting[first...].compactMap { $0 }
    }

    /// Looks at all that wait.
    func visit(_ body: (Element) -> Void) {
        for case let element? in waiting[first...] { body(element) }
    }
}

extension DeliveryLine: Sendable where Element: Sendable {}
