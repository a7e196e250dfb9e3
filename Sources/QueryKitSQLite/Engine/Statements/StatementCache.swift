import Foundation

/// The prepared statements of one connection, by their text; the one used longest ago goes first.
///
/// For all statements, since preparing costs more than most of them take. A statement that was asked for as a literal before is found by the addresses of
/// its parts.
struct StatementCache {
    private final class Slot {
        let statement: Statement
        var use: UInt64
        /// Whether another statement has its place, or none.
        var isGone = false

        init(_ statement: Statement, use: UInt64) {
            self.statement = statement
            self.use = use
        }
    }

    /// A slot as a literal found it.
    private struct Shortcut {
        let mark: UInt
        let pieces: [SQLPiece]
        let slot: Slot
    }

    private let limit: Int
    private var slots: [String: Slot] = [:]
    private var shortcuts: [Shortcut?] = Array(repeating: nil, count: 256)
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { slots.count }

    /// The statement of a literal, unless there is none or it stands on a row just now.
    mutating func statement(for sql: SQL) -> Statement? {
        let place = Self.place(of: sql)
        if let shortcut = shortcuts[place], shortcut.mark == sql.mark, !shortcut.slot.isGone, !shortcut.slot.statement.isBusy,
            shortcut.pieces.count == sql.pieces.count, zip(shortcut.pieces, sql.pieces).allSatisfy({ $0.isSame(as: $1) })
        {
            uses += 1
            shortcut.slot.use = uses
            return shortcut.slot.statement
        }
        let text = sql.text
        guard let statement = statement(for: text) else { return nil }
        shorten(sql, to: text)
        return statement
    }

    /// Lets a literal find the statement of a text by its addresses from now on.
    mutating func shorten(_ sql: SQL, to text: String) {
        guard let slot = slots[text] else { return }
        shortcuts[Self.place(of: sql)] = Shortcut(mark: sql.mark, pieces: sql.pieces, slot: slot)
    }

    private static func place(of sql: SQL) -> Int { Int(sql.mark >> (UInt.bitWidth - 8)) }

    /// The statement of a text, unless there is none or it stands on a row just now.
    mutating func statement(for text: String) -> Statement? {
        guard let slot = slots[text], !slot.statement.isBusy, slot.statement.sql.hasSameBytes(as: text) else { return nil }
        uses += 1
        slot.use = uses
        return slot.statement
    }

    /// Keeps a statement, in place of another of the same text.
    mutating func insert(_ statement: Statement) {
        uses += 1
        slots.updateValue(Slot(statement, use: uses), forKey: statement.sql)?.isGone = true
        // A quarter at once, so that the search for the oldest is rare.
        if slots.count > limit {
            let old = slots.sorted { $0.value.use < $1.value.use }.prefix(max(1, limit / 4))
            for (text, slot) in old where !slot.statement.isBusy { remove(text) }
        }
    }

    mutating func remove(_ statement: Statement) {
        if slots[statement.sql]?.statement === statement { remove(statement.sql) }
    }

    private mutating func remove(_ text: String) { slots.removeValue(forKey: text)?.isGone = true }

    /// Forgets all; one that stands on a row ends with whoever uses it.
    mutating func removeAll() {
        slots = [:]
        shortcuts = Array(repeating: nil, count: shortcuts.count)
    }
}

extension String {
    /// Whether the bytes are the same: to Swift é is é, in whichever way it is written, and to SQLite not.
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
