// The parts of Network that QueryKit uses. Stubs only declare; they are never run.
import Dispatch

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
public final class NWPathMonitor: @unchecked Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public var currentPath: NWPath { fatalError() }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
