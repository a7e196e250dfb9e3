/// A value that calls back in its deinit: for values that must not be deallocated inside a lock.
package final class DeinitObserver: Sendable, Equatable {
    private let onEnd: @Sendable () -> Void

    package init(_ onEnd: @escaping @Sendable () -> Void = {}) { self.onEnd = onEnd }

    package static func == (left: DeinitObserver, right: DeinitObserver) -> Bool { left === right }

    deinit { onEnd() }
}
