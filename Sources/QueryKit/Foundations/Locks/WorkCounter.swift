/// Counts the work that must end before a client is settled. Each piece of work is a token; ending the token subtracts it.
final class WorkCounter: Sendable {
    private let work = Tally()
    private let waiting = Lock<[Promise<Void>]>([])
    /// The number of promises in ``waiting``, so that ending work takes no lock if there are none.
    ///
    /// A waiter increments this number before it reads ``work``, and ending work decrements ``work`` before it reads this number. So at
    /// least one of the two sees the other's change.
    private let waiters = Tally()

    /// The number of pieces of work under way.
    var count: Int { work.value }

    /// Begins a piece of work. It ends when its token is ended or deallocated.
    func begin() -> WorkToken {
        change(by: 1)
        return WorkToken(self)
    }

    /// Waits until no work is left. Returns `false` if the waiting task is cancelled before.
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

    /// Resumes all waiters, because the client is being deallocated and no more work will end.
    func close() { letAllContinue(evenWithWork: true) }

    /// Adds or subtracts a piece of work, for an owner that derives from its own state whether it is working.
    func count(_ begins: Bool) { change(by: begins ? 1 : -1) }

    fileprivate func change(by difference: Int) {
        if work.add(difference) == 0, waiters.value != 0 { letAllContinue() }
    }

    private func letAllContinue(evenWithWork: Bool = false) {
        let all = waiting.withLock { waiting -> [Promise<Void>] in
            // New work may have begun since the count was 0, and some promises may wait for it. They are resolved when that work ends.
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
/// A token doesn't count while it is suspended: while its owner waits for time to pass, for the network, or for other work.
final class WorkToken: Sendable {
    private enum Phase {
        case working, suspended, ended
    }

    private let counter: WorkCounter
    private let phase = Lock(Phase.working)

    fileprivate init(_ counter: WorkCounter) { self.counter = counter }

    /// Stops counting until ``resume()``. Does nothing if the given flag is raised.
    func suspend(unless isOver: SharedFlag? = nil) { move(from: .working, to: .suspended) { isOver?.isRaised != true } }

    /// Counts again. If other work causes the resumption, call this before you end the token of that work.
    func resume() { move(from: .suspended, to: .working) }

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
