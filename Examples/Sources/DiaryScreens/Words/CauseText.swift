package import QueryKit

/// Describes the cause of a run to the user.
package enum CauseText {
    package static func sentence(_ cause: QueryCause) -> String {
        switch cause {
        case .manual: "it was requested"
        case .subscribed: "a screen opened"
        case .stale: "it was out of date"
        case .regionChanged: "this process wrote\(table(cause))"
        case .otherProcess: "another process wrote\(table(cause))"
        // A layer was added before the commit, or removed after it.
        case .optimistic: "this process changed it"
        case .dependency: "what it depends on changed"
        case .created: "nothing has happened yet"
        // A mutation has ended before the client was notified of the commit.
        case _ where cause.pattern != nil: "this process changed it"
        default: cause.trigger.map { "a trigger fired: \($0)" } ?? cause.description
        }
    }

    /// The name of the table, if the cause has one.
    private static func table(_ cause: QueryCause) -> String {
        guard let table = cause.region?.name else { return "" }
        return ": \(table)"
    }
}
