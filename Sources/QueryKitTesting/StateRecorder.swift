public import QueryKit

/// Records all states of a store in order, so that a test can compare the whole sequence.
///
/// ```swift
/// let recorder = StateRecorder(client.store(for: Notes()))
/// await client.settled()
/// #expect(recorder.states.map(\.isLoading) == [false, true, false])
/// #expect(await recorder.first { $0.value != nil }?.value == ["Milk"])
/// ```
///
/// Unlike a loop over `store.states`, a recorder misses no state, even if states follow each other quickly. It is an observer like any
/// other: when it begins, the store fetches if it has no fresh result, and it refetches after invalidations while the recorder exists.
public final class StateRecorder<State: QueryStateProtocol>: Sendable {
    private struct Record {
        var states: [State] = []
        var read = 0
        var isCancelled = false
        var readers: [AsyncStream<Void>.Continuation] = []
    }

    private let record: Lock<Record>
    private let subscription: QuerySubscription

    /// Starts recording, with the current state first.
    public init(_ store: QueryStore<State>) {
        let record = Lock(Record())
        self.record = record
        subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                let readers = record.withLock { record in
                    record.states.append(state)
                    defer { record.readers = [] }
                    return record.readers
                }
                for reader in readers { reader.finish() }
            }
        )
    }

    /// All states so far, in order. Doesn't change what ``next()`` returns.
    public var states: [State] { record.withLock { $0.states } }

    /// Returns the first state that ``next()`` and ``first(where:)`` have not yet returned. Waits if there is none.
    ///
    /// Returns `nil` if the waiting task or the recorder is cancelled first.
    public func next() async -> State? { await first { _ in true } }

    /// Returns the next state for which a condition holds. Skips other states, and waits if necessary.
    ///
    /// Returns `nil` if the waiting task or the recorder is cancelled first.
    public func first(where condition: @Sendable (State) -> Bool) async -> State? {
        while !Task.isCancelled {
            let (state, isOver) = record.withLock { record -> (State?, Bool) in
                guard record.read < record.states.count else { return (nil, record.isCancelled) }
                record.read += 1
                return (record.states[record.read - 1], false)
            }
            if let state {
                if condition(state) { return state }
            } else if isOver {
                return nil
            } else {
                await newState()
            }
        }
        return nil
    }

    /// Stops recording. The recorded states remain.
    public func cancel() {
        subscription.cancel()
        let readers = record.withLock { record in
            record.isCancelled = true
            defer { record.readers = [] }
            return record.readers
        }
        for reader in readers { reader.finish() }
    }

    /// Waits until there may be a new state.
    private func newState() async {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self)
        let isThere = record.withLock { record in
            if record.read < record.states.count || record.isCancelled { return true }
            record.readers.append(signal)
            return false
        }
        if isThere { return }
        for await _ in stream {}
    }

    deinit { cancel() }
}
