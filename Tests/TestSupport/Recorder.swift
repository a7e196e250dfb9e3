import QueryKit

/// Notes what handlers on any thread hear, in the order in which they hear it.
package final class Recorder<Element: Sendable>: Sendable {
    private let noted = Lock<[Element]>([])

    package init() {}

    package var all: [Element] { noted.withLock { $0 } }
    package var count: Int { noted.withLock { $0.count } }
    package var last: Element? { noted.withLock { $0.last } }

    package func note(_ element: Element) { noted.withLock { $0.append(element) } }

    /// What was noted since the last call.
    package func take() -> [Element] {
        noted.withLock { noted in
            defer { noted = [] }
            return noted
        }
    }
}
