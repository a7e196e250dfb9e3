import TestSupport
import Testing

@testable import QueryKit

/// Sends random events to the machine and checks the invariants after each.
struct RunMachineWalkTests {
    @Test(arguments: 0..<9) func `R6 R7 R8 R10 R17 R19 hold after each of 20,000 random events`(_ seed: Int) {
        var walk = MachineWalk(seed: seed, hasPrivateRuns: seed % 2 == 1, hasPages: seed >= 6)
        for _ in 0..<20_000 where walk.breach == nil { walk.step() }
        #expect(walk.breach == nil)
        #expect(walk.started > 1_000)
    }
}

/// A machine with a shadow model that counts callers, so that none is forgotten or answered twice.
private struct MachineWalk {
    private(set) var breach: String?
    private(set) var started = 0
    private var situation = Situation()
    private var dice: Dice
    private let hasPrivateRuns: Bool
    private let hasPages: Bool
    private var trail: [String] = []

    /// The run that each waiting caller waits for.
    private var waiters: [Int32] = []
    private var subscribers = 0
    private var privateRuns: [Int32] = []
    private var lastNumber: Int32 = 0
    /// Results of runs up to these numbers are stale from the start, or dropped.
    private var invalidated: Int32 = 0
    private var dropped: Int32 = 0
    /// The youngest run whose result is shown; results of older runs are dropped too.
    private var shown: Int32 = 0
    /// Since an invalidation, the subscribers must get a run after this one.
    private var owedSince: Int32?
    private var rollback = QueryRecord()

    init(seed: Int, hasPrivateRuns: Bool, hasPages: Bool) {
        dice = Dice(seed: seed)
        self.hasPrivateRuns = hasPrivateRuns
        self.hasPages = hasPages
    }

    mutating func step() {
        let event = randomEvent()
        trail.append("\(event)")
        let before = situation
        prepare(event)
        let effects = situation.send(event)
        account(effects, event, before)
        var next = effects.next
        while let start = next {
            require(situation.machine.run == nil, "a run follows while one is under way")
            require(Int(start.waiters) == waiters.count { $0 == RunMachine.following }, "who waits for the next run is miscounted")
            let before = situation
            let effects = situation.follow()
            account(effects, nil, before)
            next = effects.next
        }
        checkInvariants()
    }

    // MARK: Events

    private mutating func randomEvent() -> MachineEvent {
        let number = situation.machine.run.map(\.number)
        let abandonment = dice.pick([QueryAbandonment.cancel, .finish])
        let late = Int32(dice.roll(Int(lastNumber) + 1))
        switch dice.roll(24) {
        case 0, 1: return .fetch
        case 2: return hasPages ? dice.pick([.fetchNext, .fetchPrevious]) : .fetch
        case 3: return .refresh
        case 4: return .subscribe
        case 5: return .look
        case 6, 7: return subscribers > 0 ? .unsubscribe(abandonment) : .subscribe
        case 8...10: return waiters.isEmpty ? .fetch : .leave(dice.pick(waiters), abandonment)
        case 11, 12: return .invalidate(dice.pick([.active, .all, .none]), isEnabled: dice.roll(4) > 0)
        case 13: return .write(isEnabled: dice.roll(4) > 0)
        case 14: return dice.roll(3) == 0 ? .writeFailure : .refresh
        case 15: return dice.roll(2) == 0 ? .cancel : .reset(refetches: dice.roll(2) == 0)
        case 16: return .yield(number ?? late)
        case 17: return .attemptFailed(number ?? late)
        case 18: return dice.roll(2) == 0 ? .yield(late) : .end(late, .success)
        case 19, 20: return .end(number ?? late, dice.pick(MachineEvent.Outcome.allCases))
        case 21: return hasPrivateRuns ? .beginPrivate : .fetch
        default:
            guard !privateRuns.isEmpty else { return .end(number ?? late, .success) }
            return .endPrivate(dice.pick(privateRuns), dice.pick(MachineEvent.Outcome.allCases))
        }
    }

    /// The event's effect on the shadow model, independent of the machine.
    private mutating func prepare(_ event: MachineEvent) {
        switch event {
        case .subscribe, .look: subscribers += 1
        case .unsubscribe: subscribers -= 1
        case .leave(let number, _): waiters.firstIndex(of: number).map { _ = waiters.remove(at: $0) }
        case .invalidate(let refetch, let isEnabled):
            invalidated = lastNumber
            if refetch != .none, isEnabled, subscribers > 0 { owedSince = owedSince ?? lastNumber }
        case .write, .writeFailure: dropped = lastNumber
        case .cancel, .reset:
            dropped = lastNumber
            owedSince = nil
        case .endPrivate(let number, _): privateRuns.firstIndex(of: number).map { _ = privateRuns.remove(at: $0) }
        case .fetch, .fetchNext, .fetchPrevious, .refresh, .yield, .attemptFailed, .end, .beginPrivate, .pause, .holdBack, .goOn, .stream:
            break
        }
        if subscribers == 0 { owedSince = nil }
    }

    // MARK: Effects

