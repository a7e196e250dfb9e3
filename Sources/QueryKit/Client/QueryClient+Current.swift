/// The client of code that was handed none: views, view models, reducers.
extension QueryClient {
    // Weak, so that a task that hangs does not keep alive a client whose end would cancel it.
    @TaskLocal private static var reference: WeakOwner?

    private static let process = Lock<QueryClient?>(nil)

    /// The client that `QueryClient.with` set for this task, else ``shared``.
    ///
    /// Inside a fetch take the ``QueryContext/queryClient`` of its context instead: that is the one which runs it.
    public static var current: QueryClient { ofTask ?? shared }

    /// The client that `with` set for this task, if one did and the client is still there.
    static var ofTask: QueryClient? { reference?.object as? QueryClient }

    /// The one client of the process, for an app that needs no second one.
    ///
    /// Set it once, at launch, before it is first read: what has read it by then keeps the old client. If you don't set it, the first read
    /// makes a live client, `QueryClient()`.
    ///
    /// ```swift
    /// QueryClient.shared = QueryClient(context: context)
    /// ```
    public static var shared: QueryClient {
        get {
            if let client = process.withLock({ $0 }) { return client }
            let new = QueryClient()
            return process.withLock { client in
                if let client { return client }
                client = new
                return new
            }
        }
        set {
            // The old one ends outside of the lock.
            let old = process.withLock { client in
                defer { client = newValue }
                return client
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Makes a client the ``current`` one while `operation` runs, and for the tasks that begin in it.
    ///
    /// For tests and previews, where each has a client of its own. The tasks don't keep the client alive: a task that outlives both the
    /// call and the client uses ``shared`` again.
    ///
    /// ```swift
    /// let model = QueryClient.with(client) { DayModel() }
    /// ```
    public static func with<Result>(_ client: QueryClient, _ operation: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(client) {
            try $reference.withValue(WeakOwner(client), operation: operation)
        }
    }

    /// The same for an operation that waits.
    public static func with<Result>(_ client: QueryClient, _ operation: () async throws -> Result) async rethrows -> Result {
        defer { withExtendedLifetime(client) {} }
        return try await $reference.withValue(WeakOwner(client), operation: operation)
    }
}
