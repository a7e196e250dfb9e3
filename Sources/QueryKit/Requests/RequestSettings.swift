/// A request with its settings, as a handle, an observer, a caller or a run brings them along (R30).
final class RequestSettings: Sendable {
    /// What shows while there is no value and no failure.
    enum StandIn: Sendable {
        case none
        /// The value of the request of the same type that was looked at before.
        case previous(any Sendable)
        /// A closure that makes the value: the request knows its type.
        case maker(any Sendable)
    }

    let request: any QueryRequest
    /// The client's context with defaults, setup and modifiers applied.
    let context: QueryContext
    let standIn: StandIn

    init(_ request: any QueryRequest, _ context: QueryContext, previous: (any Sendable)? = nil) {
        self.request = request
        self.context = context
        standIn = previous.map { .previous($0) } ?? context.settings.placeholder.map { .maker($0) } ?? .none
    }

    /// Whether nobody has to be asked before the library starts a run.
    var isUnconditional: Bool { context.settings.conditions.isEmpty }
}
