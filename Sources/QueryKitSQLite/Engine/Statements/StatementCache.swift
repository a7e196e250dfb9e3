/// The prepared statements of one connection, by their text; the one used longest ago goes first.
///
/// For all statements, since preparing costs more than most of them take.
struct StatementCache {
    private final class Slot {
        let statement: Statement
        var use: UInt64

        init(_ statement: Statement, use: UInt64) {
            self.statement = statement
            self.use = use
        }
    }

    private let limit: Int
    private var slots: [String: Slot] = [:]
    private var uses: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { slots.count }

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
        slots[statement.sql] = Slot(statement, use: uses)
        // A quarter at once, so that the search for the oldest is rare.
        if slots.count > limit {
            let old = slots.sorted { $0.value.use < $1.value.use }.prefix(max(1, limit / 4))
            for (text, slot) in old where !slot.statement.isBusy { slots[text] = nil }
        }
    }

    mutating func remove(_ statement: Statement) {
        if slots[statement.sql]?.statement === statement { slots[statement.sql] = nil }
    }

    /// Forgets all; one that stands on a row ends with whoever uses it.
    mutating func removeAll() { slots = [:] }
}

extension String {
    /// Whether the bytes are the same: to Swift é is é, in whichever way it is written, and to SQLite not.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in own.elementsEqual(other) }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
