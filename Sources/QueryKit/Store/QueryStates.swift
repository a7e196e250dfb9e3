/// The states of a store as an asynchronous sequence; see ``QueryStore/states``.
public struct QueryStates<State: QueryStateProtocol>: AsyncSequence, Sendable {
    public typealias Element = State

    let store: QueryStore<State>

    public func makeAsyncIterator() -> Iterator {
        let mailbox = Mailbox<State>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in mailbox.put(state) })
        return Iterator(mailbox: mailbox, subscription: subscription)
    }

    /// Owns the subscription, which ends when the iterator is deallocated. Use it from one task only.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<State>
        let subscription: QuerySubscription

        /// Returns the newest state that was not returned yet, or waits for the next one. Returns `nil` once the task is cancelled.
        public func next() async -> State? {
            let state = await mailbox.take()
            if state == nil { subscription.cancel() }
            return state
        }
    }
}

/// A sequence of values derived from the states of a store, without consecutive duplicates; see ``QueryStore/select(_:)``.
public struct QuerySelection<State: QueryStateProtocol, Selected: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Selected

    let states: QueryStates<State>
    let transform: @Sendable (State) -> Selected

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: states.makeAsyncIterator(), transform: transform)
    }

    /// Skips selections that equal the one before. Use it from one task only.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let base: QueryStates<State>.Iterator
        let transform: @Sendable (State) -> Selected
        var last: Selected?

        /// Returns the next selection that differs from the last one, or `nil` once the task is cancelled.
        public mutating func next() async -> Selected? {
            while let state = await base.next() {
                let selected = transform(state)
                if selected != last {
                    last = selected
                    return selected
                }
            }
            return nil
        }
    }
}
