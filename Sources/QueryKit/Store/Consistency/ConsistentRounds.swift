import Foundation

/// Makes the runs of consistent stores read their data sources at the same moment, and publishes their results as one change.
///
/// A run joins the round under way with its first read. The results are published in one step, as soon as all members have a result and no
/// other consistent store has a run under way that is expected to join: one that will fetch changes from before the moment of the round. At
/// the time limit, the results so far are published, and the members without a result continue outside of the round.
///
/// The lock is never held during a call of a store, a source or the client.
final class ConsistentRounds: Sendable {
    private struct State {
        var round: ConsistentRound?
        var members = RoundMembers<StoreRun>()
        /// The stores whose runs are expected to join, and haven't joined yet.
        var missing: Set<ObjectIdentifier> = []
        /// Whether the round is complete, so that no run may join it.
        var isComplete = false
        /// The runs that wait for the next round.
        var waiting: [Waiting] = []
        /// How many lists of stores are being subscribed to. The runs of the remaining stores are about to begin.
        var openingCount = 0

        /// Whether all members have a result, and no other run is expected.
        var isReady: Bool { openingCount == 0 && missing.isEmpty && members.isReady }

        mutating func add(_ run: StoreRun) {
            run.roundMembership = .member
            members.add(run)
            missing.remove(ObjectIdentifier(run.store))
        }

        /// Makes a run continue outside of the round. Returns `true` if the run was a member or expected, because the round may then be
        /// ready.
        mutating func leave(_ run: StoreRun) -> Bool {
            run.roundMembership = .left
            let wasMissing = missing.remove(ObjectIdentifier(run.store)) != nil
            return members.removeWorking(run) || wasMissing
        }

        /// Removes and returns the runs of some stores that wait for the next round.
        mutating func takeWaiting(where isWanted: (StoreCore) -> Bool) -> [Waiting] {
            defer { waiting.removeAll { isWanted($0.run.store) } }
            return waiting.filter { isWanted($0.run.store) }
        }
    }

    /// A run that waits for the next round.
    private struct Waiting: Sendable {
        let run: StoreRun
        private let turn = Promise<Void>()
        private let wait: RunWait

        init(_ run: StoreRun, onBehalfOf member: StoreRun) {
            self.run = member
            wait = RunWait(of: run, awaitsRun: true)
        }

        /// Waits until the run may try again, or is cancelled.
        func pass() async {
            wait.begin()
            try? await turn.get()
            wait.end()
        }

        /// Lets the run try again. The run counts as working from now on, so that `settled()` doesn't return before.
        func resume() {
            wait.resume()
            turn.resolve(.success(()))
        }
    }

    private let state = Lock(State())
    private let used = Flag()
    private let busy = Gauge()
    /// The time limit of a round.
    private let limit: Duration

    init(limit: Duration) { self.limit = limit }

    /// Whether any store has been consistent so far. If none has, nothing needs to be done.
    var isUsed: Bool { used.isRaised }

    func noteUse() {
        _ = Self.anyUsed.raise()
        _ = used.raise()
    }

    private static let anyUsed = Flag()
    /// Whether any store of this process has been consistent. Checked at each read, because it costs less than finding the client.
    static var areUsed: Bool { anyUsed.isRaised }

    /// Whether a round is under way.
    var isBusy: Bool { isUsed && busy.value > 0 }

    // MARK: Subscribing

    /// Holds back the results of all members until ``endSubscribing(_:)``, because the subscriptions in between belong together.
    func beginSubscribing() { state.withLock { $0.openingCount += 1 } }

    func endSubscribing(_ host: any StoreHost) {
        state.withLock { $0.openingCount -= 1 }
        if isBusy { completeIfReady(host) }
    }

    // MARK: Joining

    private enum Turn: Sendable {
        case joined(ConsistentRound, isNew: Bool, admission: RoundMembers<StoreRun>.Admission)
        case waits
        case alone
    }

    /// Returns the round that a run reads in; `nil` if it reads outside of rounds. Waits for the next round if the one under way is older
    /// than the data the run has to read.
    func enter(_ run: StoreRun) async -> ConsistentRound? {
        guard isUsed, !run.start.isMutation else { return nil }
        var member = run
        var callers = Set<ObjectIdentifier>()
        if !run.store.host.waits.isEmpty {
            // Rounds are separate for each client.
            let stores = WaitGraph.stores(waitingFor: run.store).filter { $0.host === run.store.host }
            callers = Set(stores.map { ObjectIdentifier($0) })
            if !run.store.isConsistent || run.start.isPrivate {
                // It reads on behalf of the consistent run that waits for it.
                guard let outer = stores.lazy.compactMap(\.consistentRun).first else { return nil }
                member = outer
            }
        }
        guard member !== run || run.store.isConsistent && !run.start.isPrivate else { return nil }
        var waiting: Waiting?
        while true {
            switch join(member, awaitedBy: callers, orWait: waiting) {
            case .alone: return nil
            case .waits:
                guard let entered = waiting else {
                    // The wait must exist when it is entered, because another thread may resume it from then on. Creating it calls the
                    // client, so it can't be created with the lock held. Create it here, and try once more.
                    waiting = Waiting(run, onBehalfOf: member)
                    continue
                }
                await entered.pass()
                waiting = nil
                if run.isCancelled { return nil }
            case .joined(let round, let isNew, let admission):
                if isNew { begin(round, member.store.host) }
                if admission == .asOfRound, let number = round.firstNumber { member.store.read(asOf: number, member) }
                if member !== run, let number = round.firstNumber { run.store.read(asOf: number, run) }
                return round
            }
        }
    }

