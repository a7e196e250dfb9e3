/// The observers of the system. ``QueryContext/live`` has all of them. In other contexts, each observer is `nil` until you set it. If it is
/// `nil`, a client uses the system's observer, unless the client's configuration turns that off.
extension QueryContext {
    private enum ObserverKey<Observer: Sendable>: Key {
        static var defaultValue: Observer? { nil }
    }

    /// Reports to the client whether there is a network. If a client has no network observer, the network counts as always available.
    ///
    /// Read once, when the client is created.
    public var networkObserver: (any NetworkObserver)? {
        get { self[ObserverKey<any NetworkObserver>.self] }
        set { self[ObserverKey<any NetworkObserver>.self] = newValue }
    }

    /// Reports when the app becomes active, for ``QueryTrigger/appActive``. If a client has no activity observer, the app counts as always
    /// active.
    public var activityObserver: (any ActivityObserver)? {
        get { self[ObserverKey<any ActivityObserver>.self] }
        set { self[ObserverKey<any ActivityObserver>.self] = newValue }
    }

    /// Reports memory pressure to the client, which then releases stores; see ``QueryClient/releaseMemory(_:)``. If a client has no such
    /// source, only the budgets in its configuration limit its memory.
    ///
    /// Read once, when the client is created.
    public var memoryPressureSource: (any MemoryPressureSource)? {
        get { self[ObserverKey<any MemoryPressureSource>.self] }
        set { self[ObserverKey<any MemoryPressureSource>.self] = newValue }
    }

    /// Provides the ``timeZone`` if it was not set, and reports the changes that fire ``QueryTrigger/timeZoneChange`` and
    /// ``QueryTrigger/dayChange``. If a client has no time zone observer, changes of the time zone aren't detected.
    public var timeZoneObserver: (any TimeZoneObserver)? {
        get { self[ObserverKey<any TimeZoneObserver>.self] }
        set { self[ObserverKey<any TimeZoneObserver>.self] = newValue }
    }
}
