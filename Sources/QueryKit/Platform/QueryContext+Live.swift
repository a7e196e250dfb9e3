extension QueryContext {
    /// A context that knows the system it runs on: whether there is a network, whether the app is active, when memory is short, and where
    /// the user is. What an app makes its client with.
    ///
    /// ```swift
    /// let client = QueryClient(context: .live)
    /// ```
    ///
    /// A client without it takes nothing from outside but the time, and so does in a test what it is told to do. Each observer is shared by
    /// all clients; it watches the system as long as somebody listens to it.
    ///
    /// | | Apple platforms | Linux |
    /// |---|---|---|
    /// | ``networkObserver`` | the path monitor of Network; until it speaks, as on Linux | an interface that is up has an address that reaches beyond its link |
    /// | ``activityObserver`` | notifications of the app; inactive on a Mac when another app comes forward, elsewhere in the background | always active |
    /// | ``memoryPressureSource`` | the source of Dispatch | more than a tenth of the last ten seconds was spent waiting for memory |
    /// | ``timeZoneObserver`` | the notification of Foundation | `/etc/localtime` |
    ///
    /// Elsewhere the context is an empty one. Take others by setting them:
    ///
    /// ```swift
    /// var context = QueryContext.live
    /// context.networkObserver = ServerReachability()
    /// ```
    public static var live: QueryContext {
        var context = QueryContext()
        #if canImport(Darwin) || os(Linux)
            context.networkObserver = SystemNetworkObserver.shared
            context.activityObserver = SystemActivityObserver.shared
            context.memoryPressureSource = SystemMemoryPressureSource.shared
            context.timeZoneObserver = SystemTimeZoneObserver.shared
        #endif
        return context
    }
}
