// The parts of os that QueryKit may use. Stubs only declare; they are never run.

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(uncheckedState: State) { fatalError() }
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { fatalError() }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension OSAllocatedUnfairLock where State: Sendable {
    public init(initialState: State) { fatalError() }
}

@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public struct OSLogType: Sendable, Equatable {
    public static let `default` = OSLogType()
    public static let info = OSLogType()
    public static let debug = OSLogType()
    public static let error = OSLogType()
    public static let fault = OSLogType()
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { fatalError() }
    public static var `private`: OSLogPrivacy { fatalError() }
    public static var auto: OSLogPrivacy { fatalError() }
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) { fatalError() }
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(_ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto) {}
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) { fatalError() }
    public init(stringLiteral value: String) { fatalError() }
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct Logger: @unchecked Sendable {
    public init(subsystem: String, category: String) { fatalError() }
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public typealias SignpostMetadata = OSLogMessage

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public struct OSSignpostID: Sendable {
    public init(_ value: UInt64) { fatalError() }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public class OSSignpostIntervalState {
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { fatalError() }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct OSSignposter: @unchecked Sendable {
    public init(subsystem: String, category: String) { fatalError() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata) -> OSSignpostIntervalState {
        fatalError()
    }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}
}
