/// Lets the runs of consistent stores read one moment of their data sources together, and publishes what they bring as one change.
///
/// Runs join the round under way with their first read. When all members have a result, and no other consistent store shows something that had
/// changed by the moment of the round, the results are published in one step. A member that is late leaves the round at its time limit.
///
/// The lock is never held while a store, a source or the client is asked.
final class Picture: Sendable {
    private struct State {
        var round: PictureRound?
        var members = PictureMembers<StoreRun>()
        /// The stores whose runs are expected, and have not joined yet.
        var missing: Set<ObjectIdentifier> = []
        /// Whether the round is complete, so that nothing may join it.
        var isComplete = false
        /// The runs that wait for the next round.
        var waiting: [Waiting] = []

        /// Whether all members have a result, and no other run is known to be expected.
        var isReady: Bool { missing.isEmpty && members.isReady }

        mutating func add(_ run: StoreRun) {
            run.pictureStanding = .member
            members.add(run)
            missing.remove(ObjectIdentifier(run.store))
        }

        /// A run goes on alone. Returns whether it was a member.
        mutating func leave(_ run: StoreRun) -> Bool {
            run.pictureStanding = .left
            let wasMissing = missing.remove(ObjectIdentifier(run.store)) != nil
            return members.removeWorking(run) || wasMissing
        }
    }

    private struct Waiting: Sendable {
        let run: StoreRun
        let turn: Promise<Void>
    }

    private let state = Lock(State())
    private let used = Flag()
    private let busy = Gauge()
    /// How long a member may keep the others waiting.
    private let limit: Duration

    init(limit: Duration) { self.limit = limit }

    /// Whether a store has been consistent so far. Without one there is nothing to do.
    var isUsed: Bool { used.isRaised }

    func noteUse() { _ = used.raise() }

    /// Whether a round is under way.
    var isBusy: Bool { isUsed && busy.value > 0 }

    // MARK: Joining

    private enum Turn: Sendable {
        case joined(PictureRound, isNew: Bool, admission: PictureMembers<StoreRun>.Admission)
        case waits(Promise<Void>)
        case alone
    }

    /// The round in which a run reads; `nil` if it reads by itself. Waits for the next round if the one under way is older than what the run has
    /// to see.
    func enter(_ run: StoreRun) async -> PictureRound? {
        guard isUsed, !run.start.isMutation else { return nil }
        var member = run
        var callers = Set<ObjectIdentifier>()
        if !run.store.host.waits.isEmpty {
            // Each client has rounds of its own.
            let stores = WaitGraph.stores(waitingFor: run.store).filter { $0.host === run.store.host }
            callers = Set(stores.map { ObjectIdentifier($0) })
            if !run.store.isConsistent || run.start.isPrivate {
                // What it reads is read for the run that waits for it.
                guard let outer = stores.lazy.compactMap(\.consistentRun).first else { return nil }
                member = outer
            }
        }
        guard member !== run || run.store.isConsistent && !run.start.isPrivate else { return nil }
        while true {
            switch join(member, awaitedBy: callers) {
            case .alone: return nil
            case .waits(let turn):
                let rest = RunRest(of: run, awaitsRun: true)
                rest.begin()
                try? await turn.get()
                rest.end()
                if run.isCancelled { return nil }
            case .joined(let round, let isNew, let admission):
                if isNew { begin(round, member.store.host) }
                if admission == .asOfRound, let number = round.firstNumber { member.store.read(asOf: number, member) }
                if member !== run, let number = round.firstNumber { run.store.read(asOf: number, run) }
                return round
            }
        }
    }

