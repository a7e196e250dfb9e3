#if Postgres
import QueryKitSQL

/// The statements that a connection has prepared on the server.
///
/// A statement is found by the addresses of its pieces, so its text is built only once.
struct StatementCache {
    /// A prepared statement. It is known under its text and the types of its values, because the server fixes them when it prepares it.
    final class Entry {
        let name: String
        let text: String
        let types: [UInt32]
        let sql: SQL?
        fileprivate var use: UInt64 = 0
        /// Whether the server has confirmed it.
        fileprivate(set) var isPrepared = false
        /// Whether it is being prepared.
        var isBeingPrepared = false

        fileprivate init(_ name: String, _ text: String, _ types: [UInt32], _ sql: SQL?) {
            self.name = name
            self.text = text
            self.types = types
            self.sql = sql
        }
    }

    private struct Key: Hashable {
        let text: String
        let types: [UInt32]
    }

    let limit: Int
    private var entries: [Key: Entry] = [:]
    private var byMark: [UInt: Entry] = [:]
    private var uses: UInt64 = 0
    private var number = 0
    /// Begins all names. It is random, because behind a pooler that shares connections another client's statement could have the same name.
    private let prefix = "q\(String(UInt64.random(in: 0...(.max)), radix: 36))_"
    /// Names that the server still has and that nothing uses any more.
    private(set) var dropped: [String] = []

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { entries.count }

    /// The entry of a statement, which may have to be prepared first.
    mutating func entry(for sql: SQL, _ types: [UInt32]) -> Entry {
        var hasher = Hasher()
        hasher.combine(sql.mark)
        hasher.combine(types)
        let mark = UInt(bitPattern: hasher.finalize())
        if let entry = byMark[mark], entry.types == types, let known = entry.sql, SQLPiece.areSame(known.pieces, sql.pieces) {
            return used(entry)
        }
        let entry = entry(for: sql.numberedText, types, sql)
        byMark[mark] = entry
        return entry
    }

    /// The entry of a text without values.
    mutating func entry(for text: String) -> Entry { entry(for: text, [], nil) }

    private mutating func entry(for text: String, _ types: [UInt32], _ sql: SQL?) -> Entry {
        let key = Key(text: text, types: types)
        if let entry = entries[key] { return used(entry) }
        if entries.count >= limit { dropOldest() }
        number += 1
        let entry = Entry("\(prefix)\(number)", text, types, sql)
        entries[key] = entry
        return used(entry)
    }

    private mutating func used(_ entry: Entry) -> Entry {
        uses += 1
        entry.use = uses
        return entry
    }

    /// Drops a quarter, so that searching for the oldest ones is rare.
    private mutating func dropOldest() {
        let oldest = entries.values.sorted { $0.use < $1.use }.prefix(max(1, limit / 4))
        for entry in oldest { forget(entry) }
    }

    /// Drops all statements, for example because tables have changed.
    mutating func dropAll() {
        dropped += entries.values.filter(\.isPrepared).map(\.name)
        entries = [:]
        byMark = [:]
    }

    private mutating func forget(_ entry: Entry) {
        let key = Key(text: entry.text, types: entry.types)
        guard entries[key] === entry else { return }
        entries[key] = nil
        byMark = byMark.filter { $0.value !== entry }
        if entry.isPrepared { dropped.append(entry.name) }
    }

    /// Notes whether the server has prepared a statement.
    mutating func end(_ entry: Entry, isPrepared: Bool) {
        entry.isBeingPrepared = false
        guard isPrepared else { return }
        entry.isPrepared = true
        // It may have been dropped in the meantime.
        if entries[Key(text: entry.text, types: entry.types)] !== entry { dropped.append(entry.name) }
    }

    /// Forgets all statements, because the server has.
    mutating func forgetAll() {
        entries = [:]
        byMark = [:]
        dropped = []
    }

    /// The names to deallocate on the server.
    mutating func takeDropped() -> [String] {
        defer { dropped = [] }
        return dropped
    }
}
#endif
