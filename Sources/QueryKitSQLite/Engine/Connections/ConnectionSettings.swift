/// What a connection is set to when it opens.
struct ConnectionSettings: Sendable {
    enum Mode: Sendable {
        /// Makes the file if there is none.
        case readWrite
        /// Neither writes nor checkpoints.
        case readOnly
        /// Looks a file through, and neither writes nor checkpoints. Of a connection that may only read, "PRAGMA integrity_check" leaves out CHECK
        /// constraints (SQLite 3.40).
        case check
        /// Takes what it can get of a copy of a damaged file.
        case salvage
    }

    var mode: Mode
    /// How long it waits for the locks of other processes, in milliseconds.
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
    /// How many nanoseconds a read may take on its caller's thread.
    var quickLimit: UInt64 = 100_000
    /// What the connections of a database know in common.
    var longStatements: LongStatements?
}
