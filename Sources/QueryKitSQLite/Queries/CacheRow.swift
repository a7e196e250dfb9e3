import Foundation
import QueryKit

/// A row of the entries in a ``SQLiteQueryCache``.
struct CacheRow: SQLiteRowDecodable {
    let id: Int64
    let entry: QueryCacheEntry

    static let columns: SQL = "id, data, date, ttl_seconds, ttl_attoseconds, is_invalidated"
    static let valueColumns: SQL = "data, date, ttl_seconds, ttl_attoseconds, is_invalidated, expiry"

    init(row: borrowing SQLiteRow) throws {
        id = try row[0]
        entry = QueryCacheEntry(
            data: try row[1],
            // Stored as a `Double` to keep every bit; the usual date format is rounded to milliseconds.
            date: Date(timeIntervalSinceReferenceDate: try row[2]),
            ttl: Duration(secondsComponent: try row[3], attosecondsComponent: try row[4]),
            isInvalidated: try row[5]
        )
    }

    static func values(of entry: QueryCacheEntry) -> SQL {
        let ttl = min(entry.ttl, .infinity)
        let date = entry.date.timeIntervalSinceReferenceDate
        let expiry: Double? = ttl == .infinity ? nil : date + ttl / .seconds(1)
        return
            "\(entry.data), \(date), \(ttl.components.seconds), \(ttl.components.attoseconds), \(entry.isInvalidated), \(expiry)"
    }
}
