import QueryKit

/// Records what handlers receive on any thread, in order.
package final class Recorder<Element: Sendable>: Sendable {
    private let noted = Lock<[Element]>([])

    package init() {}

    package var all: [Element] { noted.withLock { $0 } }
    package var count: Int { noted.withLock { $0.count } }
    package var last: Element? { noted.withLock { $0.last } }

    package func note(_ element: Element) { noted.withLock { $0.append(element) } }

    /// The notes since the last call, which removes them.
    package func take() -> [Element] {
        noted.withLock { noted in
            defer { noted = [] }
            return noted
        }
    }
}
