import TestSupport
import Testing

@testable import QueryKit

/// The identity of a run that asks for slots.
private final class Owner: Sendable {
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}

struct RunLimitsTests {
    private let owners = (0..<8).map { _ in Owner() }

    @Test func `as many runs work as there are slots, and a run that leaves passes its slot to the first in the queue`() {
        var limits = RunLimits([2])
        let first = limits.enter(owners[0].id, priority: 20, wanted: [0])
        let second = limits.enter(owners[1].id, priority: 20, wanted: [0])
        let third = limits.enter(owners[2].id, priority: 20, wanted: [0])
        let fourth = limits.enter(owners[3].id, priority: 20, wanted: [0])
        #expect([first, second, third, fourth].map(\.isGranted) == [true, true, false, false])
        #expect(limits.leave(second.id) == [third.id])
        #expect(limits.taken(0) == 2)
        #expect(limits.leave(second.id) == [])
        #expect(limits.leave(fourth.id) == [])
        #expect(limits.leave(first.id) == [])
        #expect(limits.leave(third.id) == [])
        #expect(limits.taken(0) == 0)
    }

    @Test func `the queue is ordered by priority, and by arrival among equals`() {
        var limits = RunLimits([1])
        let working = limits.enter(owners[0].id, priority: 20, wanted: [0])
        let low = limits.enter(owners[1].id, priority: 9, wanted: [0]).id
        let high = limits.enter(owners[2].id, priority: 25, wanted: [0]).id
        let next = limits.enter(owners[3].id, priority: 25, wanted: [0]).id
        #expect(limits.waiting(0) == [high, next, low])
        limits.raise(owners[1].id, to: 25)
        #expect(limits.waiting(0) == [low, high, next])
        limits.raise(owners[1].id, to: 9)
        limits.raise(owners[0].id, to: 30)
        #expect(limits.waiting(0) == [low, high, next])
        #expect(limits.leave(working.id) == [low])
    }

    @Test func `a run under several limits needs a slot of each and takes them in order`() {
        var limits = RunLimits([1, 1])
        let back = limits.enter(owners[0].id, priority: 20, wanted: [1]).id
        let both = limits.enter(owners[1].id, priority: 20, wanted: [0, 1])
        #expect(!both.isGranted)
        #expect(limits.taken(0) == 1 && limits.waiting(1) == [both.id])
        let front = limits.enter(owners[2].id, priority: 20, wanted: [0]).id
        #expect(limits.waiting(0) == [front])
        #expect(limits.leave(back) == [both.id])
        #expect(limits.leave(both.id) == [front])
        #expect(limits.taken(0) == 1 && limits.taken(1) == 0)
    }

    @Test func `a run that leaves the queue of a later limit returns the slots it held`() {
        var limits = RunLimits([1, 1])
        _ = limits.enter(owners[0].id, priority: 20, wanted: [1])
        let both = limits.enter(owners[1].id, priority: 20, wanted: [0, 1]).id
        let front = limits.enter(owners[2].id, priority: 20, wanted: [0]).id
        #expect(limits.leave(both) == [front])
        #expect(limits.waiting(1) == [])
    }

    @Test func `a run that another one waits for bypasses the limits up to the last slot held by the waiting run`() {
        var limits = RunLimits([1, 1, 1])
        _ = limits.enter(owners[0].id, priority: 20, wanted: [1])
        #expect(limits.level(of: owners[0].id) == 1)
        #expect(limits.level(of: owners[1].id) == -1)
        #expect(limits.enter(owners[1].id, priority: 20, wanted: [0, 1], pass: 1).isGranted)
        #expect(limits.taken(0) == 0 && limits.taken(1) == 1)
        let late = limits.enter(owners[2].id, priority: 20, wanted: [1, 2])
        #expect(!late.isGranted)
        #expect(limits.letPass(owners[2].id, upTo: 0) == [])
        #expect(limits.letPass(owners[2].id, upTo: 1) == [late.id])
        #expect(limits.taken(1) == 1 && limits.taken(2) == 1)
        let other = limits.enter(owners[3].id, priority: 20, wanted: [1, 2]).id
        #expect(limits.letPass(owners[3].id, upTo: 1) == [])
        #expect(limits.waiting(2) == [other])
        #expect(limits.leave(late.id) == [other])
    }

