#if canImport(Combine)
    public import Combine

    extension QueryStore {
        /// A Combine publisher of the store's states, beginning with the current one; see ``QueryPublisher``.
        public var publisher: QueryPublisher<State> { QueryPublisher(store: self) }
    }

    /// A Combine publisher of a store's states. Each subscriber subscribes to the store until it cancels.
    ///
    /// If a subscriber requests states more slowly than they change, it receives only the newest state at its next request. States arrive
    /// one at a time, on the thread that made the change. Use `receive(on:)` for code of the main actor:
    ///
    /// ```swift
    /// store.publisher
    ///     .receive(on: DispatchQueue.main)
    ///     .sink { [weak self] state in self?.show(state) }
    ///     .store(in: &cancellables)
    /// ```
    public struct QueryPublisher<State: QueryStateProtocol>: Publisher, Sendable {
        public typealias Output = State
        public typealias Failure = Never

        let store: QueryStore<State>

        public func receive<Downstream: Combine.Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == State, Downstream.Failure == Never {
            let subscription = StateSubscription(Receiver(receive: subscriber.receive), store.core.host.work)
            subscriber.receive(subscription: subscription)
            subscription.attach(to: store)
        }
    }

    /// A subscriber of Combine, which need not be Sendable.
    // Invariant: called only with the states that the subscription's gate passes on, one at a time.
    private struct Receiver<State>: @unchecked Sendable {
        let receive: (State) -> Subscribers.Demand
    }

    private final class StateSubscription<State: QueryStateProtocol>: Combine.Subscription, Sendable {
        private struct Inside: Sendable {
            var gate = DemandGate<State>()
            var receiver: Receiver<State>?
            var subscription: QuerySubscription?
        }

        private let inside: Lock<Inside>

        private let work: WorkCounter

        init(_ receiver: Receiver<State>, _ work: WorkCounter) {
            inside = Lock(Inside(receiver: receiver))
            self.work = work
        }

        func attach(to store: QueryStore<State>) {
            guard !inside.withLock({ $0.gate.isClosed }) else { return }
            // Weak, because the subscriber retains its subscription; the store must not.
            let subscription = store.subscribe(with: QueryEventHandler { [weak self] state, _ in self?.put(state) })
            let isCancelled = inside.withLock { inside in
                if inside.gate.isClosed { return true }
                inside.subscription = subscription
                return false
            }
            if isCancelled { subscription.cancel() }
        }

        private func put(_ state: State) {
            handOn(inside.withLock { $0.gate.put(state) }.next)
        }

        func request(_ demand: Subscribers.Demand) {
            handOn(inside.withLock { $0.gate.request(for: demand.count) })
        }

        func cancel() {
            let (receiver, subscription, waiting) = inside.withLock { inside in
                defer {
                    inside.receiver = nil
                    inside.subscription = nil
                }
                return (inside.receiver, inside.subscription, inside.gate.close())
            }
            // Release all three here, outside the lock.
            withExtendedLifetime((receiver, waiting)) { subscription?.cancel() }
        }

        private func handOn(_ first: State?) {
            guard first != nil else { return }
            // Another thread may leave a state to this thread, and `settled()` must wait for it.
            let token = work.begin()
            defer { token.end() }
            var next = first
            while let state = next, let receiver = inside.withLock({ $0.receiver }) {
                let more = receiver.receive(state)
                next = inside.withLock { $0.gate.next(demanding: more.count) }
            }
        }
    }

    extension Subscribers.Demand {
        fileprivate var count: Int { max ?? .max }
    }
#endif
