/// A value that many listen to: each hears every change, one at a time and in order, with no lock held.
final class Listeners<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value
        var nextListener = 0
        var listeners: [(number: Int, hear: @Sendable (Value) -> Void)] = []
        var pending: [Value] = []
        var isTelling = false

        mutating func enqueue(_ value: Value) -> Bool {
            pending.append(value)
            guard !isTelling else { return false }
            isTelling = true
            return true
        }

        mutating func next() -> (Value, [@Sendable (Value) -> Void])? {
            guard !pending.isEmpty else {
                isTelling = false
                return nil
            }
            return (pending.removeFirst(), listeners.map(\.hear))
        }
    }

    private let state: Lock<State>

    init(_ value: Value) { state = Lock(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Takes over a value and tells it, unless it is the one that everybody knows.
    func set(_ value: Value) {
        let mustTell = state.withLock { state in
            guard value != state.value else { return false }
            state.value = value
            return state.enqueue(value)
        }
        if mustTell { tell() }
    }

    /// Tells a value that may be the same as before: something happened again.
    func send(_ value: Value) {
        let mustTell = state.withLock { state in
            state.value = value
            return state.enqueue(value)
        }
        if mustTell { tell() }
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

    /// Calls the listeners until no change is left. Only one thread does so; a change that comes in between waits its turn.
    private func tell() {
        while let (value, listeners) = state.withLock({ $0.next() }) {
            for hear in listeners { hear(value) }
        }
    }
}
