/// A counter that costs only an addition: the smallest work for a handler.
// Invariant: only one thread adds at a time. Handlers of one store are never called concurrently.
final class Tally: @unchecked Sendable {
    private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init() { count.initialize(to: 0) }

    deinit { count.deallocate() }

    @inline(__always)
    func add() { count.pointee &+= 1 }
}
