#if canImport(Darwin) || os(Linux)
    import Dispatch

    /// The system's shortage of memory.
    final class SystemMemoryPressureSource: MemoryPressureSource {
        static let shared = SystemMemoryPressureSource()

        #if canImport(Darwin)
            private let watch = SharedWatch<MemoryPressure> { tell in
                let subscriptions = [
                    DispatchWatch.start(DispatchSource.makeMemoryPressureSource(eventMask: .warning, queue: DispatchWatch.queue)) {
                        tell(.warning)
                    },
                    DispatchWatch.start(DispatchSource.makeMemoryPressureSource(eventMask: .critical, queue: DispatchWatch.queue)) {
                        tell(.critical)
                    },
                ]
                return QuerySubscription { for subscription in subscriptions { subscription.cancel() } }
            }
        #else
            private let watch = SharedWatch<MemoryPressure> { MemoryStall.watch($0) }
        #endif

        func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription { watch.observe(handler) }
    }
#endif
