/// Counts what has to happen before a client is settled. Each piece of work is a token whose end subtracts it.
final class WorkCounter: Sendable {
    private let work = Tally()
    private let waiting = Lock<[Promise<Void>]>([])
    /// The number of promises in ``waiting``, so that ending work takes no lock when none waits.
    ///
    /// A waiter raises this number before it reads the work; the end of work lowers the work before it reads this number. So at least one of
    /// the two sees the other.
    private let waiters = Tally()

    /// How many pieces of work are under way.
    var count: Int { work.value }

    /// Begins a piece of work, which lasts until its token ends or is deallocated.
    func begin() -> WorkToken {
        change(by: 1)
        return WorkToken(self)
    }

    /// Returns when no work is left, or when the waiting task is cancelled; `false` in the latter case.
    @discardableResult
    func settled() async -> Bool {
        if work.value == 0 { return true }
        let promise = Promise<Void>()
        waiting.withLock { waiting in
            waiting.append(promise)
            _ = waiters.add(1)
        }
        if work.value == 0 { letAllContinue() }
        return (try? await promise.get()) != nil
    }

    /// Lets everyone continue who waits: the client is deallocated, and nothing will be subtracted any more.
    func close() { letAllContinue(evenWithWork: true) }

    /// Counts a piece of work that begins or ends, for an owner that derives from its own state whether it works.
    func count(_ begins: Bool) { change(by: begins ? 1 : -1) }

    fileprivate func change(by difference: Int) {
        if work.add(difference) == 0, waiters.value != 0 { letAllContinue() }
    }

    private func letAllContinue(evenWithWork: Bool = false) {
        let all = waiting.withLock { waiting -> [Promise<Void>] in
            // New work may have begun since the count was 0, and some promises may wait for that. The end of that work resolves them.
            guard evenWithWork || work.value == 0 else { return [] }
            defer { waiting = [] }
            _ = waiters.add(-waiting.count)
            return waiting
        }
        for promise in all { promise.resolve(.success(())) }
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
