/// What a paused run waits for. More reasons may come.
public struct QueryPauseReason: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The network: the run goes on when it is back.
    public static let offline = QueryPauseReason(description: "offline")
}
