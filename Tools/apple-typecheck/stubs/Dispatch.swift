// What QueryKit uses of Dispatch. A stub declares; it is never run.

@available(macOS 10.10, iOS 8, tvOS 9, watchOS 2, *)
public final class DispatchQueue: @unchecked Sendable {
    public init(label: String) { fatalError() }
    public func async(execute work: @escaping @Sendable () -> Void) { fatalError() }
}
