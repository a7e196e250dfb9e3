#if canImport(os)
    import os
#else
    import Foundation
#endif

/// A mistake in the use of QueryKit that causes no error: the code compiles and runs, but shows old data.
///
/// A debug build prints each mistake once, with what to write instead. A test can collect them:
///
/// ```swift
/// configuration.onMistake = { mistake in Issue.record("\(mistake)") }
/// ```
public struct QueryMistake: Sendable, CustomStringConvertible {
    /// A kind of mistake. Later versions may add more.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A request has read a database to which its client isn't connected.
        public static let unconnectedDatabase = Kind(description: "unconnectedDatabase")
        /// A client was connected to a database after its requests had read it.
        public static let lateConnection = Kind(description: "lateConnection")
        /// A pattern has an empty element, a star that is not a wildcard, or a slash or backslash at its end.
        public static let malformedPattern = Kind(description: "malformedPattern")
        /// A pattern has matched nothing so far, and is similar to the path of an existing request.
        public static let unmatchedPattern = Kind(description: "unmatchedPattern")
        /// `polling(every:)` has an interval below the minimum.
        public static let pollingInterval = Kind(description: "pollingInterval")
        /// A request with `freshUntilChanged()` has read nothing that reports changes.
        public static let nothingToFollow = Kind(description: "nothingToFollow")
        /// A request has read a table whose changes its database doesn't report.
        public static let unfollowedTable = Kind(description: "unfollowedTable")
        /// Two inline requests with the same path and type of value have closures that are written in different places.
        public static let inlineClosures = Kind(description: "inlineClosures")
        /// The journal has calls of a mutation that was not passed to ``QueryClient/resumeMutations(_:)``.
        public static let unknownMutation = Kind(description: "unknownMutation")
        /// A property of a ``QueryModel`` was read before the object's client was known, and uses the shared client.
        public static let sharedClient = Kind(description: "sharedClient")
    }

    /// The kind of mistake.
    public let kind: Kind

    /// What happened, and what to write instead.
    public let message: String

    /// The path of the request, if the mistake concerns a single one.
    public let path: QueryPath?

    public var description: String { "QueryKit: \(message) [\(kind)]" }
}

extension QueryMistake {
    /// The default handling of mistakes: a debug build of the library prints them, a release build does nothing.
    ///
    /// On Apple platforms, they are printed to the unified log as faults, elsewhere to standard error.
    static var standardSink: (@Sendable (QueryMistake) -> Void)? {
        guard isDebugBuild else { return nil }
        return { write($0) }
    }

    private static let isDebugBuild: Bool = {
        var isDebugBuild = false
        func note() -> Bool {
            isDebugBuild = true
            return true
        }
        // Not evaluated in a release build.
        assert(note())
        return isDebugBuild
    }()

    private static func write(_ mistake: QueryMistake) {
        #if canImport(os)
            let logger = Logger(subsystem: "QueryKit", category: "mistakes")
            logger.log(level: .fault, "\(mistake.description, privacy: .public)")
        #else
            FileHandle.standardError.write(Data("\(mistake)\n".utf8))
        #endif
    }
}
