/// A lock with the state it guards, in memory that its owner frees. Unlike a ``Lock`` it has no object header.
///
/// The lock is stored first, so that it shares a cache line with the beginning of the state.
struct LockedCell<State>: Sendable {
    // Invariant: allocated by `init` and freed by `free()`. The state is read and written with the lock held.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    private static var offset: Int {
        let alignment = MemoryLayout<State>.alignment
        return (MemoryLayout<RawLock>.size + alignment - 1) / alignment * alignment
    }

    private var raw: UnsafeMutablePointer<RawLock> { memory.assumingMemoryBound(to: RawLock.self) }
    private var state: UnsafeMutablePointer<State> { (memory + Self.offset).assumingMemoryBound(to: State.self) }

    init(_ state: sending State) {
        let alignment = max(MemoryLayout<State>.alignment, MemoryLayout<RawLock>.alignment)
        memory = .allocate(byteCount: Self.offset + MemoryLayout<State>.size, alignment: alignment)
        LockBuffer<State>.prepare(raw)
        (memory + Self.offset).initializeMemory(as: State.self, to: state)
    }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        LockBuffer<State>.lock(raw)
        defer { LockBuffer<State>.unlock(raw) }
        return body(&state.pointee)
    }

    /// Destroys the state and the lock, and frees their memory. The cell must not be used afterwards.
    func free() {
        state.deinitialize(count: 1)
        LockBuffer<State>.retire(raw)
        memory.deallocate()
    }
}
