/// Decides which runs may work under the limits and which wait in a queue. A pure value.
///
/// If several limits concern a run, it takes its places one after the other, always in the order of the limits, and keeps them while it
/// waits for the next one. If run A waits for run B, then B needs no place in any limit up to the last one in which A holds a place. So B
/// waits only at limits after that one, which rules out deadlocks.
struct RunLimits: Sendable {
    private struct Claim: Sendable {
        /// The store of the run.
        let owner: ObjectIdentifier
        var priority: UInt8
        /// The limits that concern it, in order, and how many of them it has passed.
        let wanted: [Int]
        var done = 0
        /// The limits in which it holds a place.
        var held: [Int] = []
        /// The last limit that it may pass without a place.
        var pass: Int

        /// The limit to pass next; `nil` when all are passed.
        var next: Int? { done < wanted.count ? wanted[done] : nil }
    }

    /// A claim that waits in the queue of a limit: higher priorities first, equal priorities in order of arrival.
    private struct Waiter: Comparable, Sendable {
        let priority: UInt8
        let id: Int

        static func < (left: Waiter, right: Waiter) -> Bool {
            left.priority == right.priority ? left.id < right.id : left.priority > right.priority
        }
    }

    private struct Limit: Sendable {
        let capacity: Int
        var taken = 0
        var waiters: [Waiter] = []

        /// The index of a waiter, or the index at which to insert it.
        func index(of waiter: Waiter) -> Int {
            var low = 0
            var high = waiters.count
            while low < high {
                let middle = (low + high) / 2
                if waiters[middle] < waiter { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func insert(_ waiter: Waiter) { waiters.insert(waiter, at: index(of: waiter)) }

        mutating func remove(_ waiter: Waiter) {
            let index = index(of: waiter)
            if index < waiters.count, waiters[index] == waiter { waiters.remove(at: index) }
        }
    }

    /// The priority of a claim; `nil` after it has left.
    func priority(of id: Int) -> UInt8? { claims[id]?.priority }

    private var limits: [Limit]
    private var claims: [Int: Claim] = [:]
    private var owned: [ObjectIdentifier: [Int]] = [:]
    private var lastID = 0

    /// Creates limits with these capacities.
    init(_ capacities: [Int]) { limits = capacities.map { Limit(capacity: $0) } }

    /// How many runs a limit lets work at the same time.
    func capacity(_ limit: Int) -> Int { limits[limit].capacity }

    /// The store of a claim; `nil` after the claim has left.
    func owner(of id: Int) -> ObjectIdentifier? { claims[id]?.owner }

    /// How many places of a limit are taken.
    func taken(_ limit: Int) -> Int { limits[limit].taken }

    /// The claims that wait in the queue of a limit, in order.
    func waiting(_ limit: Int) -> [Int] { limits[limit].waiters.map(\.id) }

    /// The last limit in which runs of an owner hold a place; -1 if they hold none.
    func level(of owner: ObjectIdentifier) -> Int { (owned[owner] ?? []).compactMap { claims[$0]?.held.last }.max() ?? -1 }

    /// Adds a run that wants to work. `wanted` are the limits that concern it, in order. If `isGranted` is `false`, the run waits in a
    /// queue.
    mutating func enter(
        _ owner: ObjectIdentifier,
        priority: UInt8,
        wanted: [Int],
        pass: Int = -1
    ) -> (id: Int, isGranted: Bool) {
        lastID += 1
        claims[lastID] = Claim(owner: owner, priority: priority, wanted: wanted, pass: pass)
        owned[owner, default: []].append(lastID)
        return (lastID, advance(lastID))
    }

    /// Removes a run that is over or gave up. Returns the runs that may work now. A second call has no effect.
    mutating func leave(_ id: Int) -> [Int] {
        guard let claim = claims.removeValue(forKey: id) else { return [] }
        owned[claim.owner]?.removeAll { $0 == id }
        if owned[claim.owner]?.isEmpty == true { owned[claim.owner] = nil }
        if let limit = claim.next { limits[limit].remove(Waiter(priority: claim.priority, id: id)) }
        return claim.held.flatMap { limit in
            limits[limit].taken -= 1
            return handOn(limit)
        }
    }

    /// Moves the waiting runs of an owner forward in their queues, to a higher priority.
    mutating func raise(_ owner: ObjectIdentifier, to priority: UInt8) {
        for id in owned[owner] ?? [] {
            guard let claim = claims[id], let limit = claim.next, claim.priority < priority else { continue }
            limits[limit].remove(Waiter(priority: claim.priority, id: id))
            limits[limit].insert(Waiter(priority: priority, id: id))
            claims[id]?.priority = priority
        }
    }

    /// Lets the runs of an owner pass all limits up to `level` without a place. Returns those that may work now.
    mutating func letPass(_ owner: ObjectIdentifier, upTo level: Int) -> [Int] {
        (owned[owner] ?? []).filter { id in
            guard let claim = claims[id], let limit = claim.next, level > claim.pass else { return false }
            claims[id]?.pass = level
            guard limit <= level else { return false }
            limits[limit].remove(Waiter(priority: claim.priority, id: id))
            return advance(id)
        }
    }

    /// Gives the free places of a limit to the first in its queue.
    private mutating func handOn(_ limit: Int) -> [Int] {
        var granted: [Int] = []
        while limits[limit].taken < limits[limit].capacity, let waiter = limits[limit].waiters.first {
            limits[limit].waiters.removeFirst()
            take(limit, waiter.id)
            if advance(waiter.id) { granted.append(waiter.id) }
        }
        return granted
    }

    private mutating func take(_ limit: Int, _ id: Int) {
        limits[limit].taken += 1
        claims[id]?.held.append(limit)
        claims[id]?.done += 1
    }

    /// Takes the places of a claim one after the other, until a place is not free. Returns `true` when the claim has passed all its limits.
    private mutating func advance(_ id: Int) -> Bool {
        while let claim = claims[id], let limit = claim.next {
            if limit <= claim.pass {
                claims[id]?.done += 1
            } else if limits[limit].taken < limits[limit].capacity {
                // A free place means that the queue is empty, because a leaving run hands its place on.
                take(limit, id)
            } else {
                limits[limit].insert(Waiter(priority: claim.priority, id: id))
                return false
            }
        }
        return true
    }
}
