#if canImport(Darwin)
    public import Darwin

    @usableFromInline typealias RawLock = os_unfair_lock_s
#elseif canImport(Glibc)
    @preconcurrency public import Glibc

    @usableFromInline typealias RawLock = pthread_mutex_t
#elseif canImport(Musl)
    @preconcurrency public import Musl

    @usableFromInline typealias RawLock = pthread_mutex_t
#endif

/// A mutual-exclusion lock that owns the state it protects. It takes one allocation, isn't recursive, and works with the thread sanitizer.
///
/// It is used instead of `Synchronization.Mutex`, which requires macOS 15 and iOS 18. Swift 6.3 specializes it only within this module: in
/// other modules the generic functions run, although they are inlinable, because the bodies of package declarations aren't available there.
// Invariant: `state` is read and written only between `lock` and `unlock` of the lock stored beside it.
package struct Lock<State>: @unchecked Sendable {
    @usableFromInline let buffer: ManagedBuffer<State, RawLock>

    @inlinable
    package init(_ state: sending State) {
        buffer = LockBuffer<State>.make(state)
    }

    @inlinable
    @inline(__always)
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withUnsafeMutablePointers { (state, raw) throws(Failure) -> Result in
            LockBuffer<State>.lock(raw)
            defer { LockBuffer<State>.unlock(raw) }
            return try body(&state.pointee)
        }
    }

    /// Calls a closure with the state, unless another thread has the lock: then it returns `nil` without waiting.
    @inlinable
    @inline(__always)
    package func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try buffer.withUnsafeMutablePointers { (state, raw) throws(Failure) -> Result? in
            guard LockBuffer<State>.lockIfAvailable(raw) else { return nil }
            defer { LockBuffer<State>.unlock(raw) }
            return try body(&state.pointee)
        }
    }
}

extension Lock where State: Sendable {
    /// Replaces the state and returns the old one, so that the caller releases it outside the lock.
    func exchange(_ state: State) -> State {
        withLock { current in
            defer { current = state }
            return current
        }
    }
}

@usableFromInline
final class LockBuffer<State>: ManagedBuffer<State, RawLock> {
    @inlinable
    static func make(_ state: State) -> ManagedBuffer<State, RawLock> {
        assert(MemoryLayout<State>.size > 0, "The state must not be of size zero: it would have the same address as the lock")
        let buffer = create(minimumCapacity: 1) { _ in state }
        buffer.withUnsafeMutablePointerToElements { prepare($0) }
        return buffer
    }

    @inlinable
    @inline(__always)
    static func prepare(_ raw: UnsafeMutablePointer<RawLock>) {
        raw.initialize(to: RawLock())
        #if !canImport(Darwin)
            pthread_mutex_init(raw, nil)
        #endif
    }

    @inlinable
    @inline(__always)
    static func retire(_ raw: UnsafeMutablePointer<RawLock>) {
        #if !canImport(Darwin)
            pthread_mutex_destroy(raw)
        #endif
        raw.deinitialize(count: 1)
    }

    @inlinable
    @inline(__always)
    static func lock(_ raw: UnsafeMutablePointer<RawLock>) {
        #if DEBUG
            LockCount.note()
        #endif
        #if QUERYKIT_PERTURBED
            LockPerturbation.pause()
        #endif
        #if canImport(Darwin)
            os_unfair_lock_lock(raw)
        #else
            pthread_mutex_lock(raw)
        #endif
    }

    @inlinable
    @inline(__always)
    static func lockIfAvailable(_ raw: UnsafeMutablePointer<RawLock>) -> Bool {
        #if QUERYKIT_PERTURBED
            LockPerturbation.pause()
        #endif
        #if canImport(Darwin)
            let isLocked = os_unfair_lock_trylock(raw)
        #else
            let isLocked = pthread_mutex_trylock(raw) == 0
        #endif
        #if DEBUG
            if isLocked { LockCount.note() }
        #endif
        return isLocked
    }

    @inlinable
    @inline(__always)
    static func unlock(_ raw: UnsafeMutablePointer<RawLock>) {
        #if canImport(Darwin)
            os_unfair_lock_unlock(raw)
        #else
            pthread_mutex_unlock(raw)
        #endif
        #if QUERYKIT_PERTURBED
            LockPerturbation.pause()
        #endif
    }

    @inlinable
    deinit {
        withUnsafeMutablePointerToElements { Self.retire($0) }
    }
}
