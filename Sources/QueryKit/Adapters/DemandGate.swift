/// Passes on elements according to demand: never more than requested, one at a time, and only the newest of those that had to wait.
///
/// A pure value that only decides. The caller passes the element on without holding a lock, and then calls ``next(demanding:)``.
struct DemandGate<Element: Sendable>: Sendable {
    /// The remaining demand; `.max` if it is unlimited.
    private var demand = 0
    private var waiting: Element?
    private var isHandingOn = false
    private(set) var isClosed = false

    /// Adds an element. Returns the element to pass on now, and the waiting element that was replaced.
    mutating func put(_ element: Element) -> (next: Element?, replaced: Element?) {
        guard !isClosed else { return (nil, element) }
        let replaced = waiting
        waiting = element
        return (take(), replaced)
    }

    /// Adds demand. Returns the element to pass on now.
    mutating func request(for count: Int) -> Element? {
        add(count)
        return take()
    }

    /// Called after an element was passed on, which may have added demand. Returns the element to pass on next.
    mutating func next(demanding count: Int) -> Element? {
        isHandingOn = false
        add(count)
        return take()
    }

    /// Passes on nothing from now on. Returns the waiting element.
    mutating func close() -> Element? {
        isClosed = true
        defer { waiting = nil }
        return waiting
    }

    private mutating func add(_ count: Int) {
        let (sum, isTooMuch) = demand.addingReportingOverflow(count)
        demand = isTooMuch ? .max : sum
    }

    private mutating func take() -> Element? {
        guard !isHandingOn, !isClosed, demand > 0, let element = waiting else { return nil }
        isHandingOn = true
        waiting = nil
        if demand != .max { demand -= 1 }
        return element
    }
}
