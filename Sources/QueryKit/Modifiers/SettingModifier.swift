/// A modifier that changes settings and leaves the fetch alone.
private struct SettingModifier<Request: QueryRequest>: QueryModifier {
    let change: @Sendable (inout QueryContext) -> Void

    func setup(context: inout QueryContext, using request: Request) { change(&context) }
}

extension QueryRequest {
    func setting(_ change: @escaping @Sendable (inout QueryContext) -> Void) -> some QueryRequest<Value, State> {
        modifier(SettingModifier(change: change))
    }
}
