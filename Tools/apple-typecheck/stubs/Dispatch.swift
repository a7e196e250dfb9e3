// The parts of Dispatch that QueryKit uses. Stubs only declare; they are never run.

@available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
public final class DispatchQueue: @unchecked Sendable {
    public convenience init(label: String, qos: DispatchQoS = .unspecified) { fatalError() }
    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass) -> DispatchQueue { fatalError() }
    public func async(execute work: @escaping @Sendable () -> Void) { fatalError() }
    public func async(group: DispatchGroup, execute work: @escaping @Sendable () -> Void) { fatalError() }
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) { fatalError() }
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
}

@available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
public final class DispatchGroup: @unchecked Sendable {
    public init() {}
    public func enter() {}
    public func leave() {}
    public func notify(queue: DispatchQueue, execute work: @escaping @Sendable () -> Void) {}
}

public enum DispatchTimeInterval: Sendable {
    case seconds(Int)
    case milliseconds(Int)
    case microseconds(Int)
    case nanoseconds(Int)
    case never
}

@available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
public enum DispatchTimeoutResult {
    case success, timedOut
}

@available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
public final class DispatchSemaphore: @unchecked Sendable {
    public init(value: Int) {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    @discardableResult public func signal() -> Int { 0 }
}

public struct DispatchTime: Sendable, Comparable {
    public init(uptimeNanoseconds: UInt64) { fatalError() }
    public var uptimeNanoseconds: UInt64 { fatalError() }
    public static func now() -> DispatchTime { fatalError() }
    public static func < (left: DispatchTime, right: DispatchTime) -> Bool { fatalError() }
    public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
}

// As in the SDK, sources are not Sendable.
public protocol DispatchSourceProtocol: AnyObject {
    func setEventHandler(handler: (@Sendable () -> Void)?)
    func setCancelHandler(handler: (@Sendable () -> Void)?)
    func suspend()
    func resume()
    func cancel()
    @available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
    func activate()
}
public protocol DispatchSourceTimer: DispatchSourceProtocol {}
extension DispatchSourceTimer {
    public func schedule(deadline: DispatchTime, repeating: DispatchTimeInterval, leeway: DispatchTimeInterval) {}
}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceWrite: DispatchSourceProtocol {}
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {}
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}
public final class DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal = MemoryPressureEvent(rawValue: 1)
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
    }
    public struct FileSystemEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let delete = FileSystemEvent(rawValue: 0x1)
        public static let write = FileSystemEvent(rawValue: 0x2)
        public static let rename = FileSystemEvent(rawValue: 0x20)
    }
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead { fatalError() }
    public class func makeWriteSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceWrite { fatalError() }
    @available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError() }
    @available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32,
        eventMask: FileSystemEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject { fatalError() }
}

public struct DispatchQoS: Sendable {
    public enum QoSClass: Sendable { case utility }
    public static let unspecified = DispatchQoS()
    public static let utility = DispatchQoS()
}
