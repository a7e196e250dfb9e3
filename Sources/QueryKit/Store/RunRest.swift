/// One wait of a run, for time to pass or for another run. The run doesn't count as working in the meantime.
///
/// Whoever ends the wait calls ``end()`` before it resumes the run, so that `settled()` never returns in between. If tasks of one run wait at
/// the same time, the latest beginning or end decides whether the run counts.
final class RunRest: Sendable {
    private let store: StoreCore
    private let run: Int32
    /// Counts the run if it is a private one; other runs are counted by their store.
    private let token: WorkToken?
    /// Counts the run's next step from the moment in which another run ends, until the run counts again by itself.
    private let resumption: WorkToken?
    private let hasBegun = SharedFlag()
    private let isOver = SharedFlag()

    init(_ store: StoreCore, _ run: Int32, _ token: WorkToken?, awaitsRun: Bool = false) {
        self.store = store
        self.run = run
        self.token = token
        resumption = awaitsRun ? store.host.work.begin() : nil
        resumption?.rest()
    }

    /// Stops counting the run, unless the wait is over already.
    func begin() {
        if let token {
            token.rest(unless: isOver)
        } else {
            store.rest(run) { isResting in
                // A stream that waits for its next value doesn't count anyway.
                if isOver.isRaised || resumption != nil && isResting { return false }
                hasBegun.raise()
                return true
            }
        }
    }

    /// The other run is about to end. Called with the lock of its store held, so this takes no store's lock.
    func resume() { resumption?.wake() }

    /// Counts the run again. Does nothing the second time.
    func end() {
        if isOver.raise() {
            if let token { token.wake() } else { store.wake(run) { hasBegun.isRaised } }
        }
        resumption?.end()
    }
}
