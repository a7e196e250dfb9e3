import QueryKit

/// The changes of commits, stored in the file for other processes: one row per commit, and only the newest few hundred are kept.
///
/// The number of a row orders all commits of all processes that keep the log.
final class ChangeLog: Sendable {
    static let table = "querykit_changes"
    private static let keptCount: Int64 = 512

    fileprivate struct State {
        /// The number up to which all commits of other processes were reported.
        var reported: Int64 = 0
        /// The number up to which ``ForeignWatch`` has read the log. A snapshot may have reported later commits.
        var checked: Int64 = 0
        /// Numbers after `reported` that belong to commits of this process.
        var own: Set<Int64> = []
        var pending: Int64?
        /// The regions of the latest commit and their text. Usually the next commit has the same regions.
        var regions: Set<SQLiteRegion> = []
        var text = ""
    }

    private let state = Lock(State())

    /// Creates the table if it doesn't exist.
    func install(on connection: Connection) throws {
        try connection.run("CREATE TABLE IF NOT EXISTS \(Self.table) (number INTEGER PRIMARY KEY, regions TEXT NOT NULL) STRICT")
    }

    static func exists(on connection: Connection) throws -> Bool {
        try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = '\(table)'") == 1
    }

    /// Treats all existing rows as known.
    ///
    /// - Parameter isNewFile: Whether the file was replaced. The numbers of the new file may be smaller than those of the old one.
    func begin(on connection: Connection, isNewFile: Bool = false) throws {
        guard try Self.exists(on: connection) else { return }
        try connection.checkInternalTable(Self.table, columns: ["number", "regions"])
        let newest = try newestNumber(on: connection)
        state.withLock { state in
            if isNewFile { (state.reported, state.checked, state.own) = (0, 0, []) }
            state.advance(to: newest)
        }
    }

    /// The largest valid number. No process gets this far, so a larger number is a result of damage.
    static let lastNumber: Int64 = 1 << 62
    /// The largest number of commits that other processes can have made since this process last read the log.
    private static let longestStep: Int64 = 1 << 40

    /// The newest valid number; 0 if there is none.
    ///
    /// - Parameter excluded: A number to ignore.
    private func newestNumber(on connection: Connection, except excluded: Int64 = -1) throws -> Int64 {
        try connection.value(
            Int64.self,
            "SELECT max(number) FROM \(Self.table) WHERE number BETWEEN 0 AND ? AND number <> ?",
            [.integer(Self.lastNumber), .integer(excluded)]
        ) ?? 0
    }

    // MARK: Writing

    /// Adds a row for the transaction that is about to be committed. The row has no regions if no query reads what the transaction changes.
    func append(_ change: SQLiteChangeSet, on connection: Connection) throws {
        let (text, known) = note(change.regions)
        try connection.run(Self.insertion, .text(RegionText.encode(change, text)))
        var number = connection.lastInsertedRowID
        // SQLite takes the number after the largest one. If the largest one is also the largest possible one, SQLite takes random numbers.
        if number <= known || number - known > Self.longestStep || number > Self.lastNumber { number = try restart(on: connection) }
        if number % (Self.keptCount / 2) == 0 {
            try connection.run("DELETE FROM \(Self.table) WHERE number <= ?", [.integer(number - Self.keptCount)])
        }
        state.withLock { $0.pending = number }
    }

    private static let insertion: SQL = "INSERT INTO querykit_changes (regions) VALUES (?)"

    /// Returns the text of regions, and the number up to which commits were reported.
    private func note(_ regions: Set<SQLiteRegion>) -> (text: String, reported: Int64) {
        state.withLock { state in
            if state.regions != regions { (state.regions, state.text) = (regions, RegionText.encode(regions)) }
            return (state.text, state.reported)
        }
    }

    /// Replaces the log with one row after a number was damaged. The new number leaves a gap, because other processes may know a larger
    /// number than the rest of the log contains. They take the gap to mean that everything has changed.
    private func restart(on connection: Connection) throws -> Int64 {
        let known = state.withLock { max($0.reported, $0.checked, $0.own.max() ?? 0) }
        let newest = try newestNumber(on: connection, except: connection.lastInsertedRowID)
        let number = max(newest, known) + Self.keptCount
        try connection.run("DELETE FROM \(Self.table)")
        try connection.run(
            "INSERT INTO \(Self.table) (number, regions) VALUES (?, ?)",
            [.integer(number), .text(RegionText.encode([.everything]))]
        )
        return number
    }

    /// Commits changes that no query reads. Adds a row without regions, because other processes attribute a commit without a row to a
    /// program that keeps no log.
    static func commitQuietly(_ log: ChangeLog?, on connection: Connection, _ work: (Connection) throws -> Void) throws {
        try connection.run(.beginImmediate)
        do {
            try work(connection)
            if let log, try exists(on: connection) { try log.append(SQLiteChangeSet(.local, []), on: connection) }
            try connection.run(.commit)
            log?.confirm()
        } catch {
            log?.forget()
            connection.rollBack()
            throw error
        }
    }

