extension QueryRequest {
    /// Gives the request tags, by which it can be invalidated together with others whatever their paths.
    public func tagged(_ tags: QueryTag...) -> some QueryRequest<Value, State> {
        setting { $0.settings.tags.append(contentsOf: tags) }
    }

    /// Gives the request the tags that a closure finds in each result, such as the ids that it shows. They take the place of those of the result before.
    public func tagged(_ tags: @escaping @Sendable (Value) -> Set<QueryTag>) -> some QueryRequest<Value, State> {
        setting { $0.settings.computedTags = ComputedTags<Value>(tags: tags) }
    }
}

/// Typed tags in untyped settings.
struct ComputedTags<Value: Sendable>: Sendable {
    let tags: @Sendable (Value) -> Set<QueryTag>
}
