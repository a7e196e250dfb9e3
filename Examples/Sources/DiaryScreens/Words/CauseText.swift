package import QueryKit

/// Why something ran, as a person says it.
package enum CauseText {
    package static func sentence(_ cause: QueryCause) -> String {
        switch cause {
        case .manual: "somebody asked"
        case .subscribed: "a screen opened"
        case .stale: "it was out of date"
        case .regionChanged: "this process wrote\(table(cause))"
        case .otherProcess: "another process wrote\(table(cause))"
        // Laid over the value before it was written, or taken away again after that.
        case .optimistic: "this process changed it"
        case .dependency: "what it depends on changed"
        case .created: "nothing has happened yet"
        // A mutation has ended before the commit was heard of.
        case _ where cause.pattern != nil: "this process changed it"
        default: cause.trigger.map { "the \($0) came" } ?? cause.description
        }
    }

    /// The name of the table, where the cause tells one.
    private static func table(_ cause: QueryCause) -> String {
        guard let table = cause.region?.name else { return "" }
        return ": \(table)"
    }
}
