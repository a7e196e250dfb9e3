#if !canImport(Darwin)
    import Synchronization
#endif

/// A number that is read far more often than it is set.
///
/// Reading costs no more than a load, except on Apple platforms: there a small lock guards the number, because `Atomic` requires macOS 15
/// and iOS 18; see ``Flag``.
package struct Gauge: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let number: Lock<UInt64>

        package init(_ number: UInt64 = 0) { self.number = Lock(number) }

        package var value: UInt64 { number.withLock { $0 } }

        package func set(_ value: UInt64) { number.withLock { $0 = value } }
    #else
        private let number: Atomic<UInt64>

        package init(_ number: UInt64 = 0) { self.number = Atomic(number) }

        package var value: UInt64 { number.load(ordering: .acquiring) }

        package func set(_ value: UInt64) { number.store(value, ordering: .releasing) }
    #endif
}
