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

    /// What was saved from a damaged file.
    public struct Recovery: Sendable, Hashable {
        /// Where the damaged file is now.
        public let quarantine: URL
        /// How many rows were saved, by table.
        public let rows: [String: Int]
        /// Tables of which some rows, or all, could not be read, or whose rows refer to such as could not; virtual tables that nothing has rebuilt; tables
        /// of which an index or a trigger is missing. All, if the recovery was cut off in its last steps and brought to its end later.
        public let incomplete: [String]
    }

    /// What state it was in.
    public let outcome: Outcome

    /// The migrations that were carried out just now, by name.
    public let migrated: [String]

    /// The SQLite that is used.
    public let library: SQLiteLibrary

    init(_ outcome: Outcome, migrated: [String]) {
        self.outcome = outcome
        self.migrated = migrated
        library = .linked
    }
}
