public import Foundation

/// What a client looks like at one moment: its stores, metrics and alerts, to be printed, sent or compared.
///
/// Its description is a table. Values are left out unless they were asked for, and of errors only the code or type is told.
///
/// ```swift
/// print(client.snapshot())
/// let report = try JSONEncoder().encode(client.snapshot())
/// ```
public struct QueryClientSnapshot: Hashable, Codable, Sendable {
    /// When it was taken, by the client's wall clock.
    public let date: Date

    /// The stores, by path.
    public let stores: [Store]

    /// What was counted so far.
    public let metrics: QueryMetrics

    /// The alerts that are raised.
    public let alerts: [QueryAlert]

    /// One store at that moment.
    public struct Store: Hashable, Codable, Sendable {
        /// Whether there is a result; see ``QueryStatus``.
        public enum Status: String, Codable, Sendable {
            case idle, loading, success, failure
        }

        /// The path, as text.
        public let path: String
        /// Whether there is a result.
        public let status: Status
        /// Whether a run is at work.
        public let isFetching: Bool
        /// Whether a run waits for the network.
        public let isPaused: Bool
        /// Whether the next subscriber would bring a run.
        public let isStale: Bool
        /// Whether an invalidation has not been answered yet.
        public let isInvalidated: Bool
        /// Whether what it shows is a stand-in.
        public let isPlaceholder: Bool
        /// Why the state is as it is, as text.
        public let cause: String
        /// How long ago the value was fetched or written; `nil` without one.
        public let valueAge: Duration?
        /// How long ago a run failed; `nil` if none did.
        public let errorAge: Duration?
        /// How many subscriptions are alive.
        public let subscriberCount: Int
        /// How often the value was fetched, yielded or written.
        public let valueUpdateCount: Int
        /// About how many bytes the value takes.
        public let byteCount: Int
        /// The code of the latest result's error, or its type.
        public let error: String?
        /// What the value was read from, as text, such as `diary/entries/2026-11-22` for a partition and `diary/food#7` for a row. A change of any of
        /// these concerns the store.
        public let reads: [String]
        /// The description of the value, if it was asked for.
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
        value: String?,
        now: QueryInstant
    ) {
        self.path = path.description
        status =
            if record.flags.contains(.succeeded) { .success } else if record.error != nil { .failure } else {
                record.flags.contains(.fetching) ? .loading : .idle
            }
        isFetching = record.flags.contains(.fetching)
        isPaused = record.flags.contains(.paused)
        self.isStale = isStale
        isInvalidated = record.flags.contains(.invalidated)
        isPlaceholder = record.flags.contains(.placeholder)
        cause = record.cause.description
        valueAge = record.valueTime.happened ? record.valueTime.age(at: now) : nil
        errorAge = record.errorTime.happened ? record.errorTime.age(at: now) : nil
        self.subscriberCount = subscriberCount
        valueUpdateCount = Int(record.valueCount)
        self.byteCount = byteCount
        error = record.error.map { ShortText.kind(of: $0) }
        self.reads = reads.map(\.description).sorted()
        self.value = value
    }
}