    private mutating func account(_ effects: Answer, _ event: MachineEvent?, _ before: Situation) {
        if let start = effects.starts {
            started += 1
            require(before.machine.run == nil, "a second run began")
            require(start.number > lastNumber, "numbers do not rise")
            lastNumber = start.number
            for index in waiters.indices where waiters[index] == RunMachine.following { waiters[index] = start.number }
            rollback = before.record
        }
        if let number = effects.joined {
            if event == .beginPrivate {
                require(number > lastNumber, "numbers do not rise")
                lastNumber = number
                privateRuns.append(number)
            } else {
                waiters.append(number)
                let isYoung = number == RunMachine.following || number > max(invalidated, dropped)
                // A caller waiting for a page may get the result of any other run and ask again; a page of an older run still counts.
                let isPage = event == .fetchNext || event == .fetchPrevious
                require(isYoung || effects.mustFetchAgain || isPage && number > dropped, "a caller joined a run that is too old")
            }
        }
        if let number = effects.cancels {
            require(before.machine.run?.number == number, "a run was cancelled that was not under way")
            require(situation.machine.run == nil, "a run was cancelled and left under way")
        }
        switch effects.settles {
        case .none: break
        case .waiters(let number): waiters.removeAll { $0 == number }
        case .everyone: waiters = []
        }
        accountValue(effects, event, before)
    }

    private mutating func accountValue(_ effects: Answer, _ event: MachineEvent?, _ before: Situation) {
        let counted = situation.record.valueCount &- before.record.valueCount
        require(!effects.isIgnored || effects.value == .keep && counted == 0, "an ignored event changed the value")
        require(effects.value == .clear || counted == (effects.value == .accept ? 1 : 0), "values are miscounted")
        require(!effects.rebases || situation.machine.run != nil, "there is no run to rebase")
        if effects.rebases { rollback = situation.record }
        if effects.value == .restore {
            require(before.machine.run != nil && situation.machine.run == nil, "a run was undone that had not ended")
            var record = rollback
            record.restore(over: situation.record)
            situation.record = record
        }
        switch event {
        case .end(let number, let outcome)?:
            guard before.machine.run?.number == number else { return }
            accountResult(number, outcome, effects, before)
        case .endPrivate(let number, let outcome)?:
            accountResult(number, outcome, effects, before)
            return
        case .yield(let number)?:
            require(
                effects.isIgnored == (before.machine.run?.number != number || number <= max(dropped, shown)),
                "a yield was dropped, or not"
            )
            return
        default: return
        }
        guard case .end(let number, _)? = event else { return }
        if let owed = owedSince, number > owed { owedSince = nil }
    }

    /// A result is dropped if a younger one is shown, and stale if an invalidation is younger.
    private mutating func accountResult(
        _ number: Int32,
        _ outcome: MachineEvent.Outcome,
        _ effects: Answer,
        _ before: Situation
    ) {
        guard outcome != .cancelled else { return }
        require(effects.isIgnored == (number <= max(dropped, shown)), "a result was dropped, or not, against the rule")
        guard !effects.isIgnored else { return }
        shown = number
        guard outcome == .success else { return }
        // A page does not affect the age of the others.
        let isPage = before.machine.run?.number == number && before.machine.purpose.aim != .everything
        let stays = isPage && before.record.flags.isSuperset(of: [.hasValue, .invalidated])
        require(
            situation.record.flags.contains(.invalidated) == (number <= invalidated || stays),
            "a result is stale, or not stale, against the rule"
        )
    }

    // MARK: Invariants

    private mutating func checkInvariants() {
        let machine = situation.machine
        let flags = situation.record.flags
        require(Int(machine.subscribers) == subscribers, "subscribers are miscounted")
        require(Int(machine.privateRuns) == privateRuns.count, "private runs are miscounted")
        require(Int(machine.run?.waiters ?? 0) == waiters.count { $0 == machine.run?.number }, "waiters are miscounted")
        require(Int(machine.run?.nextWaiters ?? 0) == waiters.count { $0 == RunMachine.following }, "next waiters are miscounted")
        require(waiters.allSatisfy { $0 == machine.run?.number || $0 == RunMachine.following }, "a caller waits for a run that is over")
        require(machine.run != nil || waiters.isEmpty, "a caller waits although there is no run")
        require(flags.contains(.fetching) == !machine.isIdle, "fetching does not say whether work is under way")
        require(!flags.contains(.succeeded) || !flags.contains(.failed), "a result is both success and failure")
        require(!flags.contains(.succeeded) || flags.contains(.hasValue), "a success has no value")
        require(
            flags.contains(.failed) == (situation.record.error != nil),
            "the record's error does not match whether the result is a failure"
        )
        if let owed = owedSince {
            let isComing = machine.run.map { $0.number > owed || machine.trailing != nil } ?? false
            require(isComing, "an invalidation was lost")
        }
    }

    private mutating func require(_ condition: Bool, _ text: String) {
        guard !condition, breach == nil else { return }
        breach = "\(text), after: \(trail.suffix(12).joined(separator: " · "))"
    }
}
