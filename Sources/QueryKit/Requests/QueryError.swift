public import Foundation

/// An error that QueryKit raises or knows how to recover from. An error of your own crosses the library untouched.
///
/// A fetch throws one of these to say what kind of trouble it met; see ``QueryRecovery`` for what follows.
///
/// ```swift
/// guard day <= today else { throw QueryError(.invalidParameters, "The day lies in the future.") }
/// ```
public struct QueryError: Error, Sendable {
    /// What went wrong.
    public let code: Code

    /// A sentence that a person can act on.
    public let message: String

    /// The request that failed, where known.
    public let path: QueryPath?

    /// The error beneath, if there is one.
    public let underlying: (any Error)?

    /// Creates an error. Without a message it takes the code's own.
    public init(_ code: Code, _ message: String? = nil, path: QueryPath? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message ?? code.message
        self.path = path
        self.underlying = underlying
    }
}

extension QueryError {
    /// A kind of error. More kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        let message: String

        /// An attempt took longer than `timeout(_:)` allows. Retried with backoff.
        public static let timeout = Code(
            description: "timeout",
            message: "The request took too long. Try again, or allow it more time."
        )

        /// The request makes no sense as it is. Refused before any work, never retried.
        public static let invalidParameters = Code(
            description: "invalidParameters",
            message: "The request's parameters are not valid. Correct them and ask again."
        )

        /// Stored data can not be read.
        public static let databaseCorruption = Code(
            description: "databaseCorruption",
            message: "The stored data is damaged. Restore it from a backup."
        )

        /// Something is not allowed to this user or app. Asks `context.authorization`, then tries once more.
        public static let insufficientPermissions = Code(
            description: "insufficientPermissions",
            message: "Permission is missing. Grant it and try again."
        )

        /// There is no network.
        public static let networkUnavailable = Code(
            description: "networkUnavailable",
            message: "There is no network connection. Try again when it is back."
        )

        /// A stream ended before it brought a value.
        public static let noValue = Code(
            description: "noValue",
            message: "The stream ended without a value. Check its source, and ask again."
        )

        /// Something that was stored can not be made out; see ``QueryCache``.
        public static let unreadableData = Code(
            description: "unreadableData",
            message: "The stored data can not be read. It is left out."
        )

        /// Something could not be stored; see ``QueryClient/archive(to:matching:after:maxAge:)``.
        public static let unwritableData = Code(
            description: "unwritableData",
            message: "The data can't be stored. Check the folder and the free space."
        )

        /// Something was written by a newer version; see ``QueryClientArchive``.
        public static let newerFormat = Code(
            description: "newerFormat",
            message: "The data was written by a newer version of the app. Update the app to read it."
        )

        /// A context was used after its session had ended; see ``QueryClient/reset(session:)``. Never retried.
        public static let sessionEnded = Code(
            description: "sessionEnded",
            message: "The context belongs to a session that has ended. Take the context of the store again, or make a new one."
        )
        /// Requests wait for each other in a circle. Never retried.
        public static let cycle = Code(
            description: "cycle",
            message: "Requests wait for each other in a circle. Break it where one fetches another."
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

/// An error of another library that says what kind of trouble it is, so that recovery treats it like QueryKit's own.
///
/// It crosses the library unchanged; only ``QueryRecovery`` asks.
public protocol QueryErrorConvertible: Error {
    /// The error in QueryKit's terms; `nil` where none of them fits.
    var queryError: QueryError? { get }

    /// Whether a missing network may be the reason. Default: `true`.
    ///
    /// With ``QueryNetworkMode/offlineFirst``, a run that fails while there is no network waits for it. Return `false` for an error of
    /// something on the device, such as a database: the run then retries and fails as it would with a network.
    var dependsOnNetwork: Bool { get }
}

extension QueryErrorConvertible {
    public var dependsOnNetwork: Bool { true }
}
