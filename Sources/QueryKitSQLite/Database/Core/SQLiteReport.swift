public import Foundation

/// The state of a database when it was opened, or the result of a later recovery.
public struct SQLiteReport: Sendable {
    /// The state of the database.
    public enum Outcome: Sendable, Hashable {
        /// The file was undamaged.
        case healthy
        /// The file was damaged. The readable rows were saved into a new file; the damaged file was set aside.
        case recovered(Recovery)
        /// The file was damaged, and nothing in it could be read. A new file was created; the damaged file was set aside.
        case quarantined(URL)
        /// The file was damaged, and no new file could be created. The damaged file is still in its place. The readable rows are in memory,
        /// and new writes last only as long as the process.
        case inMemory(because: String)
    }

    /// What was saved from a damaged file, and what is missing.
    ///
    /// The recovery is stored in the new file, so every process that opens the file reports it, until you call
    /// ``SQLiteDatabase/acknowledgeRecoveries()``.
    public struct Recovery: Sendable, Hashable, Codable {
        /// When the file was recovered.
        public let date: Date
        /// A sentence that describes the damage.
        public let cause: String
        /// The location of the damaged file; `nil` if none was set aside.
        public internal(set) var quarantine: URL?
        /// The number of saved rows by table. Empty if nothing in the file could be read.
        public let rows: [String: Int]
        /// Incomplete tables: tables with rows that could not be read, or that refer to such rows; virtual tables that were not rebuilt;
        /// tables with a missing column, index or trigger. Lists all tables if commits in the log are lost, or if the recovery was
        /// interrupted in its last steps and finished later.
        public let incomplete: [String]
        /// The number of rows known to be missing, by table. An incomplete table that isn't listed here may have lost rows, too, but their
        /// number is unknown.
        public let missing: [String: Int]
        /// Missing rows of the tables that ``SQLiteDatabase/Configuration/partitions`` divide: by table, the number of rows by partition.
        public let missingPartitions: [String: [String: Int]]
        /// The number of saved strings that were not valid UTF-8, by table. Invalid bytes were replaced by replacement characters.
        public let mendedTexts: [String: Int]

        init(
            _ cause: String,
            quarantine: URL? = nil,
            rows: [String: Int] = [:],
            incomplete: [String] = [],
            missing: [String: Int] = [:],
            missingPartitions: [String: [String: Int]] = [:],
            mendedTexts: [String: Int] = [:]
        ) {
            date = Date()
            self.cause = cause
            self.quarantine = quarantine
            self.rows = rows
            self.incomplete = incomplete
            self.missing = missing
            self.missingPartitions = missingPartitions
            self.mendedTexts = mendedTexts
        }
    }

    /// The state of the database.
    public let outcome: Outcome

    /// The names of the migrations that this opening applied.
    public let migrated: [String]

    /// The SQLite library in use.
    public let library: SQLiteLibrary

    /// The recoveries of this file that have not been acknowledged, oldest first; see ``SQLiteDatabase/acknowledgeRecoveries()``.
    public internal(set) var unacknowledged: [Recovery]

    init(_ outcome: Outcome, migrated: [String], unacknowledged: [Recovery] = []) {
        self.outcome = outcome
        self.migrated = migrated
        self.unacknowledged = unacknowledged
        library = .linked
    }
}
