#if canImport(os)
    public import os

    /// Writes events to the unified log: failures as errors, alerts and refused mutations at the default level, and everything else at the
    /// debug level, which is not persisted.
    ///
    /// Failures are failed runs and layers, and values that journals, caches and archives could not store or read. A failed attempt is not
    /// a failure, because the run continues.
    public struct LoggerEventSink: QueryEventSink {
        private let logger: Logger
        private let showsPaths: Bool

        /// Creates a sink.
        ///
        /// - Parameters:
        ///   - logger: The log, with its subsystem and category.
        ///   - showsPaths: Whether paths and causes are public in the log; they may contain user input. Default: `false`. The descriptions
        ///     of errors are always private.
        public init(_ logger: Logger, showsPaths: Bool = false) {
            self.logger = logger
            self.showsPaths = showsPaths
        }

        public func receive(_ event: QueryEvent) {
            let kind = event.kind.description
            let subject = event.subject
            let outcome = event.outcome
            let error = event.error.map { "\($0)" } ?? ""
            // The privacy of each part must be a literal in the log call.
            if showsPaths {
                logger.log(
                    level: event.kind.severity.logType,
                    "\(kind, privacy: .public) \(subject, privacy: .public)\(outcome, privacy: .public) \(error, privacy: .private)"
                )
            } else {
                logger.log(
                    level: event.kind.severity.logType,
                    "\(kind, privacy: .public) \(subject, privacy: .private)\(outcome, privacy: .public) \(error, privacy: .private)"
                )
            }
        }
    }

    extension QueryEvent.Severity {
        fileprivate var logType: OSLogType {
            switch self {
            case .failure: .error
            case .notice: .default
            case .detail: .debug
            }
        }
    }

    /// Shows each run as an interval in Instruments.
    ///
    /// Events are buffered, so an interval begins and ends slightly later than its run. The message contains the exact duration.
    public struct SignpostEventSink: QueryEventSink {
        private let signposter: OSSignposter
        /// Distinguishes the runs of this client from those of others that use the same signposter.
        private let base = UInt64.random(in: 1..<(1 << 62))

        /// Creates a sink.
        public init(_ signposter: OSSignposter) { self.signposter = signposter }

        public func receive(_ event: QueryEvent) {
            guard let run = event.run else { return }
            let id = OSSignpostID(base + UInt64(run))
            let subject = event.subject
            let outcome = event.outcome
            if event.kind == .runStarted {
                _ = signposter.beginInterval("run", id: id, "\(subject, privacy: .private)")
            } else if event.duration != nil {
                // The state is derived from the number, so that nothing must be stored for a run under way.
                let kind = event.kind.description
                signposter.endInterval("run", .beginState(id: id), "\(kind, privacy: .public)\(outcome, privacy: .public)")
            }
        }
    }
#endif
