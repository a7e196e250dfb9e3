extension QueryStore {
    /// Runs the request, or joins the run under way, and returns its result. To accept a fresh cached value, use ``QueryClient/fetch(_:)``
    /// instead.
    ///
    /// All callers share one run. A cancelled caller returns at once with `CancellationError`, and the others keep waiting; the run is
    /// cancelled when the last caller has left. A waiting caller counts as an observer. After an invalidation or a write, a caller doesn't
    /// join a run that began earlier, but waits for the next run.
    ///
    /// - Parameters:
    ///   - context: The environment of the run, in place of the store's ``context``. Start from a copy of the store's context to keep the
    ///     settings of the request; the client and its session are kept in any case. Default: the context of the store. Has no effect if
    ///     the caller joins a run that is under way, or the run that follows it.
    ///   - handler: Is notified of changes of the store until the call returns.
    @discardableResult
    public func fetch(using context: QueryContext? = nil, handler: QueryEventHandler<State>? = nil) async throws -> Value {
        let listener: StoreSubscriptionToken? =
            if let handler { StoreSubscriptionToken(core, attach(handler, isObserver: false)) } else { nil }
        defer { listener?.cancel() }
        return try await core.fetch(settings, in: try context.map { try core.inSession($0) }, unlessFresh: false).unboxed(as: Value.self)
    }

    /// Returns a fetch that you start later. It then behaves as ``fetch(using:handler:)``.
    public func fetchTask(using context: QueryContext? = nil) -> QueryTask<Value> {
        QueryTask(path: { self.path }, fetch: { try await self.fetch(using: context) })
    }

    /// Returns the cached value if it is fresh, or else the result of a run.
    func freshValue() async throws -> Value {
        if let value = core.freshValue(by: settings) { return value.unboxed(as: Value.self) }
        return try await core.fetch(settings, unlessFresh: true).unboxed(as: Value.self)
    }

    /// Runs the request for some of its pages; see ``StoreCore/fetch(choosing:)``.
    func fetch(choosing choose: (_ base: Value?, _ isRunning: Bool) -> RunAim?) async throws -> Value {
        try await core.fetch(settings) { base, isRunning in choose(base.map { $0.unboxed(as: Value.self) }, isRunning) }.unboxed(
            as: Value.self
        )
    }
}
