import Foundation

/// The result of a call, for all tasks that wait for it.
///
/// A waiting task may be cancelled before the call ends. The task would not notice this if it awaited the task of the call.
struct CallOutcome: Sendable {
    private struct Waiter {
        let number: Int
        // Invariant: resumed once, by the code that removes the waiter from the list.
        let continuation: UnsafeContinuation<AnyValue, any Error>
    }

    private struct State {
        var result: Result<AnyValue, any Error>?
        /// Whether the call has nothing left to do, so that the waiters can be resumed.
        var isOver = false
        /// The waiters. Usually there is one: the first is stored separately, which needs no array.
        var first: Waiter?
        var others: [Waiter] = []
        var retry: Retry?

        mutating func add(_ waiter: Waiter) { if first == nil { first = waiter } else { others.append(waiter) } }

        mutating func remove(_ number: Int) -> Waiter? {
            if first?.number == number { return first.take() }
            return others.firstIndex { $0.number == number }.map { others.remove(at: $0) }
        }
    }

    /// The call that is made instead of one that has failed.
    final class Retry: Sendable {
        /// The id of the new call if it needs one, so that simultaneous repetitions make only one call.
        let id = UUID()
        private let made = Lock<Call?>(nil)

        var call: Call? { made.withLock { $0 } }

        // The previous call is released outside the lock.
        func set(_ call: Call) { _ = made.exchange(call) }
    }

    private let state = Lock(State())

    /// The number of the latest waiter of all calls.
    private static let lastNumber = Tally()

    /// `nil` while the call is pending. A failure is available here before the state shows it.
    var result: Result<AnyValue, any Error>? { state.withLock { $0.result } }

    /// The call that was made instead of this one, after this one had failed.
    var successor: Call? { state.withLock { $0.retry?.call } }

    /// The call that was or will be made instead of this one.
    func retry() -> Retry {
        state.withLock { state in
            let retry = state.retry ?? Retry()
            state.retry = retry
            return retry
        }
    }

    /// Sets the error before the state shows it.
    func announce(_ error: any Error) { state.withLock { $0.result = .failure(error) } }

    func resolve(_ result: Result<AnyValue, any Error>) {
        let (first, others) = state.withLock { state in
            (state.result, state.isOver) = (result, true)
            defer { (state.first, state.others) = (nil, []) }
            return (state.first, state.others)
        }
        first?.continuation.resume(with: result)
        for waiter in others { waiter.continuation.resume(with: result) }
    }

    /// The result. Throws a `CancellationError` as soon as the waiting task is cancelled.
    ///
    /// - Parameter onCancel: Called first in that case.
    func get(onCancel: @escaping @Sendable () -> Void = {}) async throws -> AnyValue {
        let number = Self.lastNumber.add(1)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let early = state.withLock { state -> Result<AnyValue, any Error>? in
                    // The cancellation handler takes the same lock: either it finds the waiter, or this code finds the task cancelled.
                    if state.isOver { return state.result }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.add(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            onCancel()
            let waiter = state.withLock { $0.remove(number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