    /// Adds a run to the round, or enters it as waiting.
    private func join(_ run: StoreRun, awaitedBy callers: Set<ObjectIdentifier>, orWait waiting: Waiting?) -> Turn {
        let (asOf, missed) = run.store.changeNumbers(of: run)
        return state.withLock { state in
            switch run.roundMembership {
            case .member:
                guard let round = state.round, state.members.contains(run) else { return .alone }
                return .joined(round, isNew: false, admission: .joins)
            case .left: return .alone
            case .none: break
            }
            let round = state.round ?? ConsistentRound()
            let isNew = state.round == nil
            let isAwaited = !isNew && state.members.runs.contains { callers.contains(ObjectIdentifier($0.store)) && $0 !== run }
            let admission = state.isComplete ? .waits : round.numbers.admission(asOf: asOf, missed: missed, isAwaited: isAwaited)
            if admission == .waits {
                if let waiting { state.waiting.append(waiting) }
                return .waits
            }
            state.round = round
            busy.set(1)
            state.add(run)
            return .joined(round, isNew: isNew, admission: admission)
        }
    }

    private func begin(_ round: ConsistentRound, _ host: any StoreHost) {
        let clock = host.clock
        let alarm = host.schedule(at: clock.now.advanced(by: limit), on: clock) { [weak self] in self?.end(round, host) }
        round.set(alarm)
    }

    /// Adds a run that takes the value of a member, because the member has read for it too.
    func follow(_ run: StoreRun, _ store: StoreCore) {
        guard isBusy, run.store.isConsistent, !run.start.isMutation, !run.start.isPrivate else { return }
        let round = state.withLock { state -> ConsistentRound? in
            guard !state.isComplete, case .none = run.roundMembership, state.members.contains(where: { $0.store === store }) else {
                return nil
            }
            state.add(run)
            return state.round
        }
        if let number = round?.firstNumber { run.store.read(asOf: number, run) }
    }

    /// Handles the start of a wait of one store's run for another store, whose run may be waiting for the next round.
    func noteWait(of waiting: StoreCore, for store: StoreCore) {
        guard isBusy else { return }
        let inner = WaitGraph.all(awaitedBy: store)
        let outer = WaitGraph.all(waitingFor: waiting)
        let admitted = state.withLock { state -> [Waiting] in
            guard state.members.runs.contains(where: { outer.contains(ObjectIdentifier($0.store)) }) else { return [] }
            return state.takeWaiting { inner.contains(ObjectIdentifier($0)) }
        }
        // These runs try to join again, and now succeed.
        for waiting in admitted { waiting.resume() }
    }

    // MARK: Results

    /// Holds the result of a member until it is published with those of the others. Returns `false` if the run has to publish the result
    /// itself.
    func hold(_ run: StoreRun, _ result: RunResult) async -> Bool {
        guard isUsed, result != nil else { return false }
        let wait = RunWait(of: run, awaitsRun: true)
        let end = Promise<@Sendable () -> Void>()
        let (isHeld, memberCount) = state.withLock { state in
            let isHeld = state.members.take(result, of: run, RoundMembers.Wait(resume: { wait.resume() }, end: end))
            return (isHeld, state.members.isAlmostReady ? state.members.count : nil)
        }
        guard isHeld else { return false }
        run.store.answerRuns(waitingFor: run, result)
        completeIfReady(run.store.host)
        if let memberCount, Self.mayWaitBriefly, memberCount == run.store.host.consistentCount {
            // All consistent stores take part and only one result is missing, so another thread will probably bring it soon.
            end.waitBriefly(.microseconds(50))
        }
        wait.begin()
        defer { wait.end() }
        if let finish = try? await end.get() {
            // Deliver in the run's own task, so that a slow handler doesn't delay other members.
            finish()
            return true
        }
        // The store has given up the run.
        let wasMember = state.withLock { $0.isComplete ? false : $0.members.remove(run) }
        if wasMember { completeIfReady(run.store.host) }
        return !wasMember
    }

