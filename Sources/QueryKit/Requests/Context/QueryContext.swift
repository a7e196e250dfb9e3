import Foundation

/// The environment of a fetch: use cases, clock, settings, and the client that runs it.
///
/// A context is a value: changing a copy changes nothing else. You declare each dependency in one line, and replace it in tests:
///
/// ```swift
/// extension QueryDependencies {
///     var entryList: QueryDependency<any ListEntries> { .init(DatabaseEntryList()) }
/// }
///
/// var context = QueryContext()
/// context.entryList = FakeEntryList()
/// let client = QueryClient(context: context)
/// ```
///
/// See ``QueryDependencies``. A ``Key`` is the longer form, for a default that is computed at each use.
@dynamicMemberLookup
public struct QueryContext: Sendable {
    /// Names one value of a context.
    public protocol Key<Value> {
        /// What stands under the key.
        associatedtype Value: Sendable

        /// The value of a context that was given none. Read at each use, so that it may be computed.
        static var defaultValue: Value { get }
    }

    private struct Values: Sendable {
        var clock: any QueryClock = SystemClock()
        var owner: WeakOwner?
        var settings = QuerySettings()
        var custom: [ObjectIdentifier: any Sendable] = [:]
        var dependencies: [AnyDependency: any Sendable] = [:]
    }

    /// The values of a context, which the contexts of all calls of a mutation share.
    private final class Content: Sendable {
        let values: Values
        let traits: SettingTraits

        init(_ values: Values) {
            self.values = values
            traits = SettingTraits(values.settings)
        }
    }

    /// One immutable box for everything, so that each of many stores holds its context in one word.
    private final class Box: Sendable {
        static let empty = Box(Values())
        /// Guards what all boxes remember, and counts it. A context is changed when a store is made, and hardly ever else.
        private static let memory = Lock(0)

        let content: Content
        /// What belongs to one call of a mutation.
        let call: MutationCallArguments?
        /// How many settings were adjusted one after the other. From the second on nothing is remembered: what changes again and again would
        /// become a chain that never ends.
        private let depth: Int
        // Invariant: read and changed with the lock held.
        /// What became of the box by settings that can be compared, the latest last.
        nonisolated(unsafe) private var adjusted: [(setting: ComparableSetting, box: Box)] = []

        var values: Values { _read { yield content.values } }

        init(_ content: Content, _ call: MutationCallArguments?, depth: Int = 0) {
            (self.content, self.call, self.depth) = (content, call, depth)
        }

        convenience init(_ values: Values, _ call: MutationCallArguments? = nil, depth: Int = 0) {
            self.init(Content(values), call, depth: depth)
        }

        /// A box with another setting. Stores whose contexts differ from their client's in the same way share one.
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
            // What is forgotten is released outside the lock.
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

    /// The value under a key.
    public subscript<K: Key>(key: K.Type) -> K.Value {
        get {
            // Without the guard, "nothing set" would be cast to a nil of an optional value.
            guard let value = box.values.custom[ObjectIdentifier(key)] else { return K.defaultValue }
            return value as? K.Value ?? K.defaultValue
        }
        set { update { $0.custom[ObjectIdentifier(key)] = newValue } }
    }

    /// What was set in place of the default of a dependency.
    func replacement(of dependency: AnyDependency) -> (any Sendable)? {
        box.values.dependencies.isEmpty ? nil : box.values.dependencies[dependency]
    }

    mutating func replace(_ dependency: AnyDependency, by value: any Sendable) { update { $0.dependencies[dependency] = value } }

    /// The time that deadlines, ages and delays are measured by. Default: ``SystemClock``.
    public var clock: any QueryClock {
        get { box.values.clock }
        set { update { $0.clock = newValue } }
    }

    /// What the modifiers set.
    var settings: QuerySettings {
        // Lent, not copied: a caller wants one or two of many.
        _read { yield box.values.settings }
        set { update { $0.settings = newValue } }
    }

    /// The same settings as far as each run asks for them.
    var traits: SettingTraits { box.content.traits }

    /// The client that runs the request, in a form that this layer can hold.
    var owner: WeakOwner? {
        get { box.values.owner }
        set { update { $0.owner = newValue } }
    }

    /// The call of a mutation that finds this context; `nil` outside of a mutation.
    var call: MutationCallArguments? {
        get { box.call }
        set { box = Box(box.content, newValue) }
    }

    /// Whether both are the same copy, so that what was computed from one holds for the other.
    func isIdentical(to other: QueryContext) -> Bool { box === other.box }
}

/// What the fetch of a mutation finds in its context: which call it carries out.
struct MutationCallArguments: Sendable {
    let id: UUID
    let arguments: AnyValue
    let type: ObjectIdentifier
}

/// A reference that does not keep its object alive: a context lies in stores, and their client owns those.
final class WeakOwner: Sendable {
    private weak let reference: (any AnyObject & Sendable)?
    private let ended = Flag()
    /// What the object is to a folder that does not know its type. It must not keep the object alive either.
    private let role: (any AnyObject & Sendable)?
    /// What all contexts of a client have in common; `nil` for an object that is no client.
    let shared: ClientShare?

    init(_ object: any AnyObject & Sendable, as role: (any AnyObject & Sendable)? = nil, sharing shared: ClientShare? = nil) {
        (reference, self.role, self.shared) = (object, role, shared)
    }

    var object: (any AnyObject & Sendable)? { isEnded ? nil : reference }

    /// What the object is to the folder that asks. Unlike a cast to a protocol, a cast to a class costs next to nothing.
    func role<Role: AnyObject>(_ type: Role.Type) -> Role? { isEnded ? nil : role as? Role }

    /// Whether the session that this reference stands for has ended. An owner that was deallocated has not ended its session.
    var isEnded: Bool { ended.isRaised }

    /// Ends the session: contexts that hold this reference find no owner from now on.
    func end() { _ = ended.raise() }
}

extension QueryContext {
    private enum SessionKey: Key {
        static var defaultValue: String? { nil }
    }

    /// Whose data this is: what was fetched, cached or written down in one session never shows in another. Default: `nil`.
    ///
    /// Set it for the client's first session; from then on ``QueryClient/reset(session:)`` changes it.
    public var session: String? {
        get { self[SessionKey.self] }
        set { self[SessionKey.self] = newValue }
    }
}
