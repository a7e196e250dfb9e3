/// The settings of a connection when it opens.
struct ConnectionSettings: Sendable {
    enum Mode: Sendable {
        /// Creates the file if it doesn't exist.
        case readWrite
        /// Neither writes nor checkpoints.
        case readOnly
        /// Checks a file, and neither writes nor checkpoints. The connection is not opened as read-only, because "PRAGMA integrity_check"
        /// would then skip CHECK constraints (SQLite 3.40).
        case check
        /// Reads as much as possible from a copy of a damaged file.
        case salvage
    }

    var mode: Mode
    /// The file that the other connections of the database use; `nil` if there is none yet.
    var fileNumber: UInt64?
    /// How long to wait for the locks of other processes, in milliseconds.
    var busyMilliseconds: Int32 = 5_000
    var statementLimit = 256
    /// In KiB; SQLite's own default is small on phones.
    var cacheKibibytes = 8_192
    /// Whether a commit waits for the disk.
    var syncsEachCommit = false
    var maxPageCount: Int64?
    var pageSize = 4_096
    var usesWriteAheadLog = true
    /// Whether triggers and views may use functions and virtual tables that could do harm in a file of unknown origin.
    var trustsSchema = false
    var interruptionInterval = Interruption.interval
    /// The time limit for a read on its caller's thread, in nanoseconds.
    var quickLimit: UInt64 = 100_000
    /// The statements that took long, shared by all connections of a database.
    var longStatements: LongStatements?
    /// Orders the snapshots of the connections to the same file; `nil` if they need no order.
    var snapshots: SnapshotGate?
    /// The descriptions of statements, shared by all connections of a database.
    var descriptions: StatementDescriptions?
}
