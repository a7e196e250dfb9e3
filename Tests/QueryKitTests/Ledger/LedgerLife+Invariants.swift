import Foundation

@testable import QueryKit

/// What must hold after each step.
extension LedgerLife {
    /// The looks at all entries take longer than the steps between them, so they come less often.
    func check() {
        stepCount += 1
        if isFailing || !isEnabled { mayBeStale = Self.all }
        checkRound()
        checkTrailing()
        checkCommits()
        checkRefetches()
        if stepCount % 2 == 0 {
            checkWork()
            checkWaits()
            checkBatches()
            checkLayers()
            checkCallLog()
            checkBudget()
            checkPlaces()
        }
        guard stepCount % 8 == 0 else { return }
        noteFresh()
        checkFreshness()
        checkTables()
        checkLeaves()
        checkStreams()
        checkTriggers()
        checkWrites()
        checkTimes()
        if let earliest = ledger.deadlines.earliest, timer > earliest { problems.append("no timer is set for a deadline") }
    }

    /// The work of the ledger is what is under way, counted in another way.
    private func checkWork() {
        var expected = questions.count + deliveries.count + mainTurns + follows + trims + workingCalls.count + ledger.journal.tasks.count
        expected += askingCount + exchanges.count + halves.count + commits.count { isWorking($0) }
        for entry in ledger.live {
            if ledger[entry].round != nil, let run = ledger[entry].run {
                let isCancelled = if case .cancelled? = ledger[run].outcome { true } else { false }
                if isCancelled || !ledger[run].phase.isUnderWay { problems.append("a round waits for a run that doesn't work") }
            }
            for run in [ledger[entry].run].compactMap(\.self) + ledger[entry].privateRuns {
                if ledger.counts(ledger[run].phase), ledger[run].waits == 0 { expected += 1 }
                if case .paused = ledger[run].phase, !ledger.network.isOffline, ledger.network.resumed.isEmpty {
                    problems.append("a run of \(number(of: entry)) is paused with a network")
                }
                if ledger[run].awaited.count != ledger[run].waits { problems.append("waits are miscounted") }
            }
        }
        if ledger.work != expected { problems.append("the ledger counts \(ledger.work) as under way instead of \(expected)") }
    }

    /// What waits, waits for something that is under way.
    private func checkWaits() {
        for entry in ledger.live where ledger.followers.isEmpty {
            guard let round = ledger[entry].round else { continue }
            let isWorking = ledger[round].contains { member in ledger[member].run.map { ledger[$0].outcome == nil } ?? false }
            if !isWorking { problems.append("a round waits for nothing") }
        }
        for scope in ledger.scopes.values {
            for call in scope.calls { if case .stuck = ledger[call].state { problems.append("a stuck call holds its scope") } }
        }
    }

    private func checkTables() {
        var byteCount = mutations.reduce(0) { $0 + ledger[$1].byteCount }
        for request in 0..<Self.requestCount {
            guard let entry = listed(request) else { continue }
            byteCount += ledger[entry].byteCount
            let isIdle = !ledger[entry].isRunning && ledger.state(entry).record.flags.contains(.succeeded)
            // A failure keeps what was shown.
            if isIdle, ledger[entry].inputs == ledger[entry].shownInputs,
                let value = value(request), value.isPartial, !value.isChanged
            {
                problems.append("a part of a value of request \(request) is left")
            }
            if value(request) != nil, ledger[entry].layers.isEmpty, !ledger.state(entry).record.flags.contains(.hasValue) {
                problems.append("request \(request) shows a value without a result")
            }
            if ledger[entry].isInUse != (ledger[entry].liveIndex >= 0) { problems.append("the list of live entries is wrong") }
        }
        if ledger[ledger.tables].byteCount != byteCount { problems.append("bytes are miscounted") }
    }

    /// Readers that don't wait for the ledger see what it would show.
    private func checkLeaves() {
        for request in 0..<Self.requestCount {
            guard let entry = listed(request), let leaf = entry.published.withLock({ $0.state }) else { continue }
            ledger.unpublish(entry)
            let state = ledger.state(entry)
            if state.record.flags != leaf.record.flags || !state.hasSameValue(as: leaf) || state.record.revision != leaf.record.revision {
                problems.append("a reader sees a former state of request \(request): \(leaf.record.flags) instead of \(state.record.flags)")
            }
        }
        ledger.trash = Trash()
    }

    /// R7: a stream is open only as long as its request is observed.
    private func checkStreams() {
        for entry in ledger.live where ledger.isLive(entry) && !ledger[entry].isObserved {
            problems.append("a stream is open for no observer")
        }
    }

