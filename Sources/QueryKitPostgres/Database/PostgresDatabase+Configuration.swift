#if Postgres
extension PostgresDatabase {
    /// How much a transaction sees of concurrent transactions.
    public enum Isolation: String, Sendable {
        /// Each statement sees what was committed before it.
        case readCommitted = "READ COMMITTED"
        /// All statements see what was committed before the first one.
        case repeatableRead = "REPEATABLE READ"
        /// As if transactions ran one after the other.
        case serializable = "SERIALIZABLE"
    }

    /// The settings with which a database is opened.
    ///
    /// ```swift
    /// var configuration = PostgresDatabase.Configuration()
    /// configuration.connectionLimit = 20
    /// configuration.statementTimeout = .seconds(30)
    /// ```
    public struct Configuration: Sendable {
        /// The name that identifies the regions of the database to clients. If it is `nil`, the default, the name consists of the server,
        /// the port and the database. Two databases of one app need different names.
        public var name: String?

        /// The number of transactions that run at once, each on a connection of its own. Default: 10. By default, PostgreSQL allows 100
        /// connections for all instances together. Each connection takes two file descriptors of the process.
        public var connectionLimit = 10

        /// The number of transactions that may wait for a connection. Further transactions fail with ``PostgresError/Code/queueFull``.
        /// Default: 10,000.
        public var waitingLimit = 10_000

        /// How long connecting may take, and how long a transaction waits while PostgreSQL can't be reached. Default: 10 s.
        public var connectTimeout: Duration = .seconds(10)

        /// How long a statement may take; `nil` for the setting of PostgreSQL, which by default is no limit. Default: `nil`.
        public var statementTimeout: Duration?

        /// How long an unused connection stays open. Default: 10 minutes.
        public var idleLimit: Duration = .seconds(600)

        /// How often a transaction is repeated after a conflict with a concurrent transaction. Default: 3. With 0, closures are called only
        /// once.
        public var retryLimit = 3

        /// The number of prepared statements that each connection keeps. Default: 256.
        public var statementLimit = 256

        /// The tables that are divided into partitions: a change in one partition doesn't affect readers of another.
        public var partitions: [PostgresPartition] = []

        /// Whether requests should follow the database. Default: `true`.
        public var isFollowed = true

        /// How often the log of changes is read for commits of other processes; `nil` to be notified by PostgreSQL. Default: `nil`. Use the
        /// same setting in all instances: one that reads at intervals doesn't notify the others.
        public var pollInterval: Duration?

        /// Creates the default configuration.
        public init() {}
    }
}

/// A table whose rows belong to partitions, by the value of a column. A change in one partition doesn't affect readers of another. A row
/// whose value is longer than 1,024 bytes belongs to no partition: when it changes, the whole table counts as changed.
public struct PostgresPartition: Hashable, Sendable {
    /// The table, with its schema unless that is `public`.
    public let table: String
    /// The column whose value determines the partition of a row.
    public let column: String

    /// Declares the partitions of a table.
    public init(table: StaticString, column: StaticString) {
        self.table = table.description
        self.column = column.description
    }
}
#endif