    @Test(arguments: 0..<8) func `random walks match a model that checks all claims`(_ seed: Int) {
        var dice = Dice(seed: seed)
        let capacities = [1, 2, 3]
        var limits = RunLimits(capacities)
        var model = LimitModel(capacities: capacities)
        var present: [(id: Int, owner: Owner)] = []
        for step in 0..<600 {
            var granted: [Int] = []
            let before = model.working
            switch dice.roll(10) {
            case 0...3:
                let owner = Owner()
                let wanted = capacities.indices.filter { _ in dice.roll(2) == 0 }
                let (priority, pass) = (UInt8(dice.roll(4)), dice.roll(6) == 0 ? dice.roll(3) : -1)
                let (id, isGranted) = limits.enter(owner.id, priority: priority, wanted: wanted, pass: pass)
                present.append((id, owner))
                if isGranted { granted = [id] }
                model.enter(id, priority, wanted, pass)
            case 4...6 where !present.isEmpty:
                let (id, _) = present.remove(at: dice.roll(present.count))
                granted = limits.leave(id)
                model.leave(id)
            case 7...8 where !present.isEmpty:
                let (id, owner) = dice.pick(present)
                let priority = UInt8(dice.roll(6))
                limits.raise(owner.id, to: priority)
                model.raise(id, priority)
            case 9 where !present.isEmpty:
                let (id, owner) = dice.pick(present)
                let level = dice.roll(3)
                granted = limits.letPass(owner.id, upTo: level)
                model.letPass(id, level)
            default:
                continue
            }
            #expect(Set(granted) == model.working.subtracting(before), "seed \(seed), step \(step)")
            for limit in capacities.indices {
                #expect(limits.taken(limit) == model.taken(limit) && limits.taken(limit) <= capacities[limit])
                #expect(limits.waiting(limit) == model.waiting(limit))
            }
            for (id, owner) in present { #expect(limits.level(of: owner.id) == model.level(id)) }
        }
        for (id, _) in present { _ = limits.leave(id) }
        #expect(capacities.indices.allSatisfy { limits.taken($0) == 0 && limits.waiting($0).isEmpty })
    }
}

/// The same rules, applied by checking all claims after each step.
private struct LimitModel {
    private struct Claim {
        let id: Int
        var priority: UInt8
        var wanted: [Int]
        var pass: Int
        var held: Set<Int> = []
    }

    let capacities: [Int]
    private var claims: [Claim] = []

    init(capacities: [Int]) { self.capacities = capacities }

    var working: Set<Int> { Set(claims.filter(\.wanted.isEmpty).map(\.id)) }

    func taken(_ limit: Int) -> Int { claims.filter { $0.held.contains(limit) }.count }

    func waiting(_ limit: Int) -> [Int] {
        claims.filter { $0.wanted.first == limit }
            .sorted { $0.priority == $1.priority ? $0.id < $1.id : $0.priority > $1.priority }
            .map(\.id)
    }

    func level(_ id: Int) -> Int { claims.first { $0.id == id }?.held.max() ?? -1 }

    mutating func enter(_ id: Int, _ priority: UInt8, _ wanted: [Int], _ pass: Int) {
        claims.append(Claim(id: id, priority: priority, wanted: wanted, pass: pass))
        settle()
    }

    mutating func leave(_ id: Int) {
        claims.removeAll { $0.id == id }
        settle()
    }

    mutating func raise(_ id: Int, _ priority: UInt8) {
        for index in claims.indices where claims[index].id == id && !claims[index].wanted.isEmpty {
            claims[index].priority = max(claims[index].priority, priority)
        }
    }

    mutating func letPass(_ id: Int, _ level: Int) {
        for index in claims.indices where claims[index].id == id && !claims[index].wanted.isEmpty {
            claims[index].pass = max(claims[index].pass, level)
        }
        settle()
    }

    private mutating func settle() {
        for limit in capacities.indices {
            for index in claims.indices where claims[index].wanted.first == limit && limit <= claims[index].pass {
                claims[index].wanted.removeFirst()
            }
            while taken(limit) < capacities[limit], let id = waiting(limit).first {
                for index in claims.indices where claims[index].id == id {
                    claims[index].wanted.removeFirst()
                    claims[index].held.insert(limit)
                }
            }
        }
    }
}
