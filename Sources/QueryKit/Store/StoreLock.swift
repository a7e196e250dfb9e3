/// The lock of a store, with what it guards.
///
/// Most stores are idle most of the time. They keep their ``StoreBasis`` only; machine, callers and deliveries are made when something
/// happens, and go when all is at rest again.
struct StoreLock: Sendable {
    private struct Guarded {
        /// `nil` while the contents hold it.
        var basis: StoreBasis?
        // Invariant: allocated by ``open()``, freed by ``close()`` and at the end of the store, used with the lock held.
        var contents: UnsafeMutablePointer<StoreContents>?

        mutating func open() -> UnsafeMutablePointer<StoreContents> {
            let new = UnsafeMutablePointer<StoreContents>.allocate(capacity: 1)
            new.initialize(to: StoreContents(basis: basis.take()!))
            contents = new
            return new
        }

        mutating func close() {
            guard let contents = contents.take() else { return }
            contents.pointee.basis.lastRun = contents.pointee.machine.lastNumber
            basis = contents.move().basis
            contents.deallocate()
        }
    }

    private let guarded: Lock<Guarded>

    init(_ basis: sending StoreBasis) { guarded = Lock(Guarded(basis: basis)) }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout StoreContents) -> Result) -> Result {
        guarded.withLock { guarded in
            let contents = guarded.contents ?? guarded.open()
            let result = body(&contents.pointee)
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
            guard let contents = guarded.contents else { return body(&guarded.basis!, false) }
            return body(&contents.pointee.basis, contents.pointee.outbox.isBusy)
        }
    }

    /// Closes the contents. Called at the end of the store, when nothing else uses it.
    func end() { guarded.withLock { $0.close() } }
}
