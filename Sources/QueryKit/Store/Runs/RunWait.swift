/// One wait of a run, for time to pass or for another run. The run doesn't count as working during the wait.
///
/// Call ``end()`` before you resume the run, so that `settled()` doesn't return in between.
///
/// Several tasks of one run may wait at the same time, for example with `async let`. When one of them continues, the run counts again. It
/// can't be determined whether that task still works or ended with its wait. So a ``moment`` later the run stops counting, unless one of
/// its tasks has begun or ended another wait.
final class RunWait: Sendable {
    /// How long a run counts after one of its tasks has continued while others still wait.
    private static var moment: Duration { .milliseconds(50) }

    private let run: StoreRun
    /// Counts as working from the end of the awaited run until this run counts again.
    private let resumption: WorkToken?
    private let hasBegun = SharedFlag()
    private let isOver = SharedFlag()

    init(of run: StoreRun, awaitsRun: Bool = false) {
        self.run = run
        resumption = awaitsRun ? run.store.host.work.begin() : nil
        resumption?.suspend()
    }

    /// Begins the wait, so that the run stops counting, unless the wait is over already.
    func begin() {
        let hasBegun = run.store.noteWaits(of: run) { waits, isWaiting in
            // An open stream that waits for its next value isn't counted anyway.
            if isOver.isRaised || resumption != nil && isWaiting && waits.count == 0 { return false }
            self.hasBegun.raise()
            waits.begin()
            isWaiting = true
            return true
        }
        if hasBegun { run.token?.suspend(unless: isOver) }
    }

    /// Call this when the awaited run is about to end. Its store's lock is held then, so this takes no store's lock.
    func resume() { resumption?.resume() }

    /// Ends the wait, so that the run counts again. Further calls do nothing.
    func end() {
        if isOver.raise() {
            let left = run.store.noteWaits(of: run) { waits, isWaiting -> RunWaits? in
                guard hasBegun.isRaised else { return nil }
                waits.end()
                isWaiting = false
                return waits.count > 0 ? waits : nil
            }
            run.token?.resume()
            if let left { suspendAgain(unlessAfter: left) }
        }
        resumption?.end()
    }

    private func suspendAgain(unlessAfter waits: RunWaits) {
        // The task has no owner: it checks once and ends.
        Task.detached { [run] in
            try await Task.sleep(for: Self.moment)
            let suspends = run.store.noteWaits(of: run) { current, isWaiting in
                guard current == waits else { return false }
                isWaiting = true
                return true
            }
            if suspends { run.token?.suspend() }
        }
    }
}

/// The unfinished waits of a run's tasks.
struct RunWaits: Equatable, Sendable {
    private(set) var count = 0
    /// The number of waits that have begun or ended so far.
    private var changeCount = 0

    mutating func begin() {
        count += 1
        changeCount += 1
    }

    mutating func end() {
        count -= 1
        changeCount += 1
    }
}

extension StoreCore {
    /// Changes the waits of a run, and whether it counts as working. The machine isn't involved.
    fileprivate func noteWaits<Result: Sendable>(
        of run: StoreRun,
        _ change: (_ waits: inout RunWaits, _ isWaiting: inout Bool) -> Result
    ) -> Result {
        let (result, actions) = contents.withLock { contents in
            // A private run is counted by its token.
            let isCounted = contents.run === run
            var isWaiting = isCounted && run.activity == .waiting
            let result = change(&run.waits, &isWaiting)
            if isCounted { run.activity = isWaiting ? .waiting : .working }
            return (result, contents.conclude())
        }
        perform(actions)
        return result
    }
}
