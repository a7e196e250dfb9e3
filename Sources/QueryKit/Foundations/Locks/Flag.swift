#if !canImport(Darwin)
    import Synchronization
#endif

/// A flag that is raised once and can be read on any thread. It is read before each call of a handler, so reading must cost no more than a
/// load from memory.
///
/// On Apple platforms it is a small lock, because `Atomic` requires macOS 15 and iOS 18.
struct Flag: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let raised = Lock(false)

        var isRaised: Bool { raised.withLock { $0 } }

        /// Raises the flag. Returns `true` only for the first call.
        func raise() -> Bool {
            raised.withLock { raised in
                defer { raised = true }
                return !raised
            }
        }
    #else
        private let raised = Atomic(false)

        var isRaised: Bool { raised.load(ordering: .acquiring) }

        /// Raises the flag. Returns `true` only for the first call.
        func raise() -> Bool { !raised.exchange(true, ordering: .acquiringAndReleasing) }
    #endif
}

/// A flag that several closures share. Each of them may raise it and read it.
final class SharedFlag: Sendable {
    private let flag = Flag()

    var isRaised: Bool { flag.isRaised }

    /// Raises the flag. Returns `true` only for the first call.
    @discardableResult
    func raise() -> Bool { flag.raise() }
}
