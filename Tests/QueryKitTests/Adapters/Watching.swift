import Observation

/// Runs `cause`, waits until something that `read` reads of observable objects changes, and returns the new reading.
///
/// A change is noticed from the moment of the call. Everything runs on the main actor, so nothing changes in between.
@MainActor
func change<Value: Sendable>(of read: @MainActor () -> Value, after cause: @MainActor () -> Void = {}) async -> Value {
    await withCheckedContinuation { continuation in
        withObservationTracking {
            _ = read()
        } onChange: {
            // Traps on any other thread, which would break the promise.
            MainActor.preconditionIsolated()
            continuation.resume()
        }
        cause()
    }
    return read()
}

/// Calls `read` now, and again each time an observable property that it reads is about to change.
@MainActor
func watch(_ read: @escaping @MainActor @Sendable () -> Void) {
    withObservationTracking(read) {
        MainActor.preconditionIsolated()
        MainActor.assumeIsolated { watch(read) }
    }
}
