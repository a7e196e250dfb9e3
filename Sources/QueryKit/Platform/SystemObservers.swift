#if canImport(Darwin) || os(Linux)
    import Foundation

    #if canImport(Darwin)
        import Dispatch
    #endif

    /// The observers of the system that a client uses by default. Each is shared by all clients of the process.
    enum SystemObservers {
        #if canImport(Darwin)
            /// The first report of the path arrives a moment after the watch has started. Until then the interfaces decide, because a
            /// mutation that is called at launch must not assume that there is a network (R24).
            static let network = SystemObserver<Bool>(initially: { NetworkInterfaces.isOnline }, begin: { NetworkPath.watch($0.set) })
            /// Until the first report, the app counts as active, because only the main thread can read the app's state, and app extensions
            /// can't read it at all.
            static let activity = SystemObserver<Bool>(initially: { true }, begin: { AppActivity.watch($0) })
            static let memoryPressure = SystemObserver<MemoryPressure> { reports in
                let levels: [(DispatchSource.MemoryPressureEvent, MemoryPressure)] = [(.warning, .warning), (.critical, .critical)]
                let subscriptions = levels.map { event, pressure in
                    DispatchWatch.start(DispatchSource.makeMemoryPressureSource(eventMask: event, queue: DispatchWatch.queue)) {
                        reports.send(pressure)
                    }
                }
                return QuerySubscription { for subscription in subscriptions { subscription.cancel() } }
            }
            static let timeZone = SystemObserver<TimeZone> { reports in
                NotificationWatch.start(.NSSystemTimeZoneDidChange) { reports.send(.autoupdatingCurrent) }
            }
        #else
            static let network = SystemObserver<Bool>(initially: { NetworkInterfaces.isOnline }, begin: { NetworkChanges.watch($0.set) })
            /// A program on Linux is always active.
            static let activity = SystemObserver<Bool>(initially: { true }, begin: { _ in QuerySubscription {} })
            static let memoryPressure = SystemObserver<MemoryPressure> { MemoryStall.watch($0.send) }
            static let timeZone = SystemObserver<TimeZone> { TimeZoneLink.system.watch($0.send) }
        #endif
    }

    extension SystemObserver: NetworkObserver where Value == Bool {
        var isOnline: Bool { latest ?? true }
    }

    extension SystemObserver: ActivityObserver where Value == Bool {
        var isActive: Bool { latest ?? true }
    }

    extension SystemObserver: MemoryPressureSource where Value == MemoryPressure {}

    extension SystemObserver: TimeZoneObserver where Value == TimeZone {
        /// The time zone that the system is set to, even while it is not observed.
        var timeZone: TimeZone {
            #if os(Linux)
                if let timeZone = TimeZoneLink.system.timeZone { return timeZone }
            #endif
            return .autoupdatingCurrent
        }
    }
#endif
