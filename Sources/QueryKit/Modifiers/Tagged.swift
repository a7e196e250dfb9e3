extension QueryRequest {
    /// Adds tags to the request, so that you can invalidate it together with other requests, regardless of their paths.
    public func tagged(_ tags: QueryTag...) -> some QueryRequest<Value, State> {
        setting { $0.settings.tags.append(contentsOf: tags) }
    }

    /// Adds tags that a closure derives from each result, such as the ids that it contains. They replace the tags derived from the previous
    /// result.
    public func tagged(_ tags: @escaping @Sendable (Value) -> Set<QueryTag>) -> some QueryRequest<Value, State> {
        setting { $0.settings.computedTags = ComputedTags<Value>(tags: tags) }
    }
}

/// A typed tag closure in the untyped settings.
struct ComputedTags<Value: Sendable>: Sendable {
    let tags: @Sendable (Value) -> Set<QueryTag>
}
