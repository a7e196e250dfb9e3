/// Decides which runs may work under the limits and which wait in line. A pure value.
///
/// A run that several limits concern takes its places one after the other, always in the order of the limits, and keeps its places while it
/// waits for the next. If another run waits for a run, the latter passes all limits up to the last one in which the former holds a place.
/// So each run waits only for runs that can only wait for later limits, which rules out deadlocks.
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

    /// A place in a line: higher priorities first, equal priorities in order of arrival.
    private struct Spot: Comparable, Sendable {
        let priority: UInt8
        let id: Int

        static func < (left: Spot, right: Spot) -> Bool {
            left.priority == right.priority ? left.id < right.id : left.priority > right.priority
        }
    }

    private struct Line: Sendable {
        let capacity: Int
        var taken = 0
        var spots: [Spot] = []

        /// The index of a spot, or the index at which to insert it.
        func index(of spot: Spot) -> Int {
            var low = 0
            var high = spots.count
            while low < high {
                let middle = (low + high) / 2
                if spots[middle] < spot { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func insert(_ spot: Spot) { spots.insert(spot, at: index(of: spot)) }

        mutating func remove(_ spot: Spot) {
            let index = index(of: spot)
            if index < spots.count, spots[index] == spot { spots.remove(at: index) }
        }
    }

    /// The priority of a claim; `nil` after it has left.
    func priority(of id: Int) -> UInt8? { claims[id]?.priority }

    private var lines: [Line]
    private var claims: [Int: Claim] = [:]
    private var owned: [ObjectIdentifier: [Int]] = [:]
    private var lastID = 0

    /// Creates limits with these capacities.
    init(_ capacities: [Int]) { lines = capacities.map { Line(capacity: $0) } }

    /// How many places of a limit are taken.
    func taken(_ limit: Int) -> Int { lines[limit].taken }

    /// The claims that wait in line for a limit, in order.
    func waiting(_ limit: Int) -> [Int] { lines[limit].spots.map(\.id) }

    /// The last limit in which runs of an owner hold a place; -1 if they hold none.
    func level(of owner: ObjectIdentifier) -> Int { (owned[owner] ?? []).compactMap { claims[$0]?.held.last }.max() ?? -1 }

    /// Adds a run that wants to work. `wanted` are the limits that concern it, in order. If it is not granted, the run waits in line.
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
        if let limit = claim.next { lines[limit].remove(Spot(priority: claim.priority, id: id)) }
        return claim.held.flatMap { limit in
            lines[limit].taken -= 1
            return handOn(limit)
        }
    }

    /// Moves the waiting runs of an owner forward in line, to a higher priority.
    mutating func raise(_ owner: ObjectIdentifier, to priority: UInt8) {
        for id in owned[owner] ?? [] {
            guard let claim = claims[id], let limit = claim.next, claim.priority < priority else { continue }
            lines[limit].remove(Spot(priority: claim.priority, id: id))
            lines[limit].insert(Spot(priority: priority, id: id))
            claims[id]?.priority = priority
        }
    }

    /// Lets the runs of an owner pass all limits up to one without a place. Returns those that may work now.
    mutating func letPass(_ owner: ObjectIdentifier, upTo level: Int) -> [Int] {
        (owned[owner] ?? []).filter { id in
            guard let claim = claims[id], let limit = claim.next, level > claim.pass else { return false }
            claims[id]?.pass = level
            guard limit <= level else { return false }
            lines[limit].remove(Spot(priority: claim.priority, id: id))
            return advance(id)
        }
    }

    /// Gives the free places of a limit to the first in its line.
    private mutating func handOn(_ limit: Int) -> [Int] {
        var granted: [Int] = []
        while lines[limit].taken < lines[limit].capacity, let spot = lines[limit].spots.first {
            lines[limit].spots.removeFirst()
            take(limit, spot.id)
            if advance(spot.id) { granted.append(spot.id) }
        }
        return granted
    }

    private mutating func take(_ limit: Int, _ id: Int) {
        lines[limit].taken += 1
        claims[id]?.held.append(limit)
        claims[id]?.done += 1
    }

    /// Takes one place after the other until one is not free. Returns `true` when all are granted.
    private mutating func advance(_ id: Int) -> Bool {
        while let claim = claims[id], let limit = claim.next {
            if limit <= claim.pass {
                claims[id]?.done += 1
            } else if lines[limit].taken < lines[limit].capacity {
                // A free place means that the line is empty, because a leaving run hands its place on.
                take(limit, id)
            } else {
                lines[limit].insert(Spot(priority: claim.priority, id: id))
                return false
            }
        }
        return true
    }
}
