/// The client for code that can't be passed one: views, view models, reducers.
extension QueryClient {
    // Weak, so that a task that hangs does not keep the client alive: deallocating the client cancels the task.
    @TaskLocal private static var reference: WeakOwner?

    private static let process = Lock<QueryClient?>(nil)

    /// The client that `QueryClient.with` set for this task, or ``shared`` if none was set.
    ///
    /// Inside a fetch, use the ``QueryContext/queryClient`` of the context instead: it is the client that runs the fetch.
    public static var current: QueryClient { ofTask ?? shared }

    /// The client that `with` set for this task; `nil` if none was set, or if it was deallocated.
    static var ofTask: QueryClient? { reference?.object as? QueryClient }

    /// The shared client of the process, for an app that needs only one.
    ///
    /// Set it once at launch, before it is first read: code that has already read it keeps the old client. If you don't set it, the first
    /// read creates a live client, `QueryClient()`.
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
            // Release the old client outside the lock.
            let old = process.withLock { client in
                defer { client = newValue }
                return client
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Makes a client the ``current`` one during `operation`, and in the tasks that begin in it.
    ///
    /// Use it in tests and previews that each have their own client. Tasks don't keep the client alive: a task that outlives both the call
    /// and the client uses ``shared`` again.
    ///
    /// ```swift
    /// let model = QueryClient.with(client) { DayModel() }
    /// ```
    public static func with<Result>(_ client: QueryClient, _ operation: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(client) {
            try $reference.withValue(WeakOwner(client), operation: operation)
        }
    }

    /// Makes a client the ``current`` one during an asynchronous `operation`, and in the tasks that begin in it.
    public static func with<Result>(_ client: QueryClient, _ operation: () async throws -> Result) async rethrows -> Result {
        defer { withExtendedLifetime(client) {} }
        return try await $reference.withValue(WeakOwner(client), operation: operation)
    }
}