    /// R26: no attempt works longer than its request allows.
    private func checkTimes() {
        for attempt in attempts where !attempt.isCancelled && ledger.isCurrent(attempt.run) {
            guard let timeout = attempt.run.settings.timeout else { continue }
            if attempt.started.later(by: timeout) <= ledger.now { problems.append("an attempt takes too long") }
        }
    }

    /// An element is newer than all changes before it, and includes what calls have done.
    func checkElement(_ entry: Entry) {
        guard ledger.isLive(entry) else { return }
        if ledger[entry].isInvalidated { problems.append("an element is stale") }
        if !ledger[entry].updates.isEmpty { problems.append("an update is left over an element") }
        let isLeft = ledger[entry].layers.contains { layer in
            if let call = layer.owner, case .landing = ledger[call].state { true } else { false }
        }
        if isLeft { problems.append("a layer is left over an element") }
    }

    // MARK: Several requests

    /// R29: as long as nothing else happens to them, the requests of a round show the same version.
    private func checkRound() {
        let requests = [Self.consistent.0, Self.consistent.1]
        let entries = requests.compactMap { listed($0) }
        // A request that waits for the network leaves the round.
        // So does the round show what its members have read before it was reported.
        let isLeft = isFailing || ledger.network.isOffline || versions[0] != reported[0]
        let isDisturbed = isLeft || entries.contains { !ledger[$0].layers.isEmpty || !ledger[$0].updates.isEmpty || !ledger[$0].isObserved }
        guard entries.count == 2, !isDisturbed else {
            isRoundAgreed = false
            return
        }
        let versions = requests.map { value($0)?.reads[0] }
        if isRoundAgreed {
            if versions[0] != versions[1] { problems.append("a round is seen in part: versions \(versions)") }
        } else {
            let isQuiet = entries.allSatisfy {
                !ledger[$0].isRunning && !ledger[$0].isInvalidated && ledger[$0].inputs == ledger[$0].shownInputs
            }
            isRoundAgreed = isQuiet && versions[0] != nil && versions[0] == versions[1]
        }
    }

    /// What a batch has written is seen in all its requests, or in none.
    private func checkBatches() {
        for (write, requests) in batches.suffix(3) where requests.count == 2 {
            guard let first = value(requests[0]), let second = value(requests[1]) else { continue }
            // A later write or run may be seen. Of two equal values the old one stays, so only values that are not compared show it.
            for (one, other, request) in [(first, second, requests[1]), (second, first, requests[0])] where one.write == write {
                if let shown = other.write, 0 < shown, shown < write { problems.append("a batch is seen in part: \(write) and \(shown)") }
                if other.write == nil, other.updates.isEmpty, request % 2 == 1, other.moment < write {
                    problems.append("a batch is seen in part: \(write) and a value from before")
                }
            }
        }
    }

    /// The layers of a call under way are seen in all its requests, or in none.
    private func checkLayers() {
        for call in calls.suffix(3) where performed[call.number] == nil {
            switch ledger[call].state {
            case .landing, .ended, .stuck: continue
            case .writing, .queued, .asking, .working, .paused, .waiting: break
            }
            let shown = Set(layered[call.number]!.compactMap { value($0)?.layers.contains(call.number) })
            if shown.count > 1 { problems.append("the layers of call \(call.number) are seen in part") }
        }
    }

    /// Each main-actor observer has seen what one look at the ledger shows, for all entries.
    func checkMainTurn() {
        for (request, observer, seen) in observers where observer.isOnMainActor && seen.value != value(request) {
            problems.append("the main actor sees a former value of request \(request)")
        }
    }

    // MARK: Changes

    /// The entries of large changes whose runs and states are still due.
    private var followers: [(entry: Entry, refetch: QueryRefetch)] {
        ledger.followers.enumerated().flatMap { index, change in
            change.entries.dropFirst(index == 0 ? ledger.followed : 0).map { ($0, change.refetch) }
        }
    }

    /// R17: an observed request whose run is outdated runs until the change is followed.
    private func checkTrailing() {
        for entry in running where ledger[entry].run == nil && ledger[entry].isObserved && isDue(entry) {
            problems.append("request \(number(of: entry)) ends before the run that must follow")
        }
        running = Set(followers.map(\.entry).filter { isOutdated($0) && ledger[$0].isObserved && isDue($0) && !isDeciding($0) })
    }

    /// Whether the conditions of an observer that came after the change are still to be asked.
    private func isDeciding(_ entry: Entry) -> Bool { questions.contains { $0.entry === entry } }

    /// Whether a run is too old, and no value was written since.
    private func isOutdated(_ entry: Entry) -> Bool {
        ledger[entry].isInvalidated && ledger[entry].run.map { ledger[$0].isOutdated } == true
    }

