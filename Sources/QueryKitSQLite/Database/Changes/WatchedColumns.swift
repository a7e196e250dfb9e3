import QueryKit

/// The columns whose values commits have to report, because a range of them is read.
///
/// A commit that doesn't report a column concerns all ranges of it. So it does no harm if a commit has begun before its columns are known here, nor if they
/// are forgotten too early: the readers run once too often, and then the columns are known again.
final class WatchedColumns: Sendable {
    /// After so many commits that report a table, it is asked whether a range of it is still read.
    private static let patience = 64

    private struct State {
        var columns = ReportedColumns()
        /// The commits that have reported each table since a range of it was read last.
        var unread: [String: Int] = [:]
        var isRead: (@Sendable (_ table: String) -> Bool)?
    }

    private let state = Lock(State())
    private let latest = Gauge()

    /// Changes with the columns.
    var number: UInt64 { latest.value }

    var columns: ReportedColumns { state.withLock { $0.columns } }

    /// Says how to find out whether a range of a table is read.
    func ask(_ isRead: @escaping @Sendable (_ table: String) -> Bool) { state.withLock { $0.isRead = isRead } }

    /// Adds the columns of what is read.
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

    /// A commit has reported these tables. Those of which no range is read any more are forgotten.
    func noteCommit(of tables: some Sequence<String>) {
        for table in tables {
            let isRead = state.withLock { state -> (@Sendable (String) -> Bool)? in
                state.unread[table, default: 0] += 1
                guard state.unread[table, default: 0] >= Self.patience else { return nil }
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
