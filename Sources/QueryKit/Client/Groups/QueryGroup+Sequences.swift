/// A sequence of the states of a group; see ``QueryGroup/states``.
public struct QueryGroupStates<State: QueryStateProtocol>: AsyncSequence, Sendable {
    public typealias Element = [State]

    let group: QueryGroup<State>

    public func makeAsyncIterator() -> Iterator {
        let mailbox = Mailbox<[State]>()
        return Iterator(mailbox: mailbox, subscription: group.subscribe { mailbox.put($0) })
    }

    /// The iterator owns the subscription. Use it in one task.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<[State]>
        let subscription: QuerySubscription

        /// Returns the newest states that were not yet returned, and waits if there are none. Returns `nil` once the task is cancelled.
        public func next() async -> [State]? {
            let states = await mailbox.take()
            if states == nil { subscription.cancel() }
            return states
        }
    }
}

/// A sequence of values that a closure computes from the states of a group, or of stores of any types. Equal values are not repeated.
///
/// ```swift
/// let left = QueryCombination(budget, eaten) { budget, eaten in
///     (budget.value ?? 0) - (eaten.value ?? 0)
/// }
/// for await left in left { show(left) }
/// ```
///
/// Each iteration subscribes to all stores, and unsubscribes when it ends.
public struct QueryCombination<Combined: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Combined

    let observe: @Sendable (@escaping @Sendable ([AnyValue]) -> Void) -> QuerySubscription
    let transform: @Sendable ([AnyValue]) -> Combined

    init(
        observe: @escaping @Sendable (@escaping @Sendable ([AnyValue]) -> Void) -> QuerySubscription,
        transform: @escaping @Sendable ([AnyValue]) -> Combined
    ) {
        self.observe = observe
        self.transform = transform
    }

    /// Creates a combination of the states of some stores.
    public init<each State: QueryStateProtocol>(
        _ store: repeat QueryStore<each State>,
        transform: @escaping @Sendable (repeat each State) -> Combined
    ) {
        var list: [GroupMember] = []
        for store in repeat each store { list.append(GroupMember(store)) }
        let members = list
        self.init(
            observe: { onChange in
                let session = GroupSession(onChange)
                session.adopt(members, version: 1)
                return QuerySubscription { session.end() }
            },
            transform: { states in
                var rest = states[...]
                func next<Next>(_ type: Next.Type) -> Next { rest.removeFirst().unboxed(as: type) }
                return transform(repeat next((each State).self))
            }
        )
    }

    public func makeAsyncIterator() -> Iterator {
        let mailbox = Mailbox<[AnyValue]>()
        return Iterator(mailbox: mailbox, subscription: observe { mailbox.put($0) }, transform: transform)
    }

    /// Skips repeated values. Use it in one task.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: Mailbox<[AnyValue]>
        let subscription: QuerySubscription
        let transform: @Sendable ([AnyValue]) -> Combined
        var last: Combined?

        /// Returns the next value that differs from the previous one; `nil` once the task is cancelled.
        public mutating func next() async -> Combined? {
            while let states = await mailbox.take() {
                let combined = transform(states)
                if combined != last {
                    last = combined
                    return combined
                }
            }
            subscription.cancel()
            return nil
        }
    }
}
