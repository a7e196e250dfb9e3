/// One watch over something of the system's for many listeners: begun with the first listener, ended with the last.
final class SharedWatch<Value: Sendable & Equatable>: Sendable {
    /// Begins to watch, and calls `tell` with what is new until the subscription ends.
    typealias Begin = @Sendable (_ tell: @escaping @Sendable (Value) -> Void) -> QuerySubscription

    private struct State {
        var count = 0
        /// Tells a watch that was begun for listeners who have left meanwhile.
        var round = 0
        var watch: QuerySubscription?
    }

    private let begin: Begin
    private let listeners: Listeners<Value>
    private let state = Lock(State())

    /// - Parameter initial: What counts as known before anything was told.
    init(_ initial: Value, begin: @escaping Begin) {
        listeners = Listeners(initial)
        self.begin = begin
    }

    func observe(_ handler: @escaping @Sendable (Value) -> Void) -> QuerySubscription {
        let listener = listeners.add(handler)
        join()
        return QuerySubscription { [weak self] in
            listener.cancel()
            self?.leave()
        }
    }

    private func join() {
        let round = state.withLock { state -> Int? in
            state.count += 1
            guard state.count == 1 else { return nil }
            state.round += 1
            return state.round
        }
        guard let round else { return }
        let watch = begin { [weak self] in self?.listeners.send($0) }
        let isTooLate = state.withLock { state in
            if state.round == round { state.watch = watch }
            return state.round != round
        }
        if isTooLate { watch.cancel() }
    }

    private func leave() {
        let watch = state.withLock { state -> QuerySubscription? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            state.round += 1
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
    }
}

/// Lets a value pass that is another than the one before.
struct ChangeFilter<Value: Sendable & Equatable>: Sendable {
    private let latest: Lock<Value?>

    /// - Parameter latest: What counts as the one before the first; `nil` lets any first one pass.
    init(_ latest: Value?) { self.latest = Lock(latest) }

    func passes(_ value: Value) -> Bool {
        latest.withLock { latest in
            defer { latest = value }
            return latest != value
        }
    }
}
