public import Foundation
import QueryKit

extension SQLiteDatabase {
    /// Where a database is stored.
    public enum Location: Hashable, Sendable {
        /// A file, which is created if it doesn't exist. Its folder must exist.
        case file(URL)
        /// In memory, for the lifetime of the database. Reads and writes share one connection.
        case inMemory
        /// A new file among the system's temporary files. It is deleted when the database is closed or deallocated.
        case temporary
    }

    /// The settings with which a database is opened.
    ///
    /// ```swift
    /// var configuration = SQLiteDatabase.Configuration()
    /// configuration.durability = .powerLoss
    /// configuration.partitions = [
    ///     SQLitePartition(table: "entries", column: "day")
    /// ]
    /// ```
    public struct Configuration: Sendable {
        /// The name that identifies the regions of the database to clients; `nil` for the name of the file. Two databases of one app need
        /// different names.
        public var name: String?

        /// The number of connections that read concurrently. Default: the number of cores, but at least 2 and at most 4. Consistent
        /// requests use one more connection, which their first read opens.
        public var readerCount = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))

        /// How long to wait for locks of other processes before a call fails with ``SQLiteError/Code/busy``. Default: 5 s.
        public var busyTimeout: Duration = .seconds(5)

        /// Which failures a commit survives. Default: a crash of the process.
        public var durability = Durability.processDeath

        /// The tables that are divided into partitions: a change in one partition doesn't affect readers of another.
        public var partitions: [SQLitePartition] = []

        /// Whether each commit records its tables in the file, so that other processes know what changed. Default: `true`. The record takes
        /// one row per commit.
        public var tellsOtherProcesses = true

        /// Whether requests should follow the database. Default: `true`.
        ///
        /// A debug build reports a request that reads the database through a client that isn't connected to it; see `QueryMistake`. Set
        /// this to `false` for a database whose contents don't change, or whose requests you invalidate yourself. Then reads by a client
        /// that isn't connected are not reported.
        public var isFollowed = true

        /// Whether triggers and views of the schema may use all functions and virtual tables of SQLite. Default: `false`, because a file
        /// may be of unknown origin.
        ///
        /// The triggers in SQLite's documentation that keep a full-text table in sync with its content need this setting: without it they
        /// fail with "unsafe use of virtual table". Set it only for a file that your own app has created.
        public var trustsSchema = false

        /// Whether a file is erased and created again, instead of refused, if its migrations differ from the ones you pass. Default:
        /// `false`.
        ///
        /// For development only, while a schema still changes every day: **all data of the file is lost**.
        ///
        /// ```swift
        /// #if DEBUG
        /// configuration.erasesOnSchemaChange = true
        /// #endif
        /// ```
        public var erasesOnSchemaChange = false

        /// The longest time between two checks for commits of other processes, while there are listeners. The system usually reports a
        /// write sooner. Default: 80 ms.
        public var probeInterval: Duration = .milliseconds(80)

        /// What happens if the file is found to be damaged when it is opened. Default: it is set aside, and the readable rows are saved.
        public var damage = Damage.recover

        /// How thoroughly the file is checked when it is opened. Default: only its header and its schema. The log is always checked.
        public var check = Check.schema

        /// Rebuilds what can't be saved as it is, such as a full-text index, after the database was recovered from damage.
        ///
        /// The closure may be called more than once. If only such an index is damaged, the closure is called on the database in use. So it
        /// must not assume that the index is empty. If it throws, its changes are rolled back, the database is used anyway, and the virtual
        /// tables are listed as incomplete in ``SQLiteReport/Recovery``.
        public var rebuild: (@Sendable (SQLiteWriteTransaction) throws -> Void)?

        /// Tables whose rows ``rebuild`` derives from other tables. They are complete after the rebuild.
        package var derivedTables: Set<String> = []

        /// Returns whether a file with tables of these names (in lowercase) and with these migrations belongs to another program. Called
        /// before anything in the file is changed.
        package var isForeign: (@Sendable (_ tables: Set<String>, _ migrations: Set<String>) -> Bool)?

        /// Uses the saved tables that hold derived data to count rows that are missing in other tables. Returns the number of missing rows
        /// by table and partition. Called before ``rebuild``.
        package var losses: (@Sendable (SQLiteReadTransaction) throws -> [String: [String: Int]])?

        /// Derived data that is checked each time the database is opened.
        package var upkeep: Upkeep?

        /// The time limit for a read on its caller's thread; a write may take four times as long. Default: 100 µs. Use `.zero` to run
        /// everything on threads of the database.
        ///
        /// A read runs on its caller's thread only if the latest reads at the same source location were quick, and never on an actor, on
        /// the main thread or with background priority.
        public var callersThreadLimit: Duration = .microseconds(100)

        /// Limits how many callers' threads are used at once.
        var callersThreads = CallersThreadLimiter.shared

        /// ``callersThreadLimit`` in nanoseconds, at most one minute.
        var quickLimit: UInt64 { UInt64(clamping: min(callersThreadLimit, .seconds(60)).saturatedNanoseconds) }

        /// The number of prepared statements that each connection keeps. Default: 256.
        public var statementLimit = 256

        /// The size of each connection's page cache, in KiB. Default: 8,192.
        public var cacheKibibytes = 8_192

        /// The maximum size of the file, in pages of 4,096 bytes; `nil` for no limit besides the disk.
        public var maxPageCount: Int64?

        /// Creates the default configuration.
        public init() {}
    }

    /// Data that is derived from other tables by rules outside the file, and is rebuilt if those rules have changed.
    ///
    /// If rebuilding fails, for example because the disk is full, the database is used anyway: at the next opening `isDue` returns `true`
    /// again.
    package struct Upkeep: Sendable {
        let isDue: @Sendable (SQLiteReadTransaction) throws -> Bool
        let carryOut: @Sendable (SQLiteWriteTransaction) throws -> Void

        package init(
            isDue: @escaping @Sendable (SQLiteReadTransaction) throws -> Bool,
            carryOut: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
        ) {
            (self.isDue, self.carryOut) = (isDue, carryOut)
        }
    }

    /// What a commit survives after ``SQLiteDatabase/write(fileID:line:isolation:_:)->_`` has returned. In both modes, a commit is stored
    /// as a whole or not at all.
    public enum Durability: Sendable {
        /// The end of the process, including a crash. If the power fails, the latest commits may be lost.
        case processDeath
        /// Loss of power as well: each commit waits for the disk.
        case powerLoss
    }

    /// What happens with a damaged file.
    public enum Damage: Sendable {
        /// The file is set aside under another name, the readable rows are saved into a new file, and ``SQLiteDatabase/report`` describes
        /// the result.
        ///
        /// A file that shows no sign of being an SQLite database, such as a picture, and a database that belongs to another program are
        /// refused and left unchanged.
        case recover
        /// Opening fails, and the file is left unchanged.
        case fail
        /// Like ``recover``, for a file that the user has confirmed to be this database: it also recovers a file that shows no sign of
        /// being an SQLite database, and one whose list of migrations doesn't match the app's. A database that belongs to another program
        /// is refused here, too.
        case recoverAnyFile

        var recovers: Bool { self != .fail }
    }

    /// How thoroughly a file is checked.
    public enum Check: Sendable {
        /// The header and the schema. This takes the same short time for any file size.
        case schema
        /// All pages, but not the indexes.
        case quick
        /// All pages and indexes.
        case full
    }
}
