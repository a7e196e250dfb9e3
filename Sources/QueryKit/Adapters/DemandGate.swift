/// Lets elements through as they were asked for: no more than that, one at a time, and of those that had to wait only the newest.
///
/// Decides only. The caller hands the element on, with no lock held, and then calls ``next(demanding:)``.
struct DemandGate<Element: Sendable>: Sendable {
    /// How many may still come; `.max` for any number.
    private var demand = 0
    private var waiting: Element?
    private var isHandingOn = false
    private(set) var isClosed = false

    /// An element came. Answers with the one to hand on now, and the one whose place was taken.
    mutating func put(_ element: Element) -> (next: Element?, replaced: Element?) {
        guard !isClosed else { return (nil, element) }
        let replaced = waiting
        waiting = element
        return (take(), replaced)
    }

    /// More was asked for. Answers with the element to hand on now.
    mutating func ask(for count: Int) -> Element? {
        add(count)
        return take()
    }

    /// An element was handed on, which may have led to asking for more. Answers with the one to hand on after it.
    mutating func next(demanding count: Int) -> Element? {
        isHandingOn = false
        add(count)
        return take()
    }

    /// Lets nothing through from now on. Answers with the element that waited.
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
