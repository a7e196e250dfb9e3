extension QueryStore {
    /// Lays a change over the value; see ``StoreCore/addLayer(of:in:_:)``.
    func addLayer(
        of owner: LayerStack.Owner,
        in session: QueryContext? = nil,
        leaving rest: LayerFollowUps? = nil,
        _ change: @escaping @Sendable (inout Value) throws -> Void
    ) {
        core.addLayer(of: owner, in: session, leaving: rest) { value in
            var value = value.unboxed(as: Value.self)
            try change(&value)
            return AnyValue(value)
        }
    }
}
