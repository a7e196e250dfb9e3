import Foundation

/// The lines of calls: the calls of a scope run one after the other, in order of arrival. A pure value.
struct ScopeLines: Sendable {
    struct Place: Hashable, Sendable {
        let scope: String
        let id: UUID
    }

    private var lines: [String: [UUID]] = [:]
    /// The calls that were made during a resumption and wait for its end; `nil` outside of a resumption.
    private var late: [Place]?

    /// Whether all lines are empty.
    var isEmpty: Bool { lines.isEmpty && late?.isEmpty != false }

    /// Takes a place at the end of a line. Returns `true` for the first, which may continue immediately.
    ///
    /// - Parameter isExpected: Whether the call is resumed. Other calls wait until ``expectNoOthers()``.
    mutating func enter(_ scope: String, _ id: UUID, isExpected: Bool = false) -> Bool {
        if !isExpected, late != nil {
            late?.append(Place(scope: scope, id: id))
            return false
        }
        lines[scope, default: []].append(id)
        return lines[scope]?.count == 1
    }

    /// Begins a resumption: resumed calls enter their lines before all calls that are made during it.
    mutating func expectOthers() { late = late ?? [] }

    /// Ends a resumption, and lets the calls that were made during it enter their lines. Returns those that are first in line.
    mutating func expectNoOthers() -> [Place] {
        let waiting = late ?? []
        late = nil
        return waiting.filter { enter($0.scope, $0.id) }
    }

    /// Leaves a line, from its head or from the middle. Returns the new first call; `nil` if the first has not changed.
    mutating func leave(_ scope: String, _ id: UUID) -> UUID? {
        late?.removeAll { $0 == Place(scope: scope, id: id) }
        guard var line = lines[scope], let index = line.firstIndex(of: id) else { return nil }
        line.remove(at: index)
        lines[scope] = line.isEmpty ? nil : line
        return index == 0 ? line.first : nil
    }

    /// Moves the first call of a line behind some calls that must precede it. Returns the new first call; `nil`, without any change, if
    /// none of them is in the line.
    mutating func giveWay(_ scope: String, _ id: UUID, to others: Set<UUID>) -> UUID? {
        guard var line = lines[scope], line.first == id, let last = line.lastIndex(where: { others.contains($0) }), last > 0 else {
            return nil
        }
        line.remove(at: 0)
        line.insert(id, at: last)
        lines[scope] = line
        return line.first
    }
}
