public import Foundation

/// A snapshot of a client: its stores, metrics and alerts, which you can print, send or compare.
///
/// Its description is a table. Values are included only on request, and errors only by their code or type.
///
/// ```swift
/// print(client.snapshot())
/// let report = try JSONEncoder().encode(client.snapshot())
/// ```
public struct QueryClientSnapshot: Hashable, Codable, Sendable {
    /// When the snapshot was taken, by the client's wall clock.
    public let date: Date

    /// The stores, sorted by path.
    public let stores: [Store]

    /// The counts since the client was created.
    public let metrics: QueryMetrics

    /// The alerts that are raised.
    public let alerts: [QueryAlert]

    /// A statement that has read the value of a store from a source.
    public struct Statement: Hashable, Codable, Sendable {
        /// The text, with placeholders instead of values.
        public let text: String
        /// How the source executes the statement, one step per line. Substeps are indented below their step.
        public let plan: [String]
        /// What the statement reads from each part of the source, such as `food: rows by key; columns name`, and why it doesn't read less.
        ///
        /// It contains no values. ``QueryClientSnapshot/Store/reads`` contains the rows and ranges of the current value.
        public let reads: [String]
        /// Reasons why the statement may be slow, one sentence each.
        public let warnings: [String]
    }

    /// The snapshot of one store.
    public struct Store: Hashable, Codable, Sendable {
        /// The status of a store; see ``QueryStatus``.
        public enum Status: String, Codable, Sendable {
            case idle, loading, success, failure
        }

        /// The path, as text. If the snapshot doesn't include values, a request in its own default path is shown as a hash.
        public let path: String
        /// Whether there is a result.
        public let status: Status
        /// Whether a run is under way.
        public let isFetching: Bool
        /// Whether a run waits for the network.
        public let isPaused: Bool
        /// Whether the next subscription would start a run.
        public let isStale: Bool
        /// Whether the value was invalidated and not fetched since.
        public let isInvalidated: Bool
        /// Whether the shown value is a placeholder.
        public let isPlaceholder: Bool
        /// The cause of the state, as text.
        public let cause: String
        /// How long ago the value was fetched or written; `nil` if there is none.
        public let valueAge: Duration?
        /// How long ago a run last failed; `nil` if none has.
        public let errorAge: Duration?
        /// The number of subscriptions.
        public let subscriberCount: Int
        /// How often the value was fetched, yielded or written.
        public let valueUpdateCount: Int
        /// The approximate number of bytes that the value takes.
        public let byteCount: Int
        /// The code or the type of the error, if the latest result is a failure.
        public let error: String?
        /// The regions that the value was read from, as text: `diary/entries/‹0c5f2a91›` is a partition, `diary/food#‹e7d04b36›` a row. A
        /// change in any of them affects the store. If the snapshot includes values, they are shown instead of their hashes.
        public let reads: [String]
        /// The statements that have read these regions from a source, such as a database: at most 16, sorted by their texts.
        ///
        /// If the fetch calls another request, the statements of that request are included.
        public let statements: [Statement]
        /// Whether more than 16 statements have read the value.
        public let hasMoreStatements: Bool
        /// The description of the value, if it was requested.
        public let value: String?
    }
}

extension QueryClientSnapshot.Store {
    init(
        path: QueryPath,
        record: QueryRecord,
        isStale: Bool,
        subscriberCount: Int,
        byteCount: Int,
        reads: [QueryRegion],
        statements: ReadStatements,
        value: String?,
        showsValues: Bool,
        now: QueryInstant
    ) {
        self.path = path.text(showsValues: showsValues)
        status =
            if record.flags.contains(.succeeded) { .success } else if record.error != nil { .failure } else {
                record.flags.contains(.fetching) ? .loading : .idle
            }
        isFetching = record.flags.contains(.fetching)
        isPaused = record.flags.contains(.paused)
        self.isStale = isStale
        isInvalidated = record.flags.contains(.invalidated)
        isPlaceholder = record.flags.contains(.placeholder)
        cause = record.cause.text(showsValues: showsValues)
        valueAge = record.valueTime.happened ? record.valueTime.age(at: now) : nil
        errorAge = record.errorTime.happened ? record.errorTime.age(at: now) : nil
        self.subscriberCount = subscriberCount
        valueUpdateCount = Int(record.valueCount)
        self.byteCount = byteCount
        error = record.error.map { ShortText.kind(of: $0) }
        self.reads = reads.map { $0.text(showsValues: showsValues) }.sorted()
        self.statements = statements.described
        hasMoreStatements = statements.isIncomplete
        self.value = value
    }
}

extension ReadStatements {
    /// The statements, sorted by their texts.
    var described: [QueryClientSnapshot.Statement] { all.map(QueryClientSnapshot.Statement.init).sorted { $0.text < $1.text } }
}

extension QueryClientSnapshot.Statement {
    fileprivate init(_ statement: any ReadStatement) {
        self.init(text: statement.text, plan: statement.plan, reads: statement.reads, warnings: statement.warnings)
    }
}

extension QueryClientSnapshot.Statement: CustomStringConvertible {
    /// The text, the plan, what the statement reads, and the warnings, on separate lines.
    public var description: String {
        ([text] + (plan + reads.map { "reads \($0)" } + warnings.map { "warning: \($0)" }).map { "  " + $0 }).joined(separator: "\n")
    }
}
