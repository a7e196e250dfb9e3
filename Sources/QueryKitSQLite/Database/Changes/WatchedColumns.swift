import QueryKit

/// The columns whose values commits must report, because a range of them is read.
///
/// A commit that doesn't report a column concerns all ranges of it. So a commit that began before its columns were added here does no harm,
/// and neither does removing columns too early: the readers run once more than necessary, and their reads add the columns again.
final class WatchedColumns: Sendable {
    /// After this number of commits that have reported a table, it is checked whether a range of the table is still read.
    private static let unreadLimit = 64

    private struct State {
        var columns = ReportedColumns()
        /// The number of commits that have reported each table since a range of it was last read.
        var unread: [String: Int] = [:]
        var isRead: (@Sendable (_ table: String) -> Bool)?
    }

    private let state = Lock(State())
    private let latest = Gauge()

    /// A number that changes whenever the columns change.
    var number: UInt64 { latest.value }

    var columns: ReportedColumns { state.withLock { $0.columns } }

    /// Sets the closure that determines whether a range of a table is read.
    func setIsRead(_ isRead: @escaping @Sendable (_ table: String) -> Bool) { state.withLock { $0.isRead = isRead } }

    /// Adds the columns of the ranges in a list.
    func add(_ list: RegionList) {
        if list.ranges.isEmpty { return }
        state.withLock { state in
            for (table, columns) in list.ranges {
                state.unread[table] = 0
                if state.columns.tables[table]?.isSuperset(of: columns) == true { continue }
                state.columns.tables[table, default: []].formUnion(columns)
                renumber(&state)
            }
        }
    }

    /// Counts a commit that has reported these tables. Removes a table if no range of it is read any more.
    func noteCommit(of tables: some Sequence<String>) {
        for table in tables {
            let isRead = state.withLock { state -> (@Sendable (String) -> Bool)? in
                state.unread[table, default: 0] += 1
                guard state.unread[table, default: 0] >= Self.unreadLimit else { return nil }
                state.unread[table] = 0
                return state.isRead ?? { _ in false }
            }
            guard let isRead, !isRead(table) else { continue }
            state.withLock { state in
                (state.columns.tables[table], state.unread[table]) = (nil, nil)
                renumber(&state)
            }
        }
    }

    private func renumber(_ state: inout State) {
        state.columns.number += 1
        latest.set(state.columns.number)
    }
}
