/// How short of memory the system is.
public enum MemoryPressure: Comparable, Sendable {
    /// Half of the memory should be given back, what was used longest ago first.
    case warning
    /// Everything that is not in use should be given back.
    case critical
}

/// Reports when the system is short of memory.
///
/// A client uses the system's by default; a test sends from a ``ManualMemoryPressureSource``.
public protocol MemoryPressureSource: Sendable {
    /// Calls `handler` each time memory becomes short, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ pressure: MemoryPressure) -> Void) -> QuerySubscription
}

/// A source that reports what you send: for tests, and for platforms that you know more about.
public final class ManualMemoryPressureSource: MemoryPressureSource {
    private let listeners = Listeners(MemoryPressure.warning)

    /// Creates a source that has reported nothing yet.
    public init() {}

    /// Reports that memory is short. All handlers are called before this returns, unless another thread is calling them.
    public func send(_ pressure: MemoryPressure) { listeners.send(pressure) }

    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription { listeners.add(handler) }
}
