/// A value that many listen to: each hears every change, one at a time and in order, with no lock held.
final class Listeners<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value
        var nextListener = 0
        var listeners: [(number: Int, hear: @Sendable (Value) -> Void)] = []
        var line = DeliveryLine<Value>()

        var hearing: [@Sendable (Value) -> Void] { listeners.map(\.hear) }
    }

    private let state: Lock<State>

    init(_ value: Value) { state = Lock(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Takes over a value and tells it, unless it is the one that everybody knows.
    func set(_ value: Value) {
        tell { $0 != value ? value : nil }
    }

    /// Tells a value that may be the same as before: something happened again.
    func send(_ value: Value) {
        tell { _ in value }
    }

    func add(_ hear: @escaping @Sendable (Value) -> Void) -> QuerySubscription {
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners.append((state.nextListener, hear))
            return state.nextListener
        }
        return QuerySubscription { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        // The closure leaves the lock before it ends.
        _ = state.withLock { state -> (@Sendable (Value) -> Void)? in
            guard let index = state.listeners.firstIndex(where: { $0.number == number }) else { return nil }
            return state.listeners.remove(at: index).hear
        }
    }

    private func tell(_ choose: (_ current: Value) -> Value?) {
        var turn = state.withLock { state -> (Value, [@Sendable (Value) -> Void])? in
            guard let value = choose(state.value) else { return nil }
            state.value = value
            return state.line.enter(value).map { ($0, state.hearing) }
        }
        while let (value, hearing) = turn {
            for hear in hearing { hear(value) }
            turn = state.withLock { state in state.line.next().map { ($0, state.hearing) } }
        }
    }
}
