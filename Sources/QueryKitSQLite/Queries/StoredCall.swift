import Foundation
import QueryKit

/// A row of the calls in a ``SQLiteMutationJournal``. After damage, it may be unreadable.
enum StoredCall: Sendable {
    struct UnreadableRow: Sendable {
        let position: Int64
        let reason: String
    }

    case call(MutationJournalEntry)
    case unreadable(UnreadableRow)

    var entry: MutationJournalEntry? { if case .call(let entry) = self { entry } else { nil } }
    var unreadableRow: UnreadableRow? { if case .unreadable(let row) = self { row } else { nil } }

    /// Reads a row whose ninth column is its position.
    init(_ row: borrowing SQLiteRow) throws {
        let position: Int64 = try row[8]
        do {
            self = .call(
                MutationJournalEntry(
                    id: try row[0],
                    name: try row[1],
                    version: try row[2],
                    session: try row[3],
                    scope: try row[7],
                    // Stored as a `Double` to keep every bit; the usual date format is rounded to milliseconds.
                    date: Date(timeIntervalSinceReferenceDate: try row[4]),
                    request: try row[5],
                    arguments: try row[6]
                )
            )
        } catch let error as SQLiteError where error.code == .mismatch {
            self = .unreadable(UnreadableRow(position: position, reason: "It can't be read. \(error.message)"))
        }
    }

    /// Returns an entry with the readable parts of a row. Accepts any values.
    static func anyEntry(of row: borrowing SQLiteRow) throws -> MutationJournalEntry {
        let id: SQLiteValue = try value(0, of: row)
        return MutationJournalEntry(
            id: UUID(uuid: Array(id.bytes).uuid),
            name: try value(1, of: row).anyText,
            version: try value(2, of: row).anyInteger,
            session: try optionalText(3, of: row),
            scope: try optionalText(7, of: row),
            date: Date(timeIntervalSinceReferenceDate: try value(4, of: row).anyReal),
            request: try value(5, of: row).bytes,
            arguments: try value(6, of: row).bytes
        )
    }

    private static func optionalText(_ index: Int, of row: borrowing SQLiteRow) throws -> String? {
        let value = try value(index, of: row)
        return value == .null ? nil : value.anyText
    }

    /// The stored value. A text that is not valid UTF-8 is returned as a blob.
    private static func value(_ index: Int, of row: borrowing SQLiteRow) throws -> SQLiteValue {
        do {
            return try row[index] as SQLiteValue
        } catch let error as SQLiteError where error.code == .mismatch {
            return .blob(try row[index])
        }
    }
}

extension MutationLease {
    /// Reads a lease from three columns; `nil` if there is none, or if it is damaged. In both cases any client may take the call.
    init?(_ row: borrowing SQLiteRow, from index: Int) {
        do {
            guard let holder: UUID = try row[index], let process: String = try row[index + 1], let until: Double = try row[index + 2] else {
                return nil
            }
            self.init(holder: holder, process: process, until: Date(timeIntervalSinceReferenceDate: until))
        } catch {
            return nil
        }
    }
}

extension SQLiteValue {
    fileprivate var bytes: Data {
        switch self {
        case .blob(let data): data
        case .text(let text): Data(text.utf8)
        default: Data()
        }
    }

    fileprivate var anyText: String { String(decoding: bytes, as: UTF8.self) }

    fileprivate var anyInteger: Int { if case .integer(let number) = self { Int(clamping: number) } else { 0 } }

    fileprivate var anyReal: Double {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: 0
        }
    }
}

extension [UInt8] {
    /// The first sixteen bytes, padded with zeros.
    fileprivate var uuid: uuid_t {
        let all = self + repeatElement(0, count: 16)
        return all.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
    }
}
