extension QueryContext {
    /// A context with the observers of the system, for the network, the app's activity, memory pressure and the time zone.
    ///
    /// ``QueryClient/init(context:configuration:)`` adds the same observers by default, so you need this context only for other purposes.
    /// Each observer is shared by all clients, and watches the system only while it has listeners.
    ///
    /// | | Apple platforms | Linux |
    /// |---|---|---|
    /// | ``networkObserver`` | the path monitor; until it reports, as on Linux | whether an active interface has a routable address |
    /// | ``activityObserver`` | notifications; inactive in the background, on a Mac while another app is active | always active |
    /// | ``memoryPressureSource`` | Dispatch | low if more than a tenth of the last ten seconds was spent waiting for memory |
    /// | ``timeZoneObserver`` | a notification of Foundation | `/etc/localtime` |
    ///
    /// The first report of an observer is the state at the launch, and not a change: it refetches nothing, unless the app was launched in
    /// the background and now becomes active. A first report that there is a network resumes what has waited for it.
    ///
    /// On other systems the context is empty. To use your own observer, set it in the context of your client:
    ///
    /// ```swift
    /// var context = QueryContext()
    /// context.networkObserver = ServerReachability()
    /// let client = QueryClient(context: context)
    /// ```
    public static var live: QueryContext { QueryContext().completed(by: QueryClient.Configuration()) }

    /// Returns the context with observers of the system added: those that the configuration enables and that the context doesn't replace by
    /// its own.
    func completed(by configuration: QueryClient.Configuration) -> QueryContext {
        var context = self
        #if canImport(Darwin) || os(Linux)
            if configuration.observesNetwork, networkObserver == nil { context.networkObserver = SystemObservers.network }
            if configuration.observesActivity, activityObserver == nil { context.activityObserver = SystemObservers.activity }
            if configuration.observesMemoryPressure, memoryPressureSource == nil {
                context.memoryPressureSource = SystemObservers.memoryPressure
            }
            if configuration.observesCalendar, timeZoneObserver == nil { context.timeZoneObserver = SystemObservers.timeZone }
        #endif
        return context
    }
}
