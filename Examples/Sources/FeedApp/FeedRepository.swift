/// The feed of a user, who must be logged in. Independent of requests.
package protocol FeedRepository: Sendable {
    /// The page at a cursor, or the newest posts without a cursor.
    func page(at cursor: String?, for user: String?) async throws -> FeedPage

    /// Makes a change. Repeating it has no further effect.
    func make(_ change: FeedChange, as user: String?) async throws
}

/// The reason why the server refused or failed, as text for the user.
package enum FeedError: Error, Hashable, CustomStringConvertible {
    case loggedOut
    /// The server is busy or broken: a later attempt may succeed.
    case unavailable(status: Int)
    /// The server refused the request for this reason.
    case refused(String)

    package var isTemporary: Bool { if case .unavailable = self { true } else { false } }

    package var description: String {
        switch self {
        case .loggedOut: "Log in first."
        case .unavailable(let status): "The server is busy (\(status)). Try again later."
        case .refused(let reason): reason
        }
    }

    /// Any error as text for the user. System errors would name codes.
    package static func text(of error: any Error) -> String { (error as? FeedError)?.description ?? "The server can't be reached." }
}
