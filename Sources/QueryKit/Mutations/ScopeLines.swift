import Foundation

/// Who stands in which line: the calls of a scope run one after the other, in the order in which they came. A pure value.
struct ScopeLines: Sendable {
    private var lines: [String: [UUID]] = [:]

    /// Whether no call stands in any line.
    var isEmpty: Bool { lines.isEmpty }

    /// Takes a place at the end of a line; true for the first, who may go on at once.
    mutating func enter(_ scope: String, _ id: UUID) -> Bool {
        lines[scope, default: []].append(id)
        return lines[scope]?.count == 1
    }

    /// Leaves a line, from its head or from the middle; answers with who is first now and may go on.
    mutating func leave(_ scope: String, _ id: UUID) -> UUID? {
        guard var line = lines[scope], let index = line.firstIndex(of: id) else { return nil }
        line.remove(at: index)
        lines[scope] = line.isEmpty ? nil : line
        return index == 0 ? line.first : nil
    }
}
