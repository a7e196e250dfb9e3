/// Receives the events of a client, to send them to a log, a file or a server; see ``QueryClient/attach(_:)``.
///
/// ```swift
/// struct FailureLog: QueryEventSink {
///     func receive(_ event: QueryEvent) {
///         if event.kind == .runFailed { log.write(event.description) }
///     }
/// }
/// ```
public protocol QueryEventSink: Sendable {
    /// Called for one event after the other, on a separate thread. It may block: the client does not wait. While the buffer of 1,000 events
    /// is full, further events are dropped, and counted in ``QueryMetrics/droppedEventCount``.
    func receive(_ event: QueryEvent)
}

/// Writes each event as one line.
///
/// ```swift
/// let logging = client.attach(PrintEventSink())
/// // runSucceeded food/entries (manual) #12 3.4 ms
/// ```
public struct PrintEventSink: QueryEventSink {
    private let includesErrors: Bool
    private let write: @Sendable (String) -> Void

    // Invariant: only an app that creates this sink, and attaches it, prints.
    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - includesErrors: Whether to describe errors in full, which may reveal values. Default: `false`, only their code or type.
    ///   - write: Writes a line without its line break. Default: prints it.
    public init(includesErrors: Bool = false, write: @escaping @Sendable (String) -> Void = { print($0) }) {
        self.includesErrors = includesErrors
        self.write = write
    }

    public func receive(_ event: QueryEvent) {
        guard includesErrors, let error = event.error else { return write(event.description) }
        write("\(event): \(error)")
    }
}
