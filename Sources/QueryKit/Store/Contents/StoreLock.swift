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

    /// Looks at what lasts, and costs an idle store no contents. The state may lack a ``StoreBasis/loneRun``.
    ///
    /// - Parameter isBusy: Whether something is on its way to handlers.
    @inline(__always)
    func withBasis<Result: Sendable>(_ body: (inout StoreBasis, _ isBusy: Bool) -> Result) -> Result {
        guarded.withLock { guarded in
            let isBusy = guarded.contents?.pointee.outbox.isBusy ?? false
            return body(&guarded.basis, isBusy)
        }
    }

    /// Looks at what lasts, with the state that everybody sees.
    @inline(__always)
    func withState<Result: Sendable>(_ body: (inout StoreBasis) -> Result) -> Result {
        guarded.withLock { guarded in
            if guarded.basis.loneRun != nil { guarded.contents = withUnsafeMutablePointer(to: &guarded.basis) { Guarded.open($0) } }
            return body(&guarded.basis)
        }
    }

    /// Changes contents that are open and stay so; `nil` if they are not open. Nothing may follow from the change.
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

    /// Changes the basis of a store in which nothing goes on; `nil` if something does.
    @inline(__always)
    func withQuietBasis<Result: Sendable>(_ body: (inout StoreBasis) -> Result?) -> Result? {
        guarded.withLock { $0.contents == nil && $0.basis.loneRun == nil ? body(&$0.basis) : nil }
    }

    /// Changes the basis of a store in which one run goes on and nothing else; `nil` if that is not so any more.
    @inline(__always)
    func withLoneBasis<Result: Sendable>(of run: StoreRun, _ body: (inout StoreBasis) -> Result?) -> Result? {
        guarded.withLock { $0.basis.loneRun === run ? body(&$0.basis) : nil }
    }

    /// Frees all of it. Called at the end of the store, when nothing else uses it.
    func end() {
        guarded.withLock { $0.close() }
        guarded.free()
    }
}
