/// What a request is known by: its type and its value, with their hash computed once.
public struct QueryIdentity: Hashable, Sendable {
    private let request: any Hashable & Sendable
    let hash: Int

    /// Creates the identity of a request that stands for itself.
    public init<Request: Hashable & Sendable>(_ request: Request) {
        self.request = request
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(Request.self))
        hasher.combine(request)
        hash = hasher.finalize()
    }

    /// The type of the request without its modifiers.
    var type: ObjectIdentifier { ObjectIdentifier(Swift.type(of: request)) }

    /// What was given to the initialiser, if it is of that type.
    func value<Value>(as type: Value.Type = Value.self) -> Value? { request as? Value }

    public static func == (left: QueryIdentity, right: QueryIdentity) -> Bool {
        left.hash == right.hash && isEqual(left.request, right.request)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    private static func isEqual<Left: Hashable>(_ left: Left, _ right: any Hashable) -> Bool {
        // Without the comparison of types a class would equal its base class, and bridged types one another.
        guard Swift.type(of: left) as Any.Type == Swift.type(of: right), let right = right as? Left else { return false }
        return left == right
    }
}
