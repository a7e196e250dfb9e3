import Foundation

/// A mutation without its generic types: arguments and values are boxed.
///
/// Code that is generic over the types of a mutation looks up types at run time in each step, which costs more than the step itself.
protocol AnyMutation: AnyObject, Sendable {
    /// The name of its type: in the journal, if it is durable.
    var name: String { get }

    var scope: String? { get }

    /// The type of its calls' arguments.
    var argumentsType: ObjectIdentifier { get }

    /// Boxes arguments.
    var boxes: AnyValue.Maker { get }

    /// Whether its calls are written to a journal.
    var isDurable: Bool { get }

    /// Whether the data sources that it writes to report each change.
    var isSourceBacked: Bool { get }

    /// The mutation to call: this one, or a replacement if this is an inline mutation without a closure. The replacement has the latest
    /// known closure for the same identity. The layers and patterns declared with that closure apply before those of this mutation, and its
    /// scope applies if this mutation has none.
    func completed(in context: QueryContext) -> any AnyMutation

    func declareLayers(with arguments: AnyValue, in layers: inout QueryLayers) throws

    func invalidates(with arguments: AnyValue, value: AnyValue) -> [QueryPattern]

    /// The text and the structure of a call's arguments, for an inspector.
    func inspect(_ arguments: AnyValue, limit: Int) -> InspectedValue

    /// The journal entry of a call; `nil` if the mutation is not durable.
    func journalEntry(_ id: UUID, _ arguments: AnyValue, session: String?, date: Date) throws -> MutationJournalEntry?
}

extension QueryRequest {
    /// This request as a mutation, without its modifiers.
    var mutation: any AnyMutation {
        let type = ObjectIdentifier(Self.self)
        if let known = knownMutations.withLock({ $0[type] }) { return known.mutation(of: self) }
        guard let mutation = unwrapped as? any MutationRequest else {
            preconditionFailure("\(self) has the state of a mutation, but isn't a mutation")
        }
        let known = mutation.known(isModified: !(self is any MutationRequest))
        knownMutations.withLock { $0[type] = known }
        return known.mutation(of: self)
    }
}

/// How to create the mutations of requests of one type. Looking up a protocol conformance or a generic type at run time takes long.
private struct KnownMutation: Sendable {
    let isModified: Bool
    let traits: MutationTraits
    let boxes: AnyValue.Maker
    /// The type beneath the modifiers. It depends only on the type of the modified request.
    let type: any MutationType.Type

    func mutation(of request: some QueryRequest) -> any AnyMutation {
        isModified ? mutation(beneath: request.unwrapped) : mutation(beneath: request)
    }

    private func mutation(beneath request: some QueryRequest) -> any AnyMutation {
        withUnsafePointer(to: request) {
            type.init(UnsafeRawPointer($0), traits, boxes)
        }
    }
}

/// What the type of a mutation conforms to.
private struct MutationTraits: Sendable {
    let name: String
    let isDurable: Bool
    let isSourceBacked: Bool
    let isInline: Bool
}

private let knownMutations = Lock<[ObjectIdentifier: KnownMutation]>([:])

extension MutationRequest {
    fileprivate func known(isModified: Bool) -> KnownMutation {
        KnownMutation(
            isModified: isModified,
            traits: MutationTraits(
                name: (Self.self as? any DurableMutationRequest.Type)?.journalName ?? Self.storedName,
                isDurable: self is any DurableMutationRequest,
                isSourceBacked: self is any SourceBackedMutation,
                isInline: self is any ClosureMutation
            ),
            boxes: AnyValue.Maker(for: Arguments.self),
            type: TypedMutation<Self>.self
        )
    }
}

/// A mutation whose calls run one after the other even though it has no scope itself.
final class SerialMutation: AnyMutation {
    private let mutation: any AnyMutation
    let scope: String?

    init(_ mutation: any AnyMutation, scope: String) { (self.mutation, self.scope) = (mutation, mutation.scope ?? scope) }

    var name: String { mutation.name }
    var argumentsType: ObjectIdentifier { mutation.argumentsType }
    var boxes: AnyValue.Maker { mutation.boxes }
    var isDurable: Bool { mutation.isDurable }
    var isSourceBacked: Bool { mutation.isSourceBacked }

