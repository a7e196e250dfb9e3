/// How short of memory the system is.
public enum MemoryPressure: Comparable, Sendable {
    /// Half of the memory should be given back, what was used longest ago first.
    case warning
    /// All that nobody uses should be given back.
    case critical
}

/// Tells when the system is short of memory.
///
/// An app takes the system's with ``QueryContext/live``; a test uses a ``ManualMemoryPressureSource``.
public protocol MemoryPressureSource: Sendable {
    /// Calls `handler` each time memory becomes short, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ pressure: MemoryPressure) -> Void) -> QuerySubscription
}

/// A system that is short of memory when it is told to be: for tests, and for platforms with a knowledge of their own.
public final class ManualMemoryPressureSource: MemoryPressureSource {
    private let listeners = Listeners(MemoryPressure.warning)

    /// Creates a source that has nothing to tell yet.
    public init() {}

    /// Tells that memory is short. Whoever observes hears of it before the call returns.
    public func send(_ pressure: MemoryPressure) { listeners.send(pressure) }

    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription { listeners.add(handler) }
}

extension QueryContext {
    private enum MemoryPressureKey: Key {
        static var defaultValue: (any MemoryPressureSource)? { nil }
    }

    /// Where a client learns that memory is short, and gives some back; see ``QueryClient/releaseMemory(_:)``. Default: `nil`, and it learns
    /// of nothing.
    ///
    /// A client listens to the source of the context that it is made with.
    public var memoryPressureSource: (any MemoryPressureSource)? {
        get { self[MemoryPressureKey.self] }
        set { self[MemoryPressureKey.self] = newValue }
    }
}
