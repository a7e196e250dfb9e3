/// What a paused run waits for. Future versions may add reasons.
public struct QueryPauseReason: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// There is no network. The run continues when the network is back.
    public static let offline = QueryPauseReason(description: "offline")
}
