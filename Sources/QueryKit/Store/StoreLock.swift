/// The lock of a store, with what it guards.
///
/// Most stores are idle most of the time. They keep their ``StoreBasis`` only; machine, callers and deliveries are made when something
/// happens, and go when all is at rest again.
struct StoreLock: Sendable {
    private struct Guarded {
        var basis: StoreBasis
        // Invariant: allocated by ``open(_:)``, freed by ``close()`` and at the end of the store, used with the lock held.
        var contents: UnsafeMutablePointer<StoreContents>?

        static func open(_ basis: UnsafeMutablePointer<StoreBasis>) -> UnsafeMutablePointer<StoreContents> {
            let new = UnsafeMutablePointer<StoreContents>.allocate(capacity: 1)
            new.initialize(to: StoreContents(basis: basis))
            return new
        }

        mutating func close() {
            guard let contents = contents.take() else { return }
            basis.lastRun = contents.pointee.machine.lastNumber
            contents.deinitialize(count: 1)
            contents.deallocate()
        }
    }

    private let guarded: Lock<Guarded>

    init(_ basis: sending StoreBasis) { guarded = Lock(Guarded(basis: basis)) }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout StoreContents) -> Result) -> Result {
        guarded.withLock { guarded in
            let known = guarded.contents
            let (contents, result) = withUnsafeMutablePointer(to: &guarded.basis) { basis in
                let contents = known ?? Guarded.open(basis)
                contents.pointee.basis = basis
                return (contents, body(&contents.pointee))
            }
            guarded.contents = contents
            if contents.pointee.isAtRest() { guarded.close() }
            return result
        }
    }

    /// Looks at what lasts, and costs an idle store no contents.
    ///
    /// - Parameter isBusy: Whether something is on its way to handlers.
    @inline(__always)
    func withBasis<Result: Sendable>(_ body: (inout StoreBasis, _ isBusy: Bool) -> Result) -> Result {
        guarded.withLock { guarded in
            let isBusy = guarded.contents?.pointee.outbox.isBusy ?? false
            return body(&guarded.basis, isBusy)
        }
    }

    /// Closes the contents. Called at the end of the store, when nothing else uses it.
    func end() { guarded.withLock { $0.close() } }
}
