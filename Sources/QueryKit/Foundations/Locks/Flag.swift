#if !canImport(Darwin)
    import Synchronization
#endif

/// A flag that is raised once and is read on any thread, before each call of a handler: it must cost no more than a load.
///
/// On Apple platforms `Atomic` would need macOS 15 and iOS 18, so there it is a small lock.
struct Flag: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let raised = Lock(false)

        var isRaised: Bool { raised.withLock { $0 } }

        /// Raises the flag; true for the one call that did.
        func raise() -> Bool {
            raised.withLock { raised in
                defer { raised = true }
                return !raised
            }
        }
    #else
        private let raised = Atomic(false)

        var isRaised: Bool { raised.load(ordering: .acquiring) }

        /// Raises the flag; true for the one call that did.
        func raise() -> Bool { !raised.exchange(true, ordering: .acquiringAndReleasing) }
    #endif
}

/// A flag for several closures, each of which may raise or read it.
final class SharedFlag: Sendable {
    private let flag = Flag()

    var isRaised: Bool { flag.isRaised }

    /// Raises the flag; true for the one call that did.
    @discardableResult
    func raise() -> Bool { flag.raise() }
}
