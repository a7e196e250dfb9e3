/// Identifies a request by its type and its value. The hash of the two is computed once.
public struct QueryIdentity: Hashable, Sendable {
    private let request: any Hashable & Sendable
    /// The type of the request without its modifiers.
    let type: ObjectIdentifier
    let hash: Int
    /// The settings of the modifiers, if all of them can be compared. Not part of the identity.
    private(set) var adjustment: SettingAdjustment?

    /// Creates the identity of a request whose store is shared only with equal requests.
    public init<Request: Hashable & Sendable>(_ request: Request) {
        self.request = request
        // An object may be an instance of a subclass.
        type = Request.self is AnyClass ? ObjectIdentifier(Swift.type(of: request) as Any.Type) : ObjectIdentifier(Request.self)
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(Request.self))
        hasher.combine(request)
        hash = hasher.finalize()
    }

    /// The identity of a request with a modifier. It remembers the modifier's setting as long as all settings can be compared.
    consuming func adjusted<Request, Base>(
        by setting: ComparableSetting?,
        in request: Request.Type,
        around base: Base.Type
    ) -> QueryIdentity {
        let inner = adjustment
        // A user's own wrapper between the two modifiers may set anything.
        let isBaseKnown = type == ObjectIdentifier(base) || inner?.request == ObjectIdentifier(base)
        adjustment = if let setting, isBaseKnown { SettingAdjustment(setting, in: ObjectIdentifier(request), over: inner) } else { nil }
        return self
    }

    /// The request that was passed to the initializer, if it has this type.
    func value<Value>(as type: Value.Type = Value.self) -> Value? { request as? Value }

    public static func == (left: QueryIdentity, right: QueryIdentity) -> Bool {
        left.hash == right.hash && left.type == right.type && isEqual(left.request, right.request)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    // Compare the types first: otherwise an object would equal one of its base class, and bridged types would equal each other.
    private static func isEqual<Left: Hashable>(_ left: Left, _ right: any Hashable) -> Bool { isEqual(left, to: right) }

    private static func isEqual<Left: Hashable, Right: Hashable>(_ left: Left, to right: Right) -> Bool {
        guard Left.self == Right.self else { return false }
        // Invariant: both have the same type. A cast would check that again, which takes many times as long as the comparison.
        return left == unsafeBitCast(right, to: Left.self)
    }
}

extension QueryIdentity {
    /// A family of requests that can replace each other on a screen: those of one type.
    struct Family: Hashable, Sendable {
        let type: ObjectIdentifier
        /// Tells families apart if unrelated requests have the same type, as inline queries do.
        let name: QueryPath.Element?
    }

    var family: Family { Family(type: type, name: (request as? any InlineIdentity)?.path.elements.first) }

    /// What a store keeps of the identity of its request.
    struct Key: Sendable {
        /// The request, or an ``Object``.
        private let request: any Hashable & Sendable

        /// A wrapper of a request that is an object. Reading the type of an object takes long, while the type of a value is known.
        private struct Object: Hashable {
            let identity: QueryIdentity
        }

        init(_ identity: QueryIdentity) {
            let isObject = Swift.type(of: identity.request) is AnyClass
            request = isObject ? Object(identity: identity) : identity.request
        }

        var identity: QueryIdentity { (request as? Object)?.identity ?? QueryIdentity(request) }

        /// Compares in place, because copying the requests would cost as much as comparing them.
        func isKey(of identity: QueryIdentity) -> Bool { Self.isEqual(request, to: identity) }

        private static func isEqual<Request: Hashable>(_ request: Request, to identity: QueryIdentity) -> Bool {
            if ObjectIdentifier(Request.self) == identity.type { return QueryIdentity.isEqual(request, identity.request) }
            return Request.self == Object.self && (request as? Object)?.identity == identity
        }
    }

}

/// The setting of a modifier, if it is a plain value.
@usableFromInline
enum ComparableSetting: Equatable, Sendable {
    case ttl(Duration)
    case freshUntilChanged
    case retention(Duration)
}

/// The settings of a request's modifiers, in a form that can be compared, so that a store has nothing to update if they are equal.
///
/// A value type, so that looking up a request with one modifier, the usual case, allocates nothing.
struct SettingAdjustment: Sendable {
    /// The settings of the inner modifiers, or settings that a store has already applied.
    final class Kept: Sendable {
        fileprivate let adjustment: SettingAdjustment

        init(_ adjustment: SettingAdjustment) { self.adjustment = adjustment }

        func isSame(as other: Kept) -> Bool { self === other || adjustment.isSame(as: other) }
    }

    /// The type of the modified request.
    let request: ObjectIdentifier
    private let setting: ComparableSetting
    private let inner: Kept?

    init(_ setting: ComparableSetting, in request: ObjectIdentifier, over inner: SettingAdjustment?) {
        self.setting = setting
        self.request = request
        self.inner = inner.map(Kept.init)
    }

    func isSame(as other: Kept) -> Bool {
        guard request == other.adjustment.request, setting == other.adjustment.setting else { return false }
        guard let inner else { return true }
        return other.adjustment.inner.map(inner.adjustment.isSame) ?? false
    }
}

/// The identity of an inline request: its type and its path.
///
/// Inline requests of one type form a family if their paths begin with the same element: `("search", text)`, `("search", other)`.
protocol InlineIdentity: Hashable, Sendable {
    static var request: any QueryRequest.Type { get }
    var path: QueryPath { get }
}

extension InlineIdentity {
    /// The name in caches. It contains the types of the path's elements, because elements of different types may have the same text.
    var storedName: String { "\(Self.request.storedName)(\(path.elements.map(\.typeName).joined(separator: ", ")))" }
}

extension QueryIdentity: CustomStringConvertible, CustomReflectable {
    /// The type of the request, without its value.
    public var description: String { "\(Swift.type(of: request))" }

    public var customMirror: Mirror { Mirror(reflecting: description) }
}
