/// The operations of a store that ``ConsistentRounds`` uses.
extension StoreCore {
    /// Whether an observer requires the store to be shown as of the same moment as others.
    var isConsistent: Bool { contents.withLock { $0.rare?.isConsistent == true } }

    /// The run under way that callers share, if the store is consistent.
    var consistentRun: StoreRun? { contents.withLock { $0.rare?.isConsistent == true ? $0.run : nil } }

    /// The change up to which a run has to read, and the first change that the store's value doesn't include.
    func changeNumbers(of run: StoreRun) -> (asOf: ChangeNumber, missed: ChangeNumber?) {
        contents.withLock { (run.asOf, $0.rare?.missed) }
    }

    /// If the store has no value yet, or if its value doesn't include all changes that a round reads, the run under way that will fetch
    /// what is missing. `nil` if there is no such run, or if the store's current run is one of `members`.
    func expectedRun(by numbers: RoundNumbers, excluding members: Set<ObjectIdentifier>) -> StoreRun? {
        if let run = contents.withLock({ $0.run }), members.contains(ObjectIdentifier(run)) { return nil }
        catchUp()
        return contents.withLock { contents in
            guard let rare = contents.rare, rare.isConsistent, let run = contents.run, let first = numbers.first, let last = numbers.last
            else { return nil }
            // A first run that has begun after a later change can't read in the round.
            let isExpected = rare.missed.map { $0 <= last } ?? (!contents.state.record.hasResult && run.asOf <= first)
            return isExpected && contents.machine.run?.waitsForOthers == false ? run : nil
        }
    }

    /// Makes a run read an older moment than the one it was started for. Its result will be out of date, so another run follows. The
    /// callers wait for the other run, except for callers that are runs: they read the same snapshot.
    func read(asOf number: ChangeNumber, _ run: StoreRun) {
        change { contents, _ in
            guard run.asOf > number else { return }
            run.asOf = number
            guard contents.run === run else { return }
            var moved: Int32 = 0
            contents.waiters.visit { waiter in
                guard waiter.run == run.number, waiter.reader == nil else { return }
                waiter.run = RunMachine.following
                moved += 1
            }
            contents.machine.outdate(run.number, movingWaiters: moved)
        }
    }

    /// Passes the unpublished result of a run to the runs that wait for this run, and resumes them: the publication may have to wait for
    /// their results.
    func answerRuns(waitingFor run: StoreRun, _ result: RunResult) {
        guard let result else { return }
        contents.withLock { contents in if contents.run === run { run.heldResult = result } }
        answerRuns()
    }

    /// Resumes runs that wait for the held result, if there is one. Called also when a run has just begun to wait.
    func answerRuns() {
        let candidates = contents.withLock { contents -> [StoreCore] in
            guard contents.run?.heldResult != nil else { return [] }
            var stores: [StoreCore] = []
            contents.waiters.visit { waiter in
                if let reader = waiter.reader, waiter.run == RunMachine.following { stores.append(reader.store) }
            }
            return stores
        }
        // The runs of consistent stores, and the runs that a consistent run waits for, read the same snapshot. So they take the result even
        // if they wait for the following run.
        let together = candidates.filter { $0.isConsistent || WaitGraph.stores(waitingFor: $0).contains(where: \.isConsistent) }
        let keys = Set(together.map { ObjectIdentifier($0) })
        let (answered, result) = contents.withLock { contents -> (WaiterList, Result<AnyValue, any Error>?) in
            guard let run = contents.run, let result = run.heldResult else { return (WaiterList(), nil) }
            return (contents.takeRuns(waitingFor: run, together: keys), result)
        }
        if let result { resume(answered, result) }
    }

    private func resume(_ waiters: WaiterList, _ result: Result<AnyValue, any Error>) {
        var waiters = waiters
        while let waiter = waiters.popFirst() { waiter.resume(result) }
    }
}

extension StoreContents {
    /// Removes and returns the waiting runs, and makes them depend on the regions that `run` has read.
    ///
    /// - Parameter together: The stores whose runs take the result even if they wait for the next run.
    fileprivate mutating func takeRuns(waitingFor run: StoreRun, together: Set<ObjectIdentifier>) -> WaiterList {
        var (taken, kept) = (WaiterList(), WaiterList())
        while let waiter = waiters.popFirst() {
            let isFollowing = waiter.run == RunMachine.following
            if let reader = waiter.reader,
                waiter.run == run.number || isFollowing && together.contains(ObjectIdentifier(reader.store))
            {
                machine.forgetWaiter(ofHeld: run.number, isFollowing: isFollowing)
                taken.append(waiter)
            } else {
                kept.append(waiter)
            }
        }
        waiters = kept
        taken.visit { waiter in
            waiter.wait?.resume()
            waiter.reads = handOver(to: waiter.reader, since: run.asOf, isUnfollowed: run.readsUnfollowed.isRaised)
            waiter.moments = run.moments
        }
        return taken
    }

    /// Updates whether the store is consistent, after a change of observers.
    mutating func updateConsistency() {
        let isConsistent = outbox.containsObserver { $0.isConsistent }
        guard rare != nil || isConsistent else { return }
        let rare = needRare()
        if rare.isConsistent == isConsistent { return }
        rare.isConsistent = isConsistent
        // Missed changes are recorded only while the store is consistent.
        rare.missed = isConsistent && state.record.flags.contains(.invalidated) ? asOf.next : nil
        hasNewActivity = true
    }
}

extension RunMachine {
    /// Marks the result of run `number` as out of date, and moves some of its waiters to the next run.
    fileprivate mutating func outdate(_ number: Int32, movingWaiters count: Int32) {
        guard let run, run.number == number else { return }
        self.run?.isOutdated = true
        self.run?.waiters -= count
        self.run?.nextWaiters += count
        if subscribers > 0 || run.waiters > 0 { trailing = trailing ?? purpose.cause }
    }

    /// Removes a waiter of run `number`, or of the following one, because it has received the held result.
    fileprivate mutating func forgetWaiter(ofHeld number: Int32, isFollowing: Bool) {
        guard run?.number == number else { return }
        if isFollowing { run?.nextWaiters -= 1 } else { run?.waiters -= 1 }
    }
}

extension RunMachine.Run {
    /// Whether the run waits for the network or, as an open stream, for its next element.
    fileprivate var waitsForOthers: Bool { isLive || isHeldBack || phase == .paused }
}