    func confirm() {
        state.withLock { state in
            guard let number = state.pending else { return }
            state.pending = nil
            if number == state.checked &+ 1 { state.checked = number }
            if number == state.reported &+ 1 {
                state.reported = number
            } else if state.own.count < Self.keptCount {
                state.own.insert(number)
            }
        }
    }

    func forget() { state.withLock { $0.pending = nil } }

    // MARK: Reading

    /// What other processes have committed since an earlier moment.
    struct ForeignCommits: Sendable {
        /// The regions that they have changed and that weren't reported before, or everything if the log is incomplete; `nil` if the log
        /// contains no commit since that moment.
        let regions: Set<SQLiteRegion>?
        /// Details of the changed tables, as far as they are known.
        let tables: [TableChange]
        /// The number of the newest commit in the log.
        fileprivate let newest: Int64
        fileprivate let isCheck: Bool
        /// Whether the log has lost the numbers that this process knows, so that smaller ones follow.
        fileprivate var isRestart = false
    }

    /// Returns what other processes have committed since the last check of ``ForeignWatch``, which calls ``noteReport(of:)`` afterwards.
    func commitsSinceCheck(on connection: Connection) throws -> ForeignCommits {
        let known = state.withLock { $0 }
        guard try Self.exists(on: connection) else {
            return ForeignCommits(regions: [.everything], tables: [], newest: known.checked, isCheck: true)
        }
        return try commits(after: known.checked, known, on: connection, isCheck: true)
    }

    /// Returns the commits of other processes that no report has included; `nil` if there are none. Takes the transaction's snapshot.
    func unreportedCommits(on connection: Connection) throws -> ForeignCommits? {
        // The table existed when the statement was prepared. Looking for it again would take as long as reading it.
        guard try connection.hasStatement(Self.selection) || Self.exists(on: connection) else { return nil }
        let known = state.withLock { $0 }
        do {
            let commits = try commits(after: known.reported, known, on: connection, isCheck: false)
            return commits.regions == nil || commits.regions == [] ? nil : commits
        } catch let error as SQLiteError where error.code == .error {
            // The table may have been dropped since.
            if try Self.exists(on: connection) { throw error }
            connection.forgetStatements()
            return nil
        }
    }

    private static let selection: SQL = "SELECT number, regions FROM querykit_changes WHERE number > ? ORDER BY number"

    private func commits(after start: Int64, _ known: State, on connection: Connection, isCheck: Bool) throws -> ForeignCommits {
        let statement = try connection.statement(Self.selection, for: .engine)
        try statement.bind([.integer(start)])
        defer { statement.reset() }
        var change = SQLiteChangeSet(.otherProcess, [])
        var last = start
        var (isWhole, isDamaged) = (true, false)
        let row = SQLiteRow(statement)
        while try statement.step() {
            // Only a snapshot has a deadline that matters here: a check that fails reports everything as changed.
            if !isCheck { try connection.checkDeadline() }
            let number: Int64 = try row[0]
            if number > Self.lastNumber {
                isDamaged = true
                break
            }
            isWhole = isWhole && number == last &+ 1
            last = number
            if number <= known.reported || known.own.contains(number) { continue }
            // An unreadable row may mean any change.
            change.formUnion((try? row[1]).map(RegionText.change) ?? SQLiteChangeSet(.otherProcess, [.everything]))
        }
        // A damaged number must not count as reported: otherwise the commits after a restart of the numbers would be hidden. A snapshot
        // ignores a damaged number, because otherwise the next snapshot would report it again. A check reports it, because checks read the
        // log only after a commit.
        if isCheck, isDamaged || last == start {
            let newest = try newestNumber(on: connection)
            if newest < start { return ForeignCommits(regions: [.everything], tables: [], newest: newest, isCheck: true, isRestart: true) }
            if isDamaged { return ForeignCommits(regions: [.everything], tables: [], newest: last, isCheck: true) }
        }
        // If numbers are missing, so many commits were made that part of the log has been deleted.
        if !isWhole { change = SQLiteChangeSet(.otherProcess, [.everything]) }
        return ForeignCommits(regions: last == start ? nil : change.regions, tables: change.tables, newest: last, isCheck: isCheck)
    }

    /// Counts commits as reported. Call this in the same step as the report. Otherwise a snapshot in between could include commits that
    /// count as reported, although no store has received them yet.
    ///
    /// - Returns: Whether some of them hadn't been reported.
    func noteReport(of commits: ForeignCommits) -> Bool {
        state.withLock { state in
            if commits.isRestart { (state.reported, state.checked, state.own) = (0, 0, []) }
            let isNew = commits.newest > state.reported
            state.advance(to: commits.newest, isCheck: commits.isCheck)
            return isNew
        }
    }
}

extension ChangeLog.State {
    fileprivate mutating func advance(to number: Int64, isCheck: Bool = true) {
        if isCheck { checked = max(checked, number) }
        guard number > reported else { return }
        reported = number
        own = own.filter { $0 > number }
    }
}
