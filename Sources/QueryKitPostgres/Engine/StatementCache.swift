#if Postgres
import QueryKitSQL

/// The statements that a connection has prepared on the server.
///
/// A statement is found by the addresses of its pieces, so its text is built only once.
struct StatementCache {
    /// Stands for the type of NULL, which can be sent in place of a value of any type.
    static let nullType: UInt32 = .max

    /// A prepared statement. It is identified by its text and the types of its values, because the server fixes the types when it prepares
    /// the statement.
    final class Entry {
        let name: String
        let text: String
        let types: [UInt32]
        fileprivate var use: UInt64 = 0
        /// Whether the server has confirmed it.
        fileprivate(set) var isPrepared = false
        /// Whether it is being prepared.
        var isBeingPrepared = false

        fileprivate init(_ name: String, _ text: String, _ types: [UInt32]) {
            self.name = name
            self.text = text
            // The server chooses the type.
            self.types = types.map { $0 == nullType ? 0 : $0 }
        }

        /// Whether values of these types can be sent.
        fileprivate func accepts(_ types: [UInt32]) -> Bool {
            types.count == self.types.count && types.indices.allSatisfy { types[$0] == self.types[$0] || types[$0] == nullType }
        }
    }

    let limit: Int
    /// By text, one for each combination of types.
    private var entries: [String: [Entry]] = [:]
    private(set) var count = 0
    /// The number of statements that are found by address.
    var markCount: Int { byMark.count }
    /// By the addresses of the pieces and the types. NULL counts as a type of its own, so a statement may have many of these entries.
    private var byMark: [UInt: (entry: Entry, pieces: [SQLPiece])] = [:]
    private var uses: UInt64 = 0
    private var number = 0
    /// Begins all names. It is random, because behind a pooler that shares connections another client's statement could have the same name.
    private let prefix = "q\(String(UInt64.random(in: 0...(.max)), radix: 36))_"
    /// Names that the server still has and that nothing uses any more.
    private(set) var dropped: [String] = []

    init(limit: Int) { self.limit = max(1, limit) }

    /// The entry of a statement, which may have to be prepared first.
    mutating func entry(for sql: SQL, _ types: [UInt32]) -> Entry {
        var hasher = Hasher()
        hasher.combine(sql.mark)
        hasher.combine(types)
        let mark = UInt(bitPattern: hasher.finalize())
        if let (entry, pieces) = byMark[mark], entry.accepts(types), SQLPiece.areSame(pieces, sql.pieces) { return used(entry) }
        let entry = entry(for: sql.numberedText, types)
        if byMark.count >= limit * 4 { byMark = [:] }
        byMark[mark] = (entry, sql.pieces)
        return entry
    }

    /// The entry of a text without values.
    mutating func entry(for text: String) -> Entry { entry(for: text, []) }

    private mutating func entry(for text: String, _ types: [UInt32]) -> Entry {
        if let entry = entries[text]?.first(where: { $0.accepts(types) }) { return used(entry) }
        if count >= limit { dropOldest() }
        number += 1
        let entry = Entry("\(prefix)\(number)", text, types)
        entries[text, default: []].append(entry)
        count += 1
        return used(entry)
    }

    private mutating func used(_ entry: Entry) -> Entry {
        uses += 1
        entry.use = uses
        return entry
    }

    /// Drops a quarter, so that searching for the oldest ones is rare.
    private mutating func dropOldest() {
        let oldest = entries.values.joined().sorted { $0.use < $1.use }.prefix(max(1, limit / 4))
        for entry in oldest { forget(entry) }
    }

    /// Drops all statements, for example because tables have changed.
    mutating func dropAll() {
        dropped += entries.values.joined().filter(\.isPrepared).map(\.name)
        entries = [:]
        byMark = [:]
        count = 0
    }

    private mutating func forget(_ entry: Entry) {
        guard has(entry) else { return }
        let others = entries[entry.text, default: []].filter { $0 !== entry }
        entries[entry.text] = others.isEmpty ? nil : others
        count -= 1
        byMark = byMark.filter { $0.value.entry !== entry }
        if entry.isPrepared { dropped.append(entry.name) }
    }

    /// Notes whether the server has prepared a statement.
    mutating func end(_ entry: Entry, isPrepared: Bool) {
        entry.isBeingPrepared = false
        guard isPrepared else { return }
        entry.isPrepared = true
        // It may have been dropped in the meantime.
        if !has(entry) { dropped.append(entry.name) }
    }

    private func has(_ entry: Entry) -> Bool { entries[entry.text]?.contains { $0 === entry } == true }

    /// Forgets all statements, because the server has.
    mutating func forgetAll() {
        entries = [:]
        byMark = [:]
        count = 0
        dropped = []
    }

    /// The names to deallocate on the server.
    mutating func takeDropped() -> [String] {
        defer { dropped = [] }
        return dropped
    }
}
#endif