    func completed(in context: QueryContext) -> any AnyMutation {
        guard let scope else { return mutation.completed(in: context) }
        return SerialMutation(mutation.completed(in: context), scope: scope)
    }

    func declareLayers(with arguments: AnyValue, in layers: inout QueryLayers) throws {
        try mutation.declareLayers(with: arguments, in: &layers)
    }

    func invalidates(with arguments: AnyValue, value: AnyValue) -> [QueryPattern] {
        mutation.invalidates(with: arguments, value: value)
    }

    func inspect(_ arguments: AnyValue, limit: Int) -> InspectedValue { mutation.inspect(arguments, limit: limit) }

    func journalEntry(_ id: UUID, _ arguments: AnyValue, session: String?, date: Date) throws -> MutationJournalEntry? {
        // The entry has the scope, so that the calls run in order after a relaunch, too: an earlier value must not be written last.
        try mutation.journalEntry(id, arguments, session: session, date: date)?.inScope(scope)
    }
}

/// The scopes of the mutations of controls. They are kept in the journal, so they contain paths with values.
enum ControlScope {
    private static let prefix = "control "

    static func name(of mutation: any AnyMutation, at path: QueryPath) -> String { "\(prefix)\(mutation.name) \(path.unredacted)" }

    /// The name of any scope, with a hash of the path of a control's mutation.
    static func text(of scope: String) -> String {
        scope.hasPrefix(prefix) ? prefix + Redaction.hash(String(scope.dropFirst(prefix.count))) : scope
    }
}

private protocol MutationType: AnyMutation, SendableMetatype {
    /// - Parameter request: The address of a request of the right type.
    init(_ request: UnsafeRawPointer, _ traits: MutationTraits, _ boxes: AnyValue.Maker)
}

private final class TypedMutation<Request: MutationRequest>: MutationType {
    private let request: Request
    private let traits: MutationTraits
    let boxes: AnyValue.Maker

    convenience init(_ request: UnsafeRawPointer, _ traits: MutationTraits, _ boxes: AnyValue.Maker) {
        self.init(request.assumingMemoryBound(to: Request.self).pointee, traits, boxes)
    }

    private init(_ request: Request, _ traits: MutationTraits, _ boxes: AnyValue.Maker) {
        (self.request, self.traits, self.boxes) = (request, traits, boxes)
    }

    var name: String { traits.name }
    var isDurable: Bool { traits.isDurable }
    var isSourceBacked: Bool { traits.isSourceBacked }

    var argumentsType: ObjectIdentifier { ObjectIdentifier(Request.Arguments.self) }

    var scope: String? { request.scope }

    func completed(in context: QueryContext) -> any AnyMutation {
        guard traits.isInline, let full = (request as? any ClosureMutation)?.completed(in: context) as? Request else { return self }
        return TypedMutation(full, traits, boxes)
    }

    func declareLayers(with arguments: AnyValue, in layers: inout QueryLayers) throws {
        try request.optimistic(with: arguments.unboxed(as: Request.Arguments.self), in: &layers)
    }

    func invalidates(with arguments: AnyValue, value: AnyValue) -> [QueryPattern] {
        request.invalidates(with: arguments.unboxed(as: Request.Arguments.self), value: value.unboxed(as: Request.Value.self))
    }

    func inspect(_ arguments: AnyValue, limit: Int) -> InspectedValue {
        RunScope.outside { InspectedValue(of: arguments.unboxed(as: Request.Arguments.self), limit: limit) }
    }

    func journalEntry(_ id: UUID, _ arguments: AnyValue, session: String?, date: Date) throws -> MutationJournalEntry? {
        guard let request = request as? any DurableMutationRequest else { return nil }
        return try request.entry(id, arguments, session: session, date: date)
    }
}

extension DurableMutationRequest {
    fileprivate func entry(_ id: UUID, _ arguments: AnyValue, session: String?, date: Date) throws -> MutationJournalEntry {
        try journalEntry(id, arguments.unboxed(as: Arguments.self), session: session, date: date)
    }
}
