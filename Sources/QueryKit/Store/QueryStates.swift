/// The states of a store as they come; see ``QueryStore/states``.
public struct QueryStates<State: QueryStateProtocol>: AsyncSequence, Sendable {
    public typealias Element = State

    let store: QueryStore<State>

    public func makeAsyncIterator() -> Iterator {
        let mailbox = Mailbox<State>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in mailbox.put(state) })
        return Iterator(mailbox: mailbox, subscription: subscription)
    }

    /// Holds the subscription, which ends with it. For one task.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<State>
        let subscription: QuerySubscription

        /// The newest state that was not seen yet; waits for one if need be. `nil` once the task is cancelled.
        public func next() async -> State? {
            let state = await mailbox.take()
            if state == nil { subscription.cancel() }
            return state
        }
    }
}

/// A part of the states of a store, without repetitions; see ``QueryStore/select(_:)``.
public struct QuerySelection<State: QueryStateProtocol, Selected: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Selected

    let states: QueryStates<State>
    let transform: @Sendable (State) -> Selected

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: states.makeAsyncIterator(), transform: transform)
    }

    /// Skips what did not change. For one task.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let base: QueryStates<State>.Iterator
        let transform: @Sendable (State) -> Selected
        var last: Selected?

        /// The next selection that differs from the last; `nil` once the task is cancelled.
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
