/// The level of the system's memory pressure.
public enum MemoryPressure: Comparable, Sendable {
    /// Half of the memory should be released, beginning with the least recently used values.
    case warning
    /// Everything that is not in use should be released.
    case critical
}

/// Reports memory pressure of the system.
///
/// By default, a client uses the system's source. In tests, use a ``ManualMemoryPressureSource``.
public protocol MemoryPressureSource: Sendable {
    /// Calls `handler` each time memory becomes short, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ pressure: MemoryPressure) -> Void) -> QuerySubscription
}

/// A memory pressure source that you control, for tests and for platforms that QueryKit doesn't observe.
public final class ManualMemoryPressureSource: MemoryPressureSource {
    private let listeners = Listeners(MemoryPressure.warning)

    /// Creates a source that has reported nothing yet.
    public init() {}

    /// Reports memory pressure. Normally calls all handlers before it returns. If another thread is calling handlers at that moment, this
    /// method returns at once, and that thread also calls them for this report.
    public func send(_ pressure: MemoryPressure) { listeners.send(pressure) }

    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription { listeners.add(handler) }
}
