/// A statement by which a source has read regions, described for developers.
///
/// Stores keep the statement as long as their value, so it must hold neither values nor resources of its source.
package protocol ReadStatement: AnyObject, Sendable {
    /// The text, with placeholders instead of values.
    var text: String { get }
    /// How the source carries out the statement, one step per line.
    var plan: [String] { get }
    /// What the statement reads, one part of the source per line.
    var reads: [String] { get }
    /// Why the statement may be slow, as far as known now.
    var warnings: [String] { get }
}

/// A bounded list of statements without duplicates, each with the number of the last run that executed it.
struct ReadStatements: Sendable {
    static let limit = 16

    private struct Entry: Sendable {
        let statement: any ReadStatement
        var run: Int32
    }

    // Most requests execute one statement, which needs no array. It is compared by its identity, which is faster.
    private var first: Entry?
    private var firstID: ObjectIdentifier?
    private var others: [Entry] = []
    /// The last run that executed a statement beyond the limit.
    private var lastOmission: Int32?

    var isEmpty: Bool { firstID == nil && lastOmission == nil }

    /// Whether statements beyond the limit were left out.
    var isIncomplete: Bool { lastOmission != nil }

    /// The statements, in the order of their first execution.
    var all: [any ReadStatement] { (first.map { [$0] } ?? []).map(\.statement) + others.map(\.statement) }

    /// Adds a statement that a run executes.
    mutating func insert(_ statement: any ReadStatement, run: Int32) {
        let id = ObjectIdentifier(statement)
        if firstID == id {
            if let last = first?.run { first?.run = max(last, run) }
        } else if firstID == nil {
            (first, firstID) = (Entry(statement: statement, run: run), id)
        } else if let index = others.firstIndex(where: { $0.statement === statement }) {
            others[index].run = max(run, others[index].run)
        } else if others.count < Self.limit - 1 {
            others.append(Entry(statement: statement, run: run))
        } else {
            lastOmission = max(run, lastOmission ?? run)
        }
    }

    /// Removes the statements whose last execution was in a run before `run`.
    mutating func removeAll(before run: Int32) {
        if !others.isEmpty { others.removeAll { $0.run < run } }
        if let last = first?.run, last < run {
            first = others.isEmpty ? nil : others.removeFirst()
            firstID = first.map { ObjectIdentifier($0.statement) }
        }
        if let last = lastOmission, last < run { lastOmission = nil }
    }
}
