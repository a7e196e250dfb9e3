import Observation

/// Waits until something that `read` reads of observable objects changes, and returns what it reads then.
///
/// A change is noticed from the moment of the call; `cause` runs after that. All on the main actor, so that nothing changes in between.
@MainActor
func change<Value: Sendable>(of read: @MainActor () -> Value, after cause: @MainActor () -> Void = {}) async -> Value {
    await withCheckedContinuation { continuation in
        withObservationTracking {
            _ = read()
        } onChange: {
            // Traps elsewhere: that is the promise.
            MainActor.preconditionIsolated()
            continuation.resume()
        }
        cause()
    }
    return read()
}

/// Calls `read` now, and again whenever something that it reads of observable objects is about to change.
@MainActor
func watch(_ read: @escaping @MainActor @Sendable () -> Void) {
    withObservationTracking(read) {
        MainActor.preconditionIsolated()
        MainActor.assumeIsolated { watch(read) }
    }
}
