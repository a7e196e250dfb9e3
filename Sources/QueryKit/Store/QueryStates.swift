/// The states of a store as they come; see ``QueryStore/states``.
public struct QueryStates<State: QueryStateProtocol>: AsyncSequence, Sendable {
    public typealias Element = State

    let store: QueryStore<State>

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in continuation.yield(state) })
        return Iterator(base: stream.makeAsyncIterator(), subscription: subscription)
    }

    /// Holds the subscription; it ends with the iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<State>.Iterator
        let subscription: QuerySubscription

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> State? {
            let state = await base.next(isolation: actor)
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

    /// Skips what did not change.
    public struct Iterator: AsyncIteratorProtocol {
        var base: QueryStates<State>.Iterator
        let transform: @Sendable (State) -> Selected
        var last: Selected?

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Selected? {
            while let state = await base.next(isolation: actor) {
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
