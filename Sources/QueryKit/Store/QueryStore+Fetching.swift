extension QueryStore {
    /// Runs the request, or joins the run under way, and returns its result. ``QueryClient/fetch(_:)`` takes a fresh value from the cache instead.
    ///
    /// All callers share one run. A caller that is cancelled returns at once with `CancellationError`, and the others go on; the run itself
    /// is cancelled when nobody is left. While it waits, a caller counts as an observer. A caller that comes after an invalidation or a write
    /// does not join a run from before it, but waits for the next.
    ///
    /// - Parameters:
    ///   - context: What the run finds around it, in place of ``context``: begin with a copy of that to keep the settings of the request. The
    ///     client and its session are kept in any case. Default: the context of the store. Without effect on a run
    ///     that others started or that is to follow one.
    ///   - handler: Hears what happens to the store until the call returns.
    @discardableResult
    public func fetch(using context: QueryContext? = nil, handler: QueryEventHandler<State>? = nil) async throws -> Value {
        let listener: StoreSubscriptionToken? =
            if let handler { StoreSubscriptionToken(core, attach(handler, isObserver: false)) } else { nil }
        defer { listener?.cancel() }
        return try await core.ask(settings, in: try context.map { try core.inSession($0) }, unlessFresh: false).unboxed(as: Value.self)
    }

    /// A fetch that has not begun; see ``fetch(using:handler:)`` for what it does when it does.
    public func fetchTask(using context: QueryContext? = nil) -> QueryTask<Value> {
        QueryTask(path: { self.path }, fetch: { try await self.fetch(using: context) })
    }

    /// The cached value while it is fresh, else the result of a run.
    func freshValue() async throws -> Value {
        if let value = core.freshValue(by: settings) { return value.unboxed(as: Value.self) }
        return try await core.ask(settings, unlessFresh: true).unboxed(as: Value.self)
    }

    /// Runs the request for a part of its pages; see ``StoreCore/fetch(choosing:)``.
    func fetch(choosing choose: (_ base: Value?, _ isRunning: Bool) -> RunAim?) async throws -> Value {
        try await core.fetch(settings) { base, isRunning in choose(base.map { $0.unboxed(as: Value.self) }, isRunning) }.unboxed(
            as: Value.self
        )
    }
}
