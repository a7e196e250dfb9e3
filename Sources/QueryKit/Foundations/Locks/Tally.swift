#if !canImport(Darwin)
    import Synchronization
#endif

/// A counter that several threads change, without a lock where the platform allows it.
///
/// On Apple platforms it is a small lock, because `Atomic` requires macOS 15 and iOS 18; see ``Flag``.
struct Tally: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let number = Lock(0)

        var value: Int { number.withLock { $0 } }

        /// Adds a number and returns the sum.
        func add(_ difference: Int) -> Int {
            number.withLock { number in
                number += difference
                return number
            }
        }
    #else
        private let number = Atomic(0)

        // Sequentially consistent, because ``WorkCounter`` changes one tally and then reads another.

        var value: Int { number.load(ordering: .sequentiallyConsistent) }

        /// Adds a number and returns the sum.
        func add(_ difference: Int) -> Int { number.add(difference, ordering: .sequentiallyConsistent).newValue }
    #endif
}
