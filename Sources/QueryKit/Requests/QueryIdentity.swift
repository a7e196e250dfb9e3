/// What a request is known by: its type and its value, with their hash computed once.
public struct QueryIdentity: Hashable, Sendable {
    private let request: any Hashable & Sendable
    /// The type of the request without its modifiers.
    let type: ObjectIdentifier
    let hash: Int
    /// What modifiers set, where all of them can be compared. No part of the identity.
    private(set) var adjustment: SettingAdjustment?

    /// Creates the identity of a request that stands for itself.
    public init<Request: Hashable & Sendable>(_ request: Request) {
        self.request = request
        // An object may be of a derived class.
        type = Request.self is AnyClass ? ObjectIdentifier(Swift.type(of: request) as Any.Type) : ObjectIdentifier(Request.self)
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(Request.self))
        hasher.combine(request)
        hash = hasher.finalize()
    }

    /// The identity of a request with a modifier, as long as what that sets can be compared.
    consuming func adjusted<Request, Base>(
        by setting: ComparableSetting?,
        in request: Request.Type,
        around base: Base.Type
    ) -> QueryIdentity {
        let inner = adjustment
        // A request of a user's own around this one may set anything.
        let isBaseKnown = type == ObjectIdentifier(base) || inner?.request == ObjectIdentifier(base)
        adjustment = if let setting, isBaseKnown { SettingAdjustment(setting, in: ObjectIdentifier(request), over: inner) } else { nil }
        return self
    }

    /// What was given to the initialiser, if it is of that type.
    func value<Value>(as type: Value.Type = Value.self) -> Value? { request as? Value }

    public static func == (left: QueryIdentity, right: QueryIdentity) -> Bool {
        left.hash == right.hash && left.type == right.type && isEqual(left.request, right.request)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    // The types were compared before: otherwise a class would equal its base class, and bridged types one another.
    private static func isEqual<Left: Hashable>(_ left: Left, _ right: any Hashable) -> Bool { isEqual(left, to: right) }

    private static func isEqual<Left: Hashable, Right: Hashable>(_ left: Left, to right: Right) -> Bool {
        guard Left.self == Right.self else { return false }
        // Invariant: both are of one type. A cast would find that out again, for many times the price of the comparison.
        return left == unsafeBitCast(right, to: Left.self)
    }
}

extension QueryIdentity {
    /// The requests one of which can take the place of another on a screen: those of one type.
    struct Family: Hashable, Sendable {
        let type: ObjectIdentifier
        /// What tells apart requests that have one type though they are not kin.
        let name: QueryPath.Element?
    }

    var family: Family { Family(type: type, name: (request as? any FamilyKey)?.family) }

    /// What a store keeps of its identity.
    struct Key: Sendable {
        /// The request, or an ``Object``.
        private let request: any Hashable & Sendable

        /// A request that is an object. To ask an object for its type takes long, and the type of a value is known.
        private struct Object: Hashable {
            let identity: QueryIdentity
        }

        init(_ identity: QueryIdentity) {
            let isObject = Swift.type(of: identity.request) is AnyClass
            request = isObject ? Object(identity: identity) : identity.request
        }

        var identity: QueryIdentity { (request as? Object)?.identity ?? QueryIdentity(request) }

        /// Compares in place: a copy of what is compared costs as much as the comparison.
        func isKey(of identity: QueryIdentity) -> Bool { Self.isEqual(request, to: identity) }

        private static func isEqual<Request: Hashable>(_ request: Request, to identity: QueryIdentity) -> Bool {
            if ObjectIdentifier(Request.self) == identity.type { return QueryIdentity.isEqual(request, identity.request) }
            return Request.self == Object.self && (request as? Object)?.identity == identity
        }
    }

}

/// What a modifier sets, if it is a plain value.
@usableFromInline
enum ComparableSetting: Equatable, Sendable {
    case ttl(Duration)
    case freshUntilChanged
    case retention(Duration)
}

/// What the modifiers of a request set, so that a request that comes again is known to bring the settings that it brought before.
///
/// A value, so that a request with one modifier, as most have, can be looked up without an allocation.
struct SettingAdjustment: Sendable {
    /// What the modifiers further in set, or what a store has met.
    final class Kept: Sendable {
        fileprivate let adjustment: SettingAdjustment

        init(_ adjustment: SettingAdjustment) { self.adjustment = adjustment }
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

/// The key of a request whose type doesn't say which others are kin.
protocol FamilyKey: Hashable, Sendable {
    var family: QueryPath.Element? { get }
}