    private func isDue(_ entry: Entry) -> Bool {
        let due = followers.filter { $0.entry === entry }
        return !due.isEmpty && due.allSatisfy { [.active, .all].contains($0.refetch) }
    }

    private func noteFresh() {
        for request in mayBeStale {
            guard let entry = listed(request), ledger[entry].isObserved, !ledger[entry].isInvalidated else { continue }
            if !ledger[entry].isRunning, ledger[entry].record.flags.contains(.succeeded) { mayBeStale.remove(request) }
        }
    }

    /// R17: without failures, conditions and changes that ask for nothing, what is observed is fetched again by itself.
    func checkFreshness() {
        for (request, observer, _) in observers where observer.observes && !mayBeStale.contains(request) {
            let entry = entries[request]!
            let isAsked = questions.contains { $0.entry === entry } || isExchanging(entry)
            let isHalf = halves.contains { $0.entries.contains(entry) }
            let isDue = isAsked || isHalf || isMissed(entry) || followers.contains { $0.entry === entry }
            let isIdle = !ledger[entry].isRunning && !isDue && ledger[entry].record.flags.contains(.succeeded)
            if ledger[entry].isInvalidated, isIdle { problems.append("request \(request) is not fetched again") }
        }
    }

    /// R19: a write or an update is lost only to a later write, and to runs that began later.
    private func checkWrites() {
        for request in 0..<Self.requestCount {
            guard let entry = listed(request), ledger[entry].updates.isEmpty else { continue }
            guard let base = ledger[entry].base?.unboxed(as: Value.self) else { continue }
            if let write = lastWrite[request], base.moment < write, base.write ?? 0 < write {
                problems.append("write \(write) of request \(request) is lost")
            }
            if let update = lastUpdate[request], base.moment < update, base.write ?? 0 < update, !base.updates.contains(update) {
                problems.append("update \(update) of request \(request) is lost")
            }
            if zip(base.updates, base.updates.dropFirst()).contains(where: { $0 >= $1 }) {
                problems.append("updates of request \(request) are out of order: \(base.updates)")
            }
        }
    }

    /// Each observed request with a tag counts its invalidation at once.
    func checkTags() {
        for (request, observer, _) in observers where isTagged(request) && observer.observes {
            guard let entry = listed(request), ledger.state(entry).record.hasResult else { continue }
            if !ledger.state(entry).record.flags.contains(.invalidated) { problems.append("the tag of request \(request) is unknown") }
        }
    }

    /// A cache shows its value only if nothing newer has come since it was asked; what was invalidated since then stays invalidated.
    func checkRestored(_ lookup: Lookup, isShown: Bool, mayShow: Bool) {
        let request = lookup.request
        if isShown != (mayShow && lastReplacement[request, default: 0] < lookup.moment) {
            return problems.append("a cache \(isShown ? "shows" : "doesn't show") its value of request \(request)")
        }
        guard isShown else { return }
        let isMarked = request != Self.constant || lastMark[request, default: 0] > lookup.moment
        if isMarked != ledger.state(lookup.entry).record.flags.contains(.invalidated) {
            problems.append("a cached value of request \(request) is \(isMarked ? "fresh" : "stale")")
        }
    }

    // MARK: Callers

    /// A caller receives what its aim wants, and nothing that was read before a change that came before the caller (R17).
    func checkAnswer(_ result: Result<AnyValue, any Error>, to caller: Caller) {
        guard case .success(let value) = result, let asked = asked[ObjectIdentifier(caller)] else { return }
        let answer = value.unboxed(as: Value.self)
        if caller.aim == .next, answer.aim != .next { problems.append("a caller for a page receives \(answer)") }
        if caller.aim == .everything, !caller.takesFresh, answer.aim == .next { problems.append("a caller for everything receives a page") }
        // What the app has written counts as fresh, and a stream may be late.
        if caller.aim == .next || answer.isChanged || answer.isMixed { return }
        let old = answer.reads.filter { $1 < asked.versions[$0] && (asked.request != Self.stream || $0 != 3) }
        if !old.isEmpty { problems.append("a caller of request \(asked.request) receives an old value") }
    }

    /// Requests wait for each other only if the inner one waits for the outer one, and has no value to take.
    func checkCycle(_ reader: Run, _ caller: Caller, _ entry: Entry) {
        var (open, known) = ([entry], [entry])
        while let next = open.popLast() {
            if next === reader.entry { return }
            for attempt in attempts where attempt.run.entry === next {
                let awaited = attempt.awaited.map { Array(ledger[$0.list].open) } ?? attempt.inner.map { [$0.entry] } ?? []
                for inner in awaited where !known.contains(inner) {
                    open.append(inner)
                    known.append(inner)
                }
            }
        }
        problems.append("requests \(number(of: reader.entry)) and \(number(of: entry)) don't wait for each other")
    }
}
