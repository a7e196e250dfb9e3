#if canImport(Darwin)
    import Darwin

    private typealias RawLock = os_unfair_lock_s
#elseif canImport(Glibc)
    @preconcurrency import Glibc

    private typealias RawLock = pthread_mutex_t
#elseif canImport(Musl)
    @preconcurrency import Musl

    private typealias RawLock = pthread_mutex_t
#endif

/// State behind the kind of lock that the library uses. Floors use it, because all shared state needs a lock.
// Invariant: `state` is accessed only between locking and unlocking `raw`.
final class Guarded<State>: @unchecked Sendable {
    private let raw = UnsafeMutablePointer<RawLock>.allocate(capacity: 1)
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    init(_ initial: State) {
        state.initialize(to: initial)
        raw.initialize(to: RawLock())
        #if !canImport(Darwin)
            pthread_mutex_init(raw, nil)
        #endif
    }

    @inline(__always)
    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        #if canImport(Darwin)
            os_unfair_lock_lock(raw)
            defer { os_unfair_lock_unlock(raw) }
        #else
            pthread_mutex_lock(raw)
            defer { pthread_mutex_unlock(raw) }
        #endif
        return try body(&state.pointee)
    }

    deinit {
        #if !canImport(Darwin)
            pthread_mutex_destroy(raw)
        #endif
        state.deinitialize(count: 1)
        state.deallocate()
        raw.deallocate()
    }
}
