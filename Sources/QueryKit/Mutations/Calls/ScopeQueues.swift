import Foundation

/// The queues of calls: the calls of a scope run one after the other, in order of arrival. A pure value.
struct ScopeQueues: Sendable {
    struct LateCall: Hashable, Sendable {
        let scope: String
        let id: UUID
    }

    private var queues: [String: [UUID]] = [:]
    /// The calls that were made during a resumption and wait for its end; `nil` outside of a resumption.
    private var late: [LateCall]?

    /// Whether all queues are empty.
    var isEmpty: Bool { queues.isEmpty && late?.isEmpty != false }

    /// Takes a place at the end of a queue. Returns `true` for the first, which may continue immediately.
    ///
    /// - Parameter isExpected: Whether the call is resumed. Other calls wait until ``expectNoOthers()``.
    mutating func enter(_ scope: String, _ id: UUID, isExpected: Bool = false) -> Bool {
        if !isExpected, late != nil {
            late?.append(LateCall(scope: scope, id: id))
            return false
        }
        queues[scope, default: []].append(id)
        return queues[scope]?.count == 1
    }

    /// Begins a resumption: resumed calls enter their queues before all calls that are made during it.
    mutating func expectOthers() { late = late ?? [] }

    /// Ends a resumption, and lets the calls that were made during it enter their queues. Returns those that are first in the queue.
    mutating func expectNoOthers() -> [LateCall] {
        let waiting = late ?? []
        late = nil
        return waiting.filter { enter($0.scope, $0.id) }
    }

    /// Leaves a queue, from its head or from the middle. Returns the new first call; `nil` if the first has not changed.
    mutating func leave(_ scope: String, _ id: UUID) -> UUID? {
        late?.removeAll { $0 == LateCall(scope: scope, id: id) }
        guard var queue = queues[scope], let index = queue.firstIndex(of: id) else { return nil }
        queue.remove(at: index)
        queues[scope] = queue.isEmpty ? nil : queue
        return index == 0 ? queue.first : nil
    }

    /// Moves the first call of a queue behind some calls that must precede it. Returns the new first call; `nil`, without any change, if
    /// none of them is in the queue.
    mutating func giveWay(_ scope: String, _ id: UUID, to others: Set<UUID>) -> UUID? {
        guard var queue = queues[scope], queue.first == id, let last = queue.lastIndex(where: { others.contains($0) }), last > 0 else {
            return nil
        }
        queue.remove(at: 0)
        queue.insert(id, at: last)
        queues[scope] = queue
        return queue.first
    }
}
