public import Foundation

/// An error that QueryKit throws or can recover from. Errors of your own types pass through the library unchanged.
///
/// Throw a `QueryError` in a fetch to say what kind of failure occurred; ``QueryRecovery`` decides what happens next.
///
/// ```swift
/// guard day <= today else {
///     throw QueryError(.invalidParameters, "The day is in the future.")
/// }
/// ```
public struct QueryError: Error, Sendable {
    /// What went wrong.
    public let code: Code

    /// A sentence for the user that says what to do.
    public let message: String

    /// The path of the request that failed, if known.
    public let path: QueryPath?

    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    /// Creates an error. Without a message, it uses the message of its code.
    public init(_ code: Code, _ message: String? = nil, path: QueryPath? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message ?? code.message
        self.path = path
        self.underlying = underlying
    }
}

extension QueryError {
    /// A kind of error. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        let message: String

        /// An attempt took longer than `timeout(_:)` allows. Retried like other errors; see ``QueryRetry``.
        public static let timeout = Code(
            description: "timeout",
            message: "The request took too long. Try again, or allow it more time."
        )

        /// The parameters of the request are invalid. Never retried. Throw it in ``QueryRequest/validate(in:)`` to refuse the request
        /// before any work.
        public static let invalidParameters = Code(
            description: "invalidParameters",
            message: "The request's parameters are not valid. Correct them and try again."
        )

        /// Stored data can't be read.
        public static let databaseCorruption = Code(
            description: "databaseCorruption",
            message: "The stored data is damaged. Restore it from a backup."
        )

        /// The user or the app lacks a permission. QueryKit calls `context.authorization`, and tries once more if permission was granted.
        public static let insufficientPermissions = Code(
            description: "insufficientPermissions",
            message: "Permission is missing. Grant it and try again."
        )

        /// There is no network.
        public static let networkUnavailable = Code(
            description: "networkUnavailable",
            message: "There is no network connection. Try again when it is back."
        )

        /// A stream ended without a value.
        public static let noValue = Code(
            description: "noValue",
            message: "The stream ended without a value. Check its source, and try again."
        )

        /// A stored value can't be decoded; see ``QueryCache``.
        public static let unreadableData = Code(
            description: "unreadableData",
            message: "The stored data can't be read. It is ignored."
        )

        /// A value could not be stored; see ``QueryClient/archive(to:matching:after:maxAge:)``.
        public static let unwritableData = Code(
            description: "unwritableData",
            message: "The data can't be stored. Check the folder and the free space."
        )

        /// The data was written by a newer version of the app; see ``QueryClientArchive``.
        public static let newerFormat = Code(
            description: "newerFormat",
            message: "The data was written by a newer version of the app. Update the app to read it."
        )

        /// A context was used after its session had ended; see ``QueryClient/reset(session:)``. Never retried.
        public static let sessionEnded = Code(
            description: "sessionEnded",
            message: "The context belongs to a session that has ended. Use the store's current context, or create a new one."
        )
        /// Requests wait for each other in a cycle. Never retried.
        public static let cycle = Code(
            description: "cycle",
            message: "Requests wait for each other in a cycle. Break it where one request fetches another."
        )
    }
}

extension QueryError {
    static func timeout(after limit: Duration, at path: QueryPath?) -> QueryError {
        QueryError(
            .timeout,
            "The request took longer than \(limit). Try again, or allow it more time with timeout(_:).",
            path: path
        )
    }
}

extension QueryError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { message }

    public var description: String {
        var text = "\(code): \(message)"
        if let path { text += " [\(path)]" }
        if let underlying { text += " (\(underlying))" }
        return text
    }
}

/// An error of another library that names its `QueryError` equivalent, so that QueryKit recovers from both in the same way.
///
/// The error itself passes through the library unchanged; only ``QueryRecovery`` reads its `queryError`.
public protocol QueryErrorConvertible: Error {
    /// The equivalent error of QueryKit; `nil` if there is none.
    var queryError: QueryError? { get }

    /// Whether a missing network may have caused the error. Default: `true`.
    ///
    /// With ``QueryNetworkMode/offlineFirst``, a run that fails while there is no network waits for the network. Return `false` for an
    /// error that comes from the device itself, such as a database error: the run then retries and fails as it would with a network.
    var dependsOnNetwork: Bool { get }
}

extension QueryErrorConvertible {
    public var dependsOnNetwork: Bool { true }
}
