/// What one server accepts at most. Durations are in nanoseconds.
struct ServerLimits: Hashable, Sendable {
    /// Further connections are refused with the status 503.
    var connections = 64
    var headBytes = 16 << 10
    var bodyBytes = 64 << 10
    /// Bytes that wait for a reader. A stream that would exceed this is closed.
    var unsentBytes = 4 << 20
    /// The time from the connection, or from the first byte, to the end of a request.
    var requestTime: UInt64 = 10_000_000_000
    /// How long a connection may wait for its next request.
    var idleTime: UInt64 = 60_000_000_000
    /// How long a reader may read nothing while bytes wait for it.
    var stallTime: UInt64 = 30_000_000_000
    /// How long the sender of a refused request may continue to send it.
    var lingerTime: UInt64 = 5_000_000_000
    /// How much the sender of a refused request may continue to send.
    var lingerBytes = 64 << 20

    /// How often the times are checked.
    var sweepInterval: UInt64 { min(max(min(requestTime, idleTime, stallTime, lingerTime) / 4, 5_000_000), 1_000_000_000) }
}