    private func join(_ run: StoreRun, awaitedBy callers: Set<ObjectIdentifier>) -> Turn {
        let (asOf, missed) = run.store.standing(of: run)
        return state.withLock { state in
            switch run.pictureStanding {
            case .member:
                guard let round = state.round, state.members.contains(run) else { return .alone }
                return .joined(round, isNew: false, admission: .joins)
            case .left: return .alone
            case .none: break
            }
            let round = state.round ?? PictureRound()
            let isNew = state.round == nil
            let isAwaited = !isNew && state.members.runs.contains { callers.contains(ObjectIdentifier($0.store)) && $0 !== run }
            let admission = state.isComplete ? .waits : round.numbers.admission(asOf: asOf, missed: missed, isAwaited: isAwaited)
            if admission == .waits {
                let turn = Promise<Void>()
                state.waiting.append(Waiting(run: run, turn: turn))
                return .waits(turn)
            }
            state.round = round
            busy.set(1)
            state.add(run)
            return .joined(round, isNew: isNew, admission: admission)
        }
    }

    private func begin(_ round: PictureRound, _ host: any StoreHost) {
        let clock = host.clock
        let alarm = host.schedule(at: clock.now.advanced(by: limit), on: clock) { [weak self] in self?.end(round, host) }
        round.set(alarm)
    }

    /// A run takes the value of a member, which has read for it too.
    func follow(_ run: StoreRun, _ store: StoreCore) {
        guard isBusy, run.store.isConsistent, !run.start.isMutation, !run.start.isPrivate else { return }
        let round = state.withLock { state -> PictureRound? in
            guard !state.isComplete, case .none = run.pictureStanding, state.members.contains(where: { $0.store === store }) else {
                return nil
            }
            state.add(run)
            return state.round
        }
        if let number = round?.firstNumber { run.store.read(asOf: number, run) }
    }

    /// The run of a store waits for another store, whose run may wait for the next round.
    func noteWait(of waiting: StoreCore, for store: StoreCore) {
        guard isBusy else { return }
        let inner = WaitGraph.all(awaitedBy: store)
        let outer = WaitGraph.all(waitingFor: waiting)
        let turns = state.withLock { state -> [Promise<Void>] in
            guard state.members.runs.contains(where: { outer.contains(ObjectIdentifier($0.store)) }) else { return [] }
            let turns = state.waiting.filter { inner.contains(ObjectIdentifier($0.run.store)) }.map(\.turn)
            state.waiting.removeAll { inner.contains(ObjectIdentifier($0.run.store)) }
            return turns
        }
        // They ask once more, and are let in.
        for turn in turns { turn.resolve(.success(())) }
    }

    // MARK: Results

    /// Keeps the result of a member until it is published with those of the others. Returns `false` if the run has to publish it by itself.
    func hold(_ run: StoreRun, _ result: RunResult) async -> Bool {
        guard isUsed, result != nil else { return false }
        let rest = RunRest(of: run, awaitsRun: true)
        let end = Promise<@Sendable () -> Void>()
        let isHeld = state.withLock { state in
            state.members.take(result, of: run, PictureMembers.Wait(resume: { rest.resume() }, end: end))
        }
        guard isHeld else { return false }
        run.store.answerRuns(waitingFor: run, result)
        completeIfReady(run.store.host)
        rest.begin()
        defer { rest.end() }
        if let finish = try? await end.get() {
            // Here, so that a slow handler keeps no other member waiting.
            finish()
            return true
        }
        // The store has given up the run.
        let wasMember = state.withLock { $0.isComplete ? false : $0.members.remove(run) }
        if wasMember { completeIfReady(run.store.host) }
        return !wasMember
    }

    /// Whether a run is a member of the round, so that what it brings is not to be seen yet.
    func holds(_ run: StoreRun) -> Bool { isBusy && state.withLock { $0.members.contains(run) } }

    /// A run waits for something else than data, or changes some: the others go on without it.
    func leave(_ run: StoreRun) {
        guard isUsed else { return }
        if state.withLock({ $0.leave(run) }) { completeIfReady(run.store.host) }
    }

    /// The same for a run that is over, and may have been expected.
    func noteEnd(of run: StoreRun) {
        guard isBusy else { return }
        _ = state.withLock { $0.leave(run) }
        completeIfReady(run.store.host)
    }

