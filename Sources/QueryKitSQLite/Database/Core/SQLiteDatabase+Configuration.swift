public import Foundation
import QueryKit

extension SQLiteDatabase {
    /// Where a database lies.
    public enum Location: Hashable, Sendable {
        /// A file, which is made if it is not there; its folder must be.
        case file(URL)
        /// In memory, for as long as somebody holds the database. One connection serves readers and writers in turn.
        case inMemory
        /// A file of its own among the system's temporary files, deleted when the database is closed or let go.
        case temporary
    }

    /// How a database is opened.
    ///
    /// ```swift
    /// var configuration = SQLiteDatabase.Configuration()
    /// configuration.durability = .powerLoss
    /// configuration.partitions = [SQLitePartition(table: "entries", column: "day")]
    /// ```
    public struct Configuration: Sendable {
        /// The name under which its regions are known to clients; `nil` for the name of the file. Two databases of one app must differ in it.
        public var name: String?

        /// How many connections read at the same time. Default: as many as there are cores, from 2 to 4.
        public var readerCount = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))

        /// How long to wait for the locks of other processes before ``SQLiteError/Code/busy``. Default: 5 s.
        public var busyTimeout: Duration = .seconds(5)

        /// What a commit survives. Default: the end of the process.
        public var durability = Durability.processDeath

        /// The tables that are divided, so that a change of one part does not concern who reads another.
        public var partitions: [SQLitePartition] = []

        /// Whether commits are noted in the file by table, for other processes to know what changed. Default: yes. It costs a row a commit.
        public var tellsOtherProcesses = true

        /// Whether requests are meant to follow the database. Default: `true`.
        ///
        /// A debug build reports a request that reads it through a client that isn't connected to it; see `QueryMistake`. Set this to `false` for a database
        /// with contents that don't change, or whose requests you invalidate yourself: then only connected clients learn what is read.
        public var isFollowed = true

        /// Whether triggers and views of the schema may use whatever SQLite offers. Default: `false`, since a file may come from anywhere.
        ///
        /// SQLite's documented triggers that keep a table for full-text search in step with its content need it: without it they fail with "unsafe use of
        /// virtual table". Set it if the file is your app's own.
        public var trustsSchema = false

        /// Whether a file whose migrations are not these is emptied and made again, instead of being refused. Default: `false`.
        ///
        /// For development only, while a schema still changes every day: **all data of the file is lost**.
        ///
        /// ```swift
        /// #if DEBUG
        /// configuration.erasesOnSchemaChange = true
        /// #endif
        /// ```
        public var erasesOnSchemaChange = false

        /// How often other processes' commits are looked for at least, while somebody wants to know. The system mostly tells sooner. Default: 80 ms.
        public var probeInterval: Duration = .milliseconds(80)

        /// What happens when the file turns out to be damaged as it is opened. Default: it is set aside, and what can be read is saved.
        public var damage = Damage.recover

        /// How thoroughly the file is looked through as it is opened. Default: only its beginning and its schema.
        public var check = Check.schema

        /// Puts right what can not be saved as it is, such as an index for full-text search, after damage was recovered from.
        ///
        /// It may be called more than once, and also on the database in use, when only such an index is damaged: it has to begin with what it finds. When it
        /// throws, what it did is undone, the database is used all the same, and the virtual tables stay among those that ``SQLiteReport/Recovery`` calls
        /// incomplete.
        public var rebuild: (@Sendable (SQLiteWriteTransaction) throws -> Void)?

        /// Tables whose rows ``rebuild`` makes anew from others, so that nothing of them is missing afterwards.
        package var derivedTables: Set<String> = []

        /// Whether a file with tables of these names, in small letters, and with these migrations belongs to another program. Asked before anything of the
        /// file is changed.
        package var isForeign: (@Sendable (_ tables: Set<String>, _ migrations: Set<String>) -> Bool)?

        /// What such tables, saved from a damaged file, still say of rows that are missing in others: by table, the number of rows by partition. Asked
        /// before ``rebuild``.
        package var losses: (@Sendable (SQLiteReadTransaction) throws -> [String: [String: Int]])?

        /// What is looked after each time the database is opened.
        package var upkeep: Upkeep?

        /// How long a read may take on its caller's thread, and a write four times as long. Default: 100 µs; `.zero` for all on threads of the database.
        ///
        /// Only reads that were quick so far run there, and never those of an actor, of the main thread or with background priority.
        public var callersThreadLimit: Duration = .microseconds(100)

        /// Which threads of callers may be used at once.
        var callersThreads = CallersThreads.shared

        /// The same in nanoseconds, at most a minute.
        var quickLimit: UInt64 { UInt64(clamping: min(callersThreadLimit, .seconds(60)).saturatedNanoseconds) }

        /// How many prepared statements each connection keeps. Default: 256.
        public var statementLimit = 256

        /// How much memory each connection uses to keep pages of the file, in KiB. Default: 8,192.
        public var cacheKibibytes = 8_192

        /// The largest size of the file, in pages of 4,096 bytes; `nil` for as large as the disk allows.
        public var maxPageCount: Int64?

        /// The standard configuration.
        public init() {}
    }

    /// Something that follows from other tables by rules which are not in the file, and is made anew when these are others now.
    ///
    /// When that fails, such as on a full disk, the database is used all the same: the next opening finds it due again.
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

    /// What a commit survives when ``SQLiteDatabase/write(fileID:line:isolation:_:)->_`` has returned. A commit is never torn, whichever it is.
    public enum Durability: Sendable {
        /// The end of the process, also a violent one. The latest commits may be undone when the power fails.
        case processDeath
        /// Loss of power, too: each commit waits for the disk.
        case powerLoss
    }

    /// What happens with a damaged file.
    public enum Damage: Sendable {
        /// It is set aside under another name, what can be read is saved into a new file, and the ``SQLiteDatabase/report`` tells.
        ///
        /// A file that shows no sign of a database of SQLite, such as a picture, and a database that belongs to another program are refused and stay as
        /// they are.
        case recover
        /// Opening fails, and the file stays as it is.
        case fail
        /// As ``recover``, for a file of which the user says that it was this database: also one that shows no sign of it any more, and one whose list of
        /// migrations doesn't agree with the app's.
        case recoverAnyFile

        var recovers: Bool { self != .fail }
    }

    /// How thoroughly a file is looked through.
    public enum Check: Sendable {
        /// Its beginning and its schema: at once, whatever its size.
        case schema
        /// All of its pages, but not the indexes.
        case quick
        /// Everything.
        case full
    }
}
