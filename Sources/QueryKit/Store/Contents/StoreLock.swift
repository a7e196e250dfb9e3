/// The lock of a store, with the data it guards.
///
/// Most stores are idle most of the time. An idle store has only its ``StoreBasis``; machine, callers and deliveries are created when
/// something happens, and deallocated when the store is at rest again.
struct StoreLock: Sendable {
    private struct Guarded {
        var basis: StoreBasis
        // Invariant: allocated by ``open(_:)``, freed by ``close()`` and when the store is deallocated, used with the lock held.
        var contents: UnsafeMutablePointer<StoreContents>?

        static func open(_ basis: UnsafeMutablePointer<StoreBasis>) -> UnsafeMutablePointer<StoreContents> {
            let new = UnsafeMutablePointer<StoreContents>.allocate(capacity: 1)
            new.initialize(to: StoreContents(basis: basis))
            if let run = basis.pointee.loneRun.take() { new.pointee.take(run) }
            return new
        }

        mutating func close() {
            guard let contents = contents.take() else { return }
            basis.lastRun = contents.pointee.machine.lastNumber
            contents.deinitialize(count: 1)
            contents.deallocate()
        }
    }

    private let guarded: LockedCell<Guarded>

    init(_ basis: sending StoreBasis) { guarded = LockedCell(Guarded(basis: basis)) }

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

    /// Accesses the basis without opening the contents of an idle store. The state doesn't show a ``StoreBasis/loneRun``.
    ///
    /// - Parameter isBusy: Whether a delivery to handlers is under way.
    @inline(__always)
    func withBasis<Result: Sendable>(_ body: (inout StoreBasis, _ isBusy: Bool) -> Result) -> Result {
        guarded.withLock { guarded in
            let isBusy = guarded.contents?.pointee.outbox.isBusy ?? false
            return body(&guarded.basis, isBusy)
        }
    }

    /// Accesses the basis with the state that observers see, which includes a lone run.
    @inline(__always)
    func withState<Result: Sendable>(_ body: (inout StoreBasis) -> Result) -> Result {
        guarded.withLock { guarded in
            if guarded.basis.loneRun != nil { guarded.contents = withUnsafeMutablePointer(to: &guarded.basis) { Guarded.open($0) } }
            return body(&guarded.basis)
        }
    }

    /// Reads the basis, or the contents if they are open, without changing anything.
    func inspect<Result: Sendable>(
        basis inspectBasis: (borrowing StoreBasis) -> Result,
        contents inspectContents: (borrowing StoreContents) -> Result
    ) -> Result {
        guarded.withLock { guarded in
            guard let contents = guarded.contents else { return inspectBasis(guarded.basis) }
            return withUnsafeMutablePointer(to: &guarded.basis) { basis in
                contents.pointee.basis = basis
                return inspectContents(contents.pointee)
            }
        }
    }

    /// Changes the contents if they are open; returns `nil` if they aren't. The contents stay open, and no actions are carried out.
    @inline(__always)
    func withOpenContents<Result: Sendable>(_ body: (inout StoreContents) -> Result) -> Result? {
        guarded.withLock { guarded in
            guard let contents = guarded.contents else { return nil }
            return withUnsafeMutablePointer(to: &guarded.basis) { basis in
                contents.pointee.basis = basis
                return body(&contents.pointee)
            }
        }
    }

    /// Changes the basis if nothing is under way in the store; returns `nil` if something is.
    @inline(__always)
    func withQuietBasis<Result: Sendable>(_ body: (inout StoreBasis) -> Result?) -> Result? {
        guarded.withLock { $0.contents == nil && $0.basis.loneRun == nil ? body(&$0.basis) : nil }
    }

    /// Changes the basis if the given run is the only thing under way in the store; returns `nil` if it isn't any more.
    @inline(__always)
    func withLoneBasis<Result: Sendable>(of run: StoreRun, _ body: (inout StoreBasis) -> Result?) -> Result? {
        guarded.withLock { $0.basis.loneRun === run ? body(&$0.basis) : nil }
    }

    /// Frees all memory. Called when the store is deallocated and nothing else uses it.
    func end() {
        guarded.withLock { $0.close() }
        guarded.free()
    }
}
