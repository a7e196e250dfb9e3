extension QueryRequest {
    /// Makes this request depend on the value of another request.
    ///
    /// The library starts runs of this request only while the other request has a value. When that value changes, this request becomes out
    /// of date, with the cause ``QueryCause/dependency``, and is refetched if it has observers. An equal value is not a change, if the type
    /// is Equatable. All requests that depend on the same request become out of date in one step. Observing this request also observes the
    /// other request, so that the other request is fetched and kept. You can always call `fetch`: if the other request has no value, it is
    /// fetched first.
    ///
    /// Dependencies may form chains. Requests that depend on each other in a cycle fail with ``QueryError/Code/cycle``.
    ///
    /// ```swift
    /// Orders().dependent(on: CurrentUser())
    /// ```
    public func dependent<Other: QueryRequest>(on other: Other) -> some QueryRequest<Value, State>
    where Other.State.StateValue: ExpressibleByNilLiteral {
        modifier(Dependent(other: other))
    }
}

private struct Dependent<Request: QueryRequest, Other: QueryRequest>: QueryModifier
where Other.State.StateValue: ExpressibleByNilLiteral {
    let other: Other

    func setup(context: inout QueryContext, using request: Request) {
        context.settings.dependencies.append(other)
        context.settings.conditions.append(
            RunCondition { [other] context in
                guard let client = context.queryClient else { return true }
                // In a cycle no request would ever have a value. Let this request run, so that it throws an error.
                return client.value(for: other) != nil || client.cycle(from: request, over: other) != nil
            }
        )
        context.settings.triggers.append(
            QueryTrigger("dependent on \(other.path)") { [other] context, _ in
                guard let client = context.queryClient, let own = client.core.find(request.identity) else { return QuerySubscription {} }
                let store = client.store(for: other)
                guard client.cycle(from: request, over: other) == nil else {
                    own.refreshIfStale(.dependency)
                    return QuerySubscription {}
                }
                Dependents.add(own, of: store, in: client.core)
                return store.subscribe(with: QueryEventHandler())
            }
        )
    }

    func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Request.Value>
    ) async throws -> Request.Value {
        if let client = context.queryClient {
            let store = client.store(for: other)
            if let cycle = client.cycle(from: request, over: other) {
                let chain = cycle.map(\.description).joined(separator: " → ")
                throw QueryError(
                    .cycle,
                    "Requests depend on each other in a cycle: \(chain). Remove one of the dependencies.",
                    path: request.path
                )
            }
            // Link the stores before the value is read, so that no change of the value is missed.
            if let own = client.core.find(request.identity) { Dependents.add(own, of: store, in: client.core) }
            if !store.core.hasValue { _ = try await client.fetch(other) }
        }
        return try await request.fetch(in: context, with: continuation)
    }
}

extension QueryClient {
    /// The cycle that leads from a request over a dependency back to itself, if there is one.
    fileprivate func cycle(from request: some QueryRequest, over other: some QueryRequest) -> [QueryPath]? {
        func dependencies(of request: some QueryRequest) -> [any QueryRequest] {
            core.find(request.identity).map(\.dependencies) ?? resolvedContext(for: request).settings.dependencies
        }
        let end = request.identity
        var reached: Set<QueryIdentity> = []
        var open: [(request: any QueryRequest, chain: [QueryPath])] = [(other, [request.path, other.path])]
        while let (next, chain) = open.popLast() {
            if next.identity == end { return chain }
            guard reached.insert(next.identity).inserted else { continue }
            for dependency in dependencies(of: next) { open.append((dependency, chain + [dependency.path])) }
        }
        return nil
    }
}
