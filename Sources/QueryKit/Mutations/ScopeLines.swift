import Foundation

/// Who stands in which line: the calls of a scope run one after the other, in the order in which they came. A pure value.
struct ScopeLines: Sendable {
    struct Place: Hashable, Sendable {
        let scope: String
        let id: UUID
    }

    private var lines: [String: [UUID]] = [:]
    /// Those who came while others are expected that were made earlier; `nil` while none are.
    private var late: [Place]?

    /// Whether no call stands in any line.
    var isEmpty: Bool { lines.isEmpty && late?.isEmpty != false }

    /// Takes a place at the end of a line; true for the first, who may go on at once.
    ///
    /// - Parameter isExpected: Whether it is one of those for whom the late ones wait.
    mutating func enter(_ scope: String, _ id: UUID, isExpected: Bool = false) -> Bool {
        if !isExpected, late != nil {
            late?.append(Place(scope: scope, id: id))
            return false
        }
        lines[scope, default: []].append(id)
        return lines[scope]?.count == 1
    }

    /// From now on others are expected, who go before those that come meanwhile.
    mutating func expectOthers() { late = late ?? [] }

    /// All have come who were expected. Answers with those that may go on now.
    mutating func expectNoOthers() -> [Place] {
        let waiting = late ?? []
        late = nil
        return waiting.filter { enter($0.scope, $0.id) }
    }

    /// Leaves a line, from its head or from the middle; answers with who is first now and may go on.
    mutating func leave(_ scope: String, _ id: UUID) -> UUID? {
        late?.removeAll { $0 == Place(scope: scope, id: id) }
        guard var line = lines[scope], let index = line.firstIndex(of: id) else { return nil }
        line.remove(at: index)
        lines[scope] = line.isEmpty ? nil : line
        return index == 0 ? line.first : nil
    }
}
