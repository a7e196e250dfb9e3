/// Sessions: what belongs to a former one doesn't count any more.
extension Ledger {
    /// Whether an event of a request counts: its entry is listed, and its settings belong to the present session.
    func isPresent(_ entry: Entry, _ settings: Settings) -> Bool { isListed(entry) && settings.session == epoch }

    /// Lists an entry that was never listed, unless another one with the same hash was listed since it was made.
    mutating func insertUnused(_ entry: Entry) -> Bool { self[entry].slot == .max && insert(entry) }

    /// Keeps settings for equal requests with the same modifiers.
    mutating func keep(_ settings: Settings, _ entry: Entry) {
        guard isPresent(entry, settings) else { return }
        trash.add(self[entry].known)
        self[entry].known = settings
    }

    // MARK: The end of a session

    /// Otherwise the first run of a round that ends would let the others end, and be repeated, with the settings of the former session.
    mutating func dissolveRounds() {
        for entry in live {
            guard let round = self[entry].round.take() else { continue }
            self[round] = []
        }
        openRound = nil
    }

    /// Everything that waited for a time has ended with the session. Otherwise former entries would stay until their retention is over.
    mutating func endDeadlines() {
        trash.add(FormerDeadlines(deadlines))
        deadlines = DeadlineQueue()
        forgetMissed()
        // The calls before which queries waited have ended, too.
        if !network.resumed.isEmpty { open() }
    }

    final class FormerDeadlines: Sendable {
        private let queue: DeadlineQueue<Deadline>

        init(_ queue: DeadlineQueue<Deadline>) { self.queue = queue }
    }

    /// The client ends: its last session, and its observers.
    mutating func close() {
        clear(.session)
        endAllStanding()
        for entry in live {
            for observer in self[entry].observers { self[observer].isOver = true }
            trash.add(self[entry].observers)
            self[entry].observers = []
            updateUse(entry)
        }
        endDeadlines()
        endSettling()
    }

    // MARK: Observers of a former session

    /// Forgets what an observed entry has kept of a session.
    mutating func forgetSession(_ entry: Entry) {
        // Conditions of the former session don't count any more.
        self[entry].decision &+= 1
        self[entry].isDeciding = false
        review(entry)
        self[entry].hasDeadline = false
        for observer in self[entry].observers { updateTriggers(entry, observer) }
        trash.add(self[entry].caller)
        trash.add(self[entry].known)
        (self[entry].caller, self[entry].known) = (nil, nil)
    }

    /// Asks for other settings for the observers of a former session. Until then, the library starts no runs for them.
    mutating func exchangeSettings() {
        let entries = live.filter { !self[$0].observers.isEmpty }
        if entries.isEmpty { return }
        beginWork()
        effects.append(.exchange(entries))
    }

    /// The observers of an entry whose settings are those of a former session.
    func formerSettings(_ entry: Entry) -> [(observer: Observer, settings: Settings)] {
        self[entry].observers.compactMap { self[$0].settings.session == epoch ? nil : ($0, self[$0].settings) }
    }

    /// Gives observers settings of the present session. Those without a fresh value want it.
    mutating func exchange(_ entry: Entry, _ renewed: [(observer: Observer, settings: Settings)]) {
        var wanting: [Settings] = []
        for (observer, settings) in renewed where settings.session == epoch && self[entry].observers.contains(where: { $0 === observer }) {
            trash.add(self[observer].settings)
            self[observer].settings = settings
            use(entry, settings)
            updateTriggers(entry, observer)
            if observer.observes, !isFresh(entry, settings.ttl) || isClosed(entry) { wanting.append(settings) }
        }
        if !wanting.isEmpty { want(entry, .session, for: wanting) }
    }
}
