/// A value with listeners, which are notified of every change: in order, one change at a time, with no lock held.
final class Listeners<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value
        var nextListener = 0
        var listeners: [(number: Int, action: @Sendable (Value) -> Void)] = []
        var queue = DeliveryQueue<Value>()

        var actions: [@Sendable (Value) -> Void] { listeners.map(\.action) }
    }

    private let state: Lock<State>

    init(_ value: Value) { state = Lock(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Sets the value and notifies the listeners, unless it equals the current one.
    func set(_ value: Value) {
        notify { $0 != value ? value : nil }
    }

    /// Sets the value and notifies the listeners even if it equals the current one, because an event has occurred again.
    func send(_ value: Value) {
        notify { _ in value }
    }

    func add(_ action: @escaping @Sendable (Value) -> Void) -> QuerySubscription {
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners.append((state.nextListener, action))
            return state.nextListener
        }
        return QuerySubscription { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        // Release the closure outside the lock: a deinit of its captures may run arbitrary code.
        _ = state.withLock { state -> (@Sendable (Value) -> Void)? in
            guard let index = state.listeners.firstIndex(where: { $0.number == number }) else { return nil }
            return state.listeners.remove(at: index).action
        }
    }

    private func notify(_ choose: (_ current: Value) -> Value?) {
        var turn = state.withLock { state -> (Value, [@Sendable (Value) -> Void])? in
            guard let value = choose(state.value) else { return nil }
            state.value = value
            return state.queue.enter(value).map { ($0, state.actions) }
        }
        while let (value, actions) = turn {
            for action in actions { action(value) }
            turn = state.withLock { state in state.queue.next().map { ($0, state.actions) } }
        }
    }
}
