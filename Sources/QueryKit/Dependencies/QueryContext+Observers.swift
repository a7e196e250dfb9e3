/// What a client learns from the system. ``QueryContext/live`` has all of it; in a context of your own each is `nil` until you set it.
extension QueryContext {
    private enum ObserverKey<Observer: Sendable>: Key {
        static var defaultValue: Observer? { nil }
    }

    /// Tells a client whether there is a network. Default: `nil`, and the network counts as always there.
    ///
    /// Read once, when the client is made.
    public var networkObserver: (any NetworkObserver)? {
        get { self[ObserverKey<any NetworkObserver>.self] }
        set { self[ObserverKey<any NetworkObserver>.self] = newValue }
    }

    /// Tells ``QueryTrigger/appActive`` that the app became active. Default: `nil`, and the app counts as always active.
    public var activityObserver: (any ActivityObserver)? {
        get { self[ObserverKey<any ActivityObserver>.self] }
        set { self[ObserverKey<any ActivityObserver>.self] = newValue }
    }

    /// Tells a client that memory is short, so that it releases some; see ``QueryClient/releaseMemory(_:)``. Default: `nil`, and the client
    /// keeps to its budgets alone.
    ///
    /// A client listens to the source of the context that it is made with.
    public var memoryPressureSource: (any MemoryPressureSource)? {
        get { self[ObserverKey<any MemoryPressureSource>.self] }
        set { self[ObserverKey<any MemoryPressureSource>.self] = newValue }
    }

    /// The source of ``timeZone`` if that was not set, and of the changes that fire ``QueryTrigger/timeZoneChange`` and
    /// ``QueryTrigger/dayChange``. Default: `nil`, and no change is noticed.
    public var timeZoneObserver: (any TimeZoneObserver)? {
        get { self[ObserverKey<any TimeZoneObserver>.self] }
        set { self[ObserverKey<any TimeZoneObserver>.self] = newValue }
    }
}
