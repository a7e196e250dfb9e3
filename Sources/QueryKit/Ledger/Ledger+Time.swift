/// Deadlines, retention and the network.
extension Ledger {
    // MARK: Deadlines

    mutating func schedule(_ deadline: Deadline, after delay: Nanoseconds) {
        let instant = now.later(by: delay)
        guard instant < .never else { return }
        if deadlines.count >= deadlineLimit { dropObsoleteDeadlines() }
        deadlines.insert(deadline, at: instant)
        setTimer()
    }

    /// Otherwise each run would be kept until the end of its time limit, and each entry until that of its retention.
    private mutating func dropObsoleteDeadlines() {
        trash.add(FormerDeadlines(deadlines))
        var kept = deadlines
        kept.removeAll { !counts($0) }
        deadlines = kept
        deadlineLimit = max(64, deadlines.count * 2)
    }

    /// Whether a deadline still has a consequence.
    private func counts(_ deadline: Deadline) -> Bool {
        switch deadline {
        case .attempt(let run, let attempt): isCurrent(run) && self[run].attempt == attempt && self[run].phase == .backingOff
        case .timeout(let run, let attempt): isCurrent(run) && self[run].attempt == attempt && self[run].phase == .working
        case .retention(let entry): isListed(entry)
        case .round(let round): !self[round].isEmpty
        case .call(let call, let attempts):
            if case .waiting = self[call].state { self[call].attempts == attempts } else { false }
        case .callTimeout(let call, let attempt): isCurrent(call, attempt)
        case .lease: extendsLeases
        case .resumption: true
        case .network(let number): network.number == number
        case .polling(let entry, let number): self[entry].pollingNumber == number
        case .pause(let session): !self[session].isOver
        case .defaultPause: true
        }
    }

    private mutating func setTimer() {
        guard let earliest = deadlines.earliest, earliest < timer else { return }
        timer = earliest
        effects.append(.setTimer(earliest))
    }

    /// The timer has fired. Deadlines that don't count any more are skipped.
    mutating func fire() {
        timer = .never
        while let (_, deadline) = deadlines.popDue(at: now) {
            switch deadline {
            case .attempt(let run, let attempt):
                trash.add(run)
                guard isCurrent(run), self[run].attempt == attempt, self[run].phase == .backingOff else { continue }
                proceed(run)
                publish(run.entry)
            case .timeout(let run, let attempt):
                trash.add(run)
                timeOut(run, attempt: attempt)
            case .retention(let entry): expire(entry)
            case .round(let round): close(round, isLate: true)
            case .call(let call, let attempts):
                trash.add(call)
                repeatCall(call, afterAttempts: attempts)
            case .lease: extendLeases()
            case .resumption: resumeFree()
            case .callTimeout(let call, let attempt):
                trash.add(call)
                timeOut(call, attempt: attempt)
            case .network(let number): if network.number == number { open() }
            case .polling(let entry, let number): poll(entry, number)
            case .pause(let session): endPause(session)
            case .defaultPause: endDefaultPause()
            }
        }
        setTimer()
    }

    // MARK: Retention

    /// Keeps the list of entries in use, and begins the retention of an entry that isn't in use any more.
    mutating func updateUse(_ entry: Entry) {
        let (index, isInUse) = (self[entry].liveIndex, self[entry].isInUse)
        if isInUse == (index >= 0) { return }
        if isInUse {
            self[entry].liveIndex = live.count
            live.append(entry)
        } else {
            let last = live.removeLast()
            if last !== entry {
                live[index] = last
                self[last].liveIndex = index
            }
            self[entry].liveIndex = -1
            retain(entry)
        }
        updateClaim(entry)
    }

    /// Lets an entry end by retention. It has one deadline at most, which is moved when it comes.
    mutating func retain(_ entry: Entry) {
        guard !self[entry].isInUse, isListed(entry) else { return }
        self[entry].unusedSince = now
        if self[entry].hasDeadline { return }
        self[entry].hasDeadline = true
        schedule(.retention(entry), after: self[entry].retention ?? limits.retention)
    }

    private mutating func expire(_ entry: Entry) {
        trash.add(entry)
        self[entry].hasDeadline = false
        guard isListed(entry), !self[entry].isInUse else { return }
        let end = self[entry].unusedSince.later(by: self[entry].retention ?? limits.retention)
        if end <= now { return unlist(entry) }
        guard end < .never else { return }
        self[entry].hasDeadline = true
        deadlines.insert(.retention(entry), at: end)
    }

    // MARK: Network

    struct Network: Sendable {
        var isOffline = false
        /// The number of the latest change of the network.
        var number = 0
        /// Calls whose first attempts go before all queries.
        var resumed: Set<UInt64> = []
    }

    /// R12, R24: when the network is back, calls go first, then paused runs continue, each once.
    mutating func setOnline(_ isOnline: Bool) {
        guard network.isOffline == isOnline else { return }
        network.isOffline = !isOnline
        network.number += 1
        guard isOnline else {
            network.resumed = []
            return
        }
        for call in calls.values.sorted(by: { $0.number < $1.number }) where resume(call) {
            // Those behind it go before queries, too.
            let queue = call.scope.flatMap { scopes[$0] }?.calls ?? [call]
            network.resumed.formUnion(queue.map(\.number))
        }
        if network.resumed.isEmpty { open() } else { schedule(.network(network.number), after: Nanoseconds(.seconds(5))) }
    }

    /// If a call is repeated later, queries don't wait for those behind it.
    mutating func passOn(_ call: CallEntry) {
        guard !network.resumed.isEmpty, let queue = call.scope.flatMap({ scopes[$0] })?.calls, queue.first === call else { return }
        for waiting in queue { noteFirstAttempt(of: waiting) }
    }

    mutating func noteFirstAttempt(of call: CallEntry) {
        if network.resumed.remove(call.number) != nil, network.resumed.isEmpty { open() }
    }

    /// Lets queries continue. Triggers find them under way.
    mutating func open() {
        guard !network.isOffline else { return }
        network.number += 1
        network.resumed = []
        for entry in live {
            for run in [self[entry].run].compactMap(\.self) + self[entry].privateRuns {
                guard case .paused = self[run].phase else { continue }
                proceed(run)
                publish(entry)
            }
        }
        fireReconnect()
    }
}
