/// Counts what has to happen before a client is settled. Each piece of work is a token whose end subtracts it.
final class WorkCounter: Sendable {
    private struct State {
        var count = 0
        var waiting: [Promise<Void>] = []
    }

    private let state = Lock(State())

    /// How many pieces of work are under way.
    var count: Int { state.withLock { $0.count } }

    /// Begins a piece of work, which lasts until its token ends or is deallocated.
    func begin() -> WorkToken {
        change(by: 1)
        return WorkToken(self)
    }

    /// Returns when no work is left, or when the waiting task is cancelled; `false` in the latter case.
    @discardableResult
    func settled() async -> Bool {
        let promise = state.withLock { state -> Promise<Void>? in
            if state.count == 0 { return nil }
            let promise = Promise<Void>()
            state.waiting.append(promise)
            return promise
        }
        return (try? await promise?.get()) != nil || promise == nil
    }

    /// Lets everyone continue who waits: the client is deallocated, and nothing will be subtracted any more.
    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.resolve(.success(())) }
    }

    /// Counts a piece of work that begins or ends, for an owner that derives from its own state whether it works.
    func count(_ begins: Bool) { change(by: begins ? 1 : -1) }

    fileprivate func change(by difference: Int) {
        let waiting = state.withLock { state -> [Promise<Void>]? in
            state.count += difference
            guard state.count == 0, !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting ?? [] { promise.resolve(.success(())) }
    }
}

/// One piece of work that a client waits for in `settled()`.
///
/// It doesn't count while it rests: that is, while it waits for time to pass, for the network, or for other work.
final class WorkToken: Sendable {
    private enum Phase {
        case working, resting, ended
    }

    private let counter: WorkCounter
    private let phase = Lock(Phase.working)

    fileprivate init(_ counter: WorkCounter) { self.counter = counter }

    /// Stops counting until ``wake()``, unless a flag is raised by then.
    func rest(unless isOver: SharedFlag? = nil) { move(from: .working, to: .resting) { isOver?.isRaised != true } }

    /// Counts again. Call it before the token of the work that caused this ends.
    func wake() { move(from: .resting, to: .working) }

    func end() {
        let former = phase.withLock { phase in
            defer { phase = .ended }
            return phase
        }
        if former == .working { counter.change(by: -1) }
    }

    private func move(from old: Phase, to new: Phase, if condition: () -> Bool = { true }) {
        let moved = phase.withLock { phase in
            guard phase == old, condition() else { return false }
            phase = new
            return true
        }
        if moved { counter.change(by: new == .working ? 1 : -1) }
    }

    deinit { end() }
}
