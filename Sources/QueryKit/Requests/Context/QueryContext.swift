import Foundation

/// The environment of a fetch: use cases, clock, settings, and the client that runs it.
///
/// A context is a value: changing a copy does not affect the original. You declare each dependency in one line, and replace it in tests:
///
/// ```swift
/// extension QueryDependencies {
///     var entryList: QueryDependency<any ListEntries> {
///         .init(DatabaseEntryList())
///     }
/// }
///
/// var context = QueryContext()
/// context.entryList = FakeEntryList()
/// let client = QueryClient(context: context)
/// ```
///
/// See ``QueryDependencies``. A ``Key`` is the longer form, for a default that is computed at each access.
@dynamicMemberLookup
public struct QueryContext: Sendable {
    /// A type that identifies one value of a context.
    public protocol Key<Value> {
        /// The type of the value.
        associatedtype Value: Sendable

        /// The value if none was set. Read at each access, so it may be computed.
        static var defaultValue: Value { get }
    }

    private struct Values: Sendable {
        var clock: any QueryClock = SystemClock()
        var owner: WeakOwner?
        var settings = QuerySettings()
        var custom: [ObjectIdentifier: any Sendable] = [:]
        var dependencies: [AnyDependency: any Sendable] = [:]
    }

    /// The values of a context, shared by the contexts of all calls of a mutation.
    private final class Content: Sendable {
        let values: Values
        let traits: SettingTraits

        init(_ values: Values) {
            self.values = values
            traits = SettingTraits(values.settings)
        }
    }

    /// An immutable box for all values, so that each of the many stores holds its context in one word.
    private final class Box: Opaque, Sendable {
        static let empty = Box(Values())
        /// Guards `adjusted` of all boxes, and counts the boxes remembered there. Contexts hardly change except when a store is created.
        private static let memory = Lock(0)

        let content: Content
        /// The arguments of one call of a mutation.
        let call: MutationCallArguments?
        /// The number of successive adjustments that led to this box. A box at a depth of two or more doesn't remember the boxes made from
        /// it, because repeated changes would form an endless chain.
        private let depth: Int
        // Invariant: read and changed only with the lock held.
        /// The boxes made from this one by settings that can be compared, the latest last.
        nonisolated(unsafe) private var adjusted: [(setting: ComparableSetting, box: Box)] = []

        var values: Values { _read { yield content.values } }

        init(_ content: Content, _ call: MutationCallArguments?, depth: Int = 0) {
            (self.content, self.call, self.depth) = (content, call, depth)
        }

        convenience init(_ values: Values, _ call: MutationCallArguments? = nil, depth: Int = 0) {
            self.init(Content(values), call, depth: depth)
        }

        /// A box with another setting. Stores whose contexts differ from the client's in the same way share a box.
        func adjusted(by setting: ComparableSetting) -> Box {
            if let known = Self.memory.withLock({ _ in adjusted.first { $0.setting == setting }?.box }) { return known }
            var values = values
            switch setting {
            case .ttl(let duration): values.settings.setTTL(duration)
            case .freshUntilChanged: values.settings.setTTL(.infinity, untilChanged: true)
            case .retention(let duration): values.settings.retention = duration
            }
            let new = Box(values, call, depth: depth + 1)
            guard depth < 2 else { return new }
            // Release the removed box outside the lock.
            let forgotten = Self.memory.withLock { count -> Box? in
                count += 1
                adjusted.append((setting, new))
                return adjusted.count > 4 ? adjusted.removeFirst().box : nil
            }
            withExtendedLifetime(forgotten) {}
            return new
        }
    }

    private var box: Box

    /// Creates a context in which every key has its default value.
    public init() { box = .empty }

    private mutating func update(_ change: (inout Values) -> Void) {
        var values = box.values
        change(&values)
        box = Box(values, box.call)
    }

    mutating func adjust(_ setting: ComparableSetting) { box = box.adjusted(by: setting) }

    /// The value for a key.
    public subscript<K: Key>(key: K.Type) -> K.Value {
        get {
            // Without the guard, a missing value would be cast to the `nil` of an optional value.
            guard let value = box.values.custom[ObjectIdentifier(key)] else { return K.defaultValue }
            return value as? K.Value ?? K.defaultValue
        }
        set { update { $0.custom[ObjectIdentifier(key)] = newValue } }
    }

    /// The value that replaces the default of a dependency; `nil` if none was set.
    func replacement(of dependency: AnyDependency) -> (any Sendable)? {
        box.values.dependencies.isEmpty ? nil : box.values.dependencies[dependency]
    }

    mutating func replace(_ dependency: AnyDependency, by value: any Sendable) { update { $0.dependencies[dependency] = value } }

    /// The clock for deadlines, ages and delays. Default: ``SystemClock``.
    public var clock: any QueryClock {
        get { box.values.clock }
        set { update { $0.clock = newValue } }
    }

    /// The settings made by modifiers.
    var settings: QuerySettings {
        // Yields the settings instead of copying them, because a caller usually reads only one or two.
        _read { yield box.values.settings }
        set { update { $0.settings = newValue } }
    }

    /// A summary of the settings that each run needs.
    var traits: SettingTraits { box.content.traits }

    /// The client that runs the request, without naming the type of the client, which this layer does not know.
    var owner: WeakOwner? {
        get { box.values.owner }
        set { update { $0.owner = newValue } }
    }

    /// The call of a mutation that uses this context; `nil` outside of a mutation.
    var call: MutationCallArguments? {
        get { box.call }
        set { box = Box(box.content, newValue) }
    }

    /// Whether both share the same storage, so that a result computed from one is valid for the other.
    func isIdentical(to other: QueryContext) -> Bool { box === other.box }
}

/// The call that the fetch of a mutation carries out.
struct MutationCallArguments: Sendable {
    let id: UUID
    let arguments: AnyValue
    let type: ObjectIdentifier
}

/// A weak reference to the owner of a context: stores hold contexts, and the client owns the stores.
final class WeakOwner: Sendable {
    private weak let reference: (any AnyObject & Sendable)?
    private let ended = Flag()
    /// The role of the object for a folder that does not know its type. The role must not keep the object alive either.
    private let role: (any AnyObject & Sendable)?
    /// What all contexts of a client share; `nil` for an object that isn't a client.
    let shared: ClientShare?

    init(_ object: any AnyObject & Sendable, as role: (any AnyObject & Sendable)? = nil, sharing shared: ClientShare? = nil) {
        (reference, self.role, self.shared) = (object, role, shared)
    }

    var object: (any AnyObject & Sendable)? { isEnded ? nil : reference }

    /// The role of the object, cast to a class of the calling folder. A cast to a class costs next to nothing, unlike one to a protocol.
    func role<Role: AnyObject>(_ type: Role.Type) -> Role? { isEnded ? nil : role as? Role }

    /// Whether the session of this reference has ended. Deallocating the owner does not end its session.
    var isEnded: Bool { ended.isRaised }

    /// Ends the session: contexts that hold this reference find no owner any more.
    func end() { _ = ended.raise() }
}

extension QueryContext {
    private enum SessionKey: Key {
        static var defaultValue: String? { nil }
    }

    /// The session that the data belongs to. Data fetched, cached or journaled in one session never appears in another. Default: `nil`.
    ///
    /// Set it for the client's first session; after that, change it with ``QueryClient/reset(session:)``.
    public var session: String? {
        get { self[SessionKey.self] }
        set { self[SessionKey.self] = newValue }
    }
}
