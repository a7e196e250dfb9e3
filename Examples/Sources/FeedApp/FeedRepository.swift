/// The feed of a user, who has to be logged in. Knows nothing of requests.
package protocol FeedRepository: Sendable {
    /// The posts to which a cursor leads, or the newest ones without a cursor.
    func page(at cursor: String?, for user: String?) async throws -> FeedPage

    /// Makes a change. Making it twice is the same as making it once.
    func make(_ change: FeedChange, as user: String?) async throws
}

/// Why the server did not do what it was asked for, in words for the user.
package enum FeedError: Error, Hashable, CustomStringConvertible {
    case loggedOut
    /// The server is busy or broken: a later attempt may succeed.
    case unavailable(status: Int)
    /// The server understood and said no, with its reason.
    case refused(String)

    package var isTemporary: Bool { if case .unavailable = self { true } else { false } }

    package var description: String {
        switch self {
        case .loggedOut: "Log in first."
        case .unavailable(let status): "The server is busy (\(status)). Try again later."
        case .refused(let reason): reason
        }
    }

    /// Any error in words for the user. Those of the system name codes.
    package static func text(of error: any Error) -> String { (error as? FeedError)?.description ?? "The server can't be reached." }
}
