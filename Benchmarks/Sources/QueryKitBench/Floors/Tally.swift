/// A counter that costs its addition and nothing else: what a handler does that does next to nothing.
// Invariant: one thread at a time adds. Handlers of one store are never called twice at once.
final class Tally: @unchecked Sendable {
    private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init() { count.initialize(to: 0) }

    deinit { count.deallocate() }

    @inline(__always)
    func add() { count.pointee &+= 1 }
}
