/// A value that calls back in its deinit: for values that must not be deallocated inside a lock.
package final class Mortal: Sendable, Equatable {
    private let onEnd: @Sendable () -> Void

    package init(_ onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    package static func == (left: Mortal, right: Mortal) -> Bool { left === right }

    deinit { onEnd() }
}
