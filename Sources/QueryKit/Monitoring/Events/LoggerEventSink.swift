#if canImport(os)
    public import os

    /// Writes events to the unified log: failures as errors, alerts at the default level, everything else for debugging, which the log does not keep.
    ///
    /// Failures are those of runs and of layers, and what journals, caches and archives could not keep or read. A failed attempt is none: the run goes on.
    public struct LoggerEventSink: QueryEventSink {
        private let logger: Logger
        private let showsPaths: Bool

        /// Creates a sink.
        ///
        /// - Parameters:
        ///   - logger: The log, with its subsystem and category.
        ///   - showsPaths: Whether paths and causes are public in the log; they may hold what a user typed. Default: `false`.
        ///     What errors say is private in any case.
        public init(_ logger: Logger, showsPaths: Bool = false) {
            self.logger = logger
            self.showsPaths = showsPaths
        }

        public func receive(_ event: QueryEvent) {
            let kind = event.kind.description
            let subject = event.subject
            let outcome = event.outcome
            let error = event.error.map { "\($0)" } ?? ""
            // The privacy of each part has to be written out where it is logged.
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

    /// Draws each run as an interval in Instruments.
    ///
    /// Events come through a buffer, so an interval begins and ends a little after its run did; its exact duration is in its message.
    public struct SignpostEventSink: QueryEventSink {
        private let signposter: OSSignposter
        /// Tells the runs of this client from those of others that use the same signposter.
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
                // Made from the number, so that nothing has to be kept for a run that is under way.
                let kind = event.kind.description
                signposter.endInterval("run", .beginState(id: id), "\(kind, privacy: .public)\(outcome, privacy: .public)")
            }
        }
    }
#endif