    /// A member changes a source that lets nothing be written while the round reads it.
    func endForWrite(by run: StoreRun, to source: ObjectIdentifier) {
        guard isBusy, let round = state.withLock({ $0.round }), round.has(source) else { return }
        end(round, run.store.host)
    }

    // MARK: Ends

    private func completeIfReady(_ host: any StoreHost) {
        while let look = look(for: host) {
            switch decide(look) {
            case .publishes: return publish(look.round, host)
            case .waits(let turns):
                for turn in turns { turn.resolve(.success(())) }
                return
            // A run that was expected has ended, and another may have begun.
            case .looksAgain: continue
            }
        }
    }

    /// A round all of whose members have a result, and the runs that it may have to wait for.
    private struct Look {
        let round: PictureRound
        let expected: [StoreRun]
    }

    private enum Decision: Sendable {
        case publishes
        case waits([Promise<Void>])
        case looksAgain
    }

    /// `nil` if there is nothing to decide now.
    private func look(for host: any StoreHost) -> Look? {
        let found = state.withLock { state -> (round: PictureRound, runs: [StoreRun])? in
            guard !state.isComplete, state.isReady, let round = state.round else { return nil }
            return (round, state.members.runs)
        }
        guard let (round, runs) = found else { return nil }
        let bound = round.numbers.last ?? runs.map { $0.store.standing(of: $0).asOf }.max() ?? .none
        return Look(round: round, expected: host.consistentStores.compactMap { $0.expectedRun(by: bound) })
    }

    private func decide(_ look: Look) -> Decision {
        state.withLock { state in
            guard state.round === look.round, !state.isComplete, state.isReady else { return .waits([]) }
            let others = look.expected.filter { !state.members.contains($0) }
            if others.contains(where: { $0.pictureStanding == .left && $0.isOver.isRaised }) { return .looksAgain }
            let missing = Set(others.filter { $0.pictureStanding == .none }.map { ObjectIdentifier($0.store) })
            if missing.isEmpty {
                state.isComplete = true
                return .publishes
            }
            state.missing = missing
            // One that waits for the next round is wanted in this one.
            let wanted = state.waiting.filter { missing.contains(ObjectIdentifier($0.run.store)) }
            state.waiting.removeAll { missing.contains(ObjectIdentifier($0.run.store)) }
            return .waits(wanted.map(\.turn))
        }
    }

    /// The time of a round is up: what is there is published, and the others go on alone.
    private func end(_ round: PictureRound, _ host: any StoreHost) {
        let isEnding = state.withLock { state in
            guard state.round === round, !state.isComplete else { return false }
            state.isComplete = true
            for run in state.members.removeLate() { run.pictureStanding = .left }
            return true
        }
        if isEnding { publish(round, host) }
    }

    private func publish(_ round: PictureRound, _ host: any StoreHost) {
        round.end()
        let members = state.withLock { $0.members.results }
        for member in members { member.wait.resume() }
        let endings = members.map { $0.run.store.prepareEnd($0.run, $0.result) }
        let decided = host.jointly { endings.map { $0.run.store.decideEnd($0) } }
        let waiting = state.withLock { state in
            state.round = nil
            state.members = PictureMembers()
            state.missing = []
            state.isComplete = false
            busy.set(0)
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in waiting { waiting.turn.resolve(.success(())) }
        for (member, (ending, decision)) in zip(members, zip(endings, decided)) {
            let finish: @Sendable () -> Void = { ending.run.store.finishEnd(ending, decision) }
            // A run that its store has given up waits no longer.
            if !member.wait.end.resolve(.success(finish)) { finish() }
        }
    }
}

/// How a run stands to the rounds of its client.
enum PictureStanding: Sendable {
    /// It has not read anything that takes part in them.
    case none
    case member
    /// It has left its round, or that is over: it reads by itself from now on.
    case left
}