    private static let hasSeveralCores = ProcessInfo.processInfo.activeProcessorCount > 1

    /// Whether the current thread may wait in a loop for another one.
    private static var mayWaitBriefly: Bool { hasSeveralCores && Task.currentPriority > .background }

    /// Whether a run is a member of the round, so that its values must not be shown yet.
    func holds(_ run: StoreRun) -> Bool { isBusy && state.withLock { $0.members.contains(run) } }

    /// Removes a run that waits for something other than data, or that changes data. The others continue without it.
    func leave(_ run: StoreRun) {
        guard isUsed else { return }
        if state.withLock({ $0.leave(run) }) { completeIfReady(run.store.host) }
    }

    /// Removes a run that is over and may have been expected.
    func noteEnd(of run: StoreRun) {
        guard isBusy else { return }
        _ = state.withLock { $0.leave(run) }
        completeIfReady(run.store.host)
    }

    /// Ends the round if a run is about to write to a source that can't be written while the round reads it.
    func endForWrite(by run: StoreRun, to source: ObjectIdentifier) {
        guard isBusy, let round = state.withLock({ $0.round }), round.has(source) else { return }
        end(round, run.store.host)
    }

    // MARK: Completion

    private func completeIfReady(_ host: any StoreHost) {
        while let ready = readyRound(for: host) {
            switch decide(ready) {
            case .publishes: return publish(ready.round, host)
            case .waits(let admitted):
                for waiting in admitted { waiting.resume() }
                return
            // An expected run has ended, and another one may have begun.
            case .retries: continue
            }
        }
    }

    /// A round whose members all have a result, and the runs that it may have to wait for.
    private struct ReadyRound {
        let round: ConsistentRound
        let expected: [StoreRun]
    }

    private enum Decision: Sendable {
        case publishes
        /// Waits for more members, among them some that have waited for the next round.
        case waits(admitted: [Waiting])
        case retries
    }

    /// `nil` if there is nothing to decide now.
    private func readyRound(for host: any StoreHost) -> ReadyRound? {
        let found = state.withLock { state -> (round: ConsistentRound, runs: [StoreRun])? in
            guard !state.isComplete, state.isReady, let round = state.round else { return nil }
            return (round, state.members.runs)
        }
        guard let (round, runs) = found else { return nil }
        var numbers = round.numbers
        if numbers.last == nil { for run in runs { numbers.note(run.store.changeNumbers(of: run).asOf) } }
        let members = Set(runs.map { ObjectIdentifier($0) })
        return ReadyRound(round: round, expected: host.consistentStores.compactMap { $0.expectedRun(by: numbers, excluding: members) })
    }

    private func decide(_ ready: ReadyRound) -> Decision {
        state.withLock { state in
            guard state.round === ready.round, !state.isComplete, state.isReady else { return .waits(admitted: []) }
            let others = ready.expected.filter { !state.members.contains($0) }
            if others.contains(where: { $0.roundMembership == .left && $0.isOver.isRaised }) { return .retries }
            let missing = Set(others.filter { $0.roundMembership == .none }.map { ObjectIdentifier($0.store) })
            if missing.isEmpty {
                state.isComplete = true
                return .publishes
            }
            state.missing = missing
            return .waits(admitted: state.takeWaiting { missing.contains(ObjectIdentifier($0)) })
        }
    }

    /// Ends a round, for example at its time limit: publishes the results, and lets the other runs continue outside of it.
    private func end(_ round: ConsistentRound, _ host: any StoreHost) {
        let isEnding = state.withLock { state in
            guard state.round === round, !state.isComplete else { return false }
            state.isComplete = true
            for run in state.members.removeLate() { run.roundMembership = .left }
            return true
        }
        if isEnding { publish(round, host) }
    }

    private func publish(_ round: ConsistentRound, _ host: any StoreHost) {
        round.end()
        let members = state.withLock { $0.members.results }
        for member in members { member.wait.resume() }
        let endings = members.map { $0.run.store.prepareEnd($0.run, $0.result) }
        let decided = host.jointly { endings.map { $0.run.store.decideEnd($0) } }
        let waiting = state.withLock { state in
            state.round = nil
            state.members = RoundMembers()
            state.missing = []
            state.isComplete = false
            busy.set(0)
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in waiting { waiting.resume() }
        for (member, (ending, decision)) in zip(members, zip(endings, decided)) {
            let finish: @Sendable () -> Void = { ending.run.store.finishEnd(ending, decision) }
            // If its store has given up the run, the run doesn't wait any more.
            if !member.wait.end.resolve(.success(finish)) { finish() }
        }
    }
}

/// The relation of a run to the rounds of its client.
enum RoundMembership: Sendable {
    /// It hasn't read from a source that takes part in rounds.
    case none
    case member
    /// It has left its round, or the round is over. It reads outside of rounds from now on.
    case left
}
