#if canImport(Darwin) || os(Linux)
    import Foundation

    #if canImport(Darwin)
        import Dispatch
    #endif

    /// The observers of the system that a client uses by default. Each is shared by all clients of the process.
    enum SystemObservers {
        #if canImport(Darwin)
            static let network = SystemObserver<Bool> { NetworkPath.watch($0.set) }
            static let activity = SystemObserver<Bool> { AppActivity.watch($0.set) }
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
            static let network = SystemObserver<Bool> { NetworkChanges.watch($0.set) }
            /// A program on Linux is always active.
            static let activity = SystemObserver<Bool> { _ in QuerySubscription {} }
            static let memoryPressure = SystemObserver<MemoryPressure> { MemoryStall.watch($0.send) }
            static let timeZone = SystemObserver<TimeZone> { TimeZoneLink.system.watch($0.send) }
        #endif
    }

    extension SystemObserver: NetworkObserver where Value == Bool {
        /// The latest report. The first comes a moment after the watch began, and until then the interfaces are checked: a mutation that
        /// is made at launch must not take the network for granted (R24).
        var isOnline: Bool { latest ?? NetworkInterfaces.isOnline }
    }

    extension SystemObserver: ActivityObserver where Value == Bool {
        /// The latest report. The app counts as active until then: only the main thread may ask the app itself, and app extensions never.
        var isActive: Bool { latest ?? true }
    }

    extension SystemObserver: MemoryPressureSource where Value == MemoryPressure {}

    extension SystemObserver: TimeZoneObserver where Value == TimeZone {
        /// The time zone that the system is set to, also while it is not watched.
        var timeZone: TimeZone {
            #if os(Linux)
                if let timeZone = TimeZoneLink.system.timeZone { return timeZone }
            #endif
            return .autoupdatingCurrent
        }
    }
#endif
