import Foundation

/// The prepared statements of one connection, by their text. Evicts the least recently used ones.
///
/// All statements are cached, because preparing one takes longer than most of them run. A statement that was requested as a literal before
/// is found by the addresses of its pieces.
final class StatementCache {
    private final class CachedStatement {
        let statement: Statement
        var use: UInt64
        /// Whether the statement was removed from the cache or replaced.
        var isRemoved = false

        init(_ statement: Statement, use: UInt64) {
            self.statement = statement
            self.use = use
        }
    }

    /// A statement that was found for a literal.
    // A class, so that comparing it with a literal copies one reference.
    private final class Shortcut {
        let mark: UInt
        let pieces: [SQLPiece]
        let cached: CachedStatement

        init(_ sql: SQL, _ cached: CachedStatement) { (mark, pieces, self.cached) = (sql.mark, sql.pieces, cached) }
    }

    private let limit: Int
    private var statements: [String: CachedStatement] = [:]
    private var shortcuts: [Shortcut?] = Array(repeating: nil, count: 256)
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { statements.count }

    /// The cached statement of a literal; `nil` if there is none or it is in use.
    func statement(for sql: SQL) -> Statement? {
        let index = Self.shortcutIndex(of: sql)
        if let shortcut = shortcuts[index], shortcut.mark == sql.mark, !shortcut.cached.isRemoved, !shortcut.cached.statement.isBusy,
            SQLPiece.areSame(shortcut.pieces, sql.pieces)
        {
            uses += 1
            shortcut.cached.use = uses
            return shortcut.cached.statement
        }
        let text = sql.text
        guard let statement = statement(for: text) else { return nil }
        addShortcut(for: sql, to: text)
        return statement
    }

    /// From now on, finds the statement of this text by the addresses of the literal's pieces.
    func addShortcut(for sql: SQL, to text: String) {
        guard let cached = statements[text] else { return }
        shortcuts[Self.shortcutIndex(of: sql)] = Shortcut(sql, cached)
    }

    private static func shortcutIndex(of sql: SQL) -> Int { Int(sql.mark >> (UInt.bitWidth - 8)) }

    /// The cached statement of a text; `nil` if there is none or it is in use.
    func statement(for text: String) -> Statement? {
        guard let cached = statements[text], !cached.statement.isBusy, cached.statement.sql.hasSameBytes(as: text) else { return nil }
        uses += 1
        cached.use = uses
        return cached.statement
    }

    /// Adds a statement, replacing another one with the same text.
    func insert(_ statement: Statement) {
        uses += 1
        statements.updateValue(CachedStatement(statement, use: uses), forKey: statement.sql)?.isRemoved = true
        // Evicts a quarter at once, so that the search for the oldest statements is rare.
        if statements.count > limit {
            let old = statements.sorted { $0.value.use < $1.value.use }.prefix(max(1, limit / 4))
            for (text, cached) in old where !cached.statement.isBusy { remove(text) }
        }
    }

    func remove(_ statement: Statement) {
        if statements[statement.sql]?.statement === statement { remove(statement.sql) }
    }

    private func remove(_ text: String) { statements.removeValue(forKey: text)?.isRemoved = true }

    /// Removes all statements. A statement in use is deallocated by its user.
    func removeAll() {
        statements = [:]
        shortcuts = Array(repeating: nil, count: shortcuts.count)
    }
}

extension String {
    /// Whether the bytes are equal. `String` treats differently encoded forms of é as equal, but SQLite doesn't.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard own.count == other.count, let first = own.baseAddress, let second = other.baseAddress else {
                    return own.count == other.count
                }
                return memcmp(first, second, own.count) == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
