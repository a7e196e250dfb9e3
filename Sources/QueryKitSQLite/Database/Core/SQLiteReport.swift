public import Foundation

/// How a database was found when it was opened, or what became of it when it was recovered later.
public struct SQLiteReport: Sendable {
    /// What state it was in.
    public enum Outcome: Sendable, Hashable {
        /// Nothing was wrong.
        case healthy
        /// It was damaged. What could be read was saved into a new file; the damaged one was set aside.
        case recovered(Recovery)
        /// It was damaged beyond reading. A new file was begun; the damaged one was set aside.
        case quarantined(URL)
        /// It was damaged, and no new file could be made: it is still where it was. What could be read is in memory, and what is written now lasts only as
        /// long as the process.
        case inMemory(because: String)
    }

    /// What was saved from a damaged file, and what is missing.
    ///
    /// It is stored in the new file, so that each process that opens the file learns of it, until ``SQLiteDatabase/acknowledgeRecoveries()``.
    public struct Recovery: Sendable, Hashable, Codable {
        /// When the file was recovered.
        public let date: Date
        /// What was found, in a sentence.
        public let cause: String
        /// Where the damaged file is now; `nil` if none was set aside.
        public internal(set) var quarantine: URL?
        /// How many rows were saved, by table. Empty if nothing of the file could be read.
        public let rows: [String: Int]
        /// Tables of which some rows, or all, could not be read, or whose rows refer to such as could not; virtual tables that nothing has rebuilt; tables
        /// of which a column, an index or a trigger is missing. All, if the recovery was cut off in its last steps and brought to its end later.
        public let incomplete: [String]
        /// How many rows are known to be missing, by table. An incomplete table that isn't listed may have lost rows that nothing else counts.
        public let missing: [String: Int]
        /// Where rows are missing in tables that ``SQLiteDatabase/Configuration/partitions`` divide: by table, the number of rows by partition.
        public let missingPartitions: [String: [String: Int]]
        /// How many saved texts were not UTF-8, by table: a replacement character is in the place of what can't be read.
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

    /// What state it was in.
    public let outcome: Outcome

    /// The migrations that were carried out just now, by name.
    public let migrated: [String]

    /// The SQLite that is used.
    public let library: SQLiteLibrary

    /// The recoveries of this file that nobody has acknowledged, oldest first; see ``SQLiteDatabase/acknowledgeRecoveries()``.
    public internal(set) var unacknowledged: [Recovery]

    init(_ outcome: Outcome, migrated: [String], unacknowledged: [Recovery] = []) {
        self.outcome = outcome
        self.migrated = migrated
        self.unacknowledged = unacknowledged
        library = .linked
    }
}
