import Foundation

/// A mutation for code that does not know its types: arguments and values are boxed.
///
/// Code that is generic over the types of a mutation asks the runtime for types at each step, which costs more than the step itself.
protocol AnyMutation: AnyObject, Sendable {
    var scope: String? { get }

    /// Whether its calls are written into a journal.
    var isDurable: Bool { get }

    /// Whether the data sources that it writes to report each change.
    var isSourceBacked: Bool { get }

    func declareLayers(with arguments: AnyValue, in layers: inout QueryLayers) throws

    func invalidates(with arguments: AnyValue, value: AnyValue) -> [QueryPattern]

    /// The journal entry of a call; `nil` if the mutation is not durable.
    func journalEntry(_ id: UUID, _ arguments: AnyValue, session: String?, date: Date) throws -> MutationJournalEntry?
}

extension QueryRequest {
    /// The mutation that this request is, beneath all modifiers.
    var mutation: any AnyMutation {
        let type = ObjectIdentifier(Self.self)
        if let make = knownMutations.withLock({ $0[type] }) { return make(self) }
        guard let mutation = unwrapped as? any MutationRequest else {
            preconditionFailure("\(self) has the state of a mutation and is none")
        }
        let make = mutation.maker(isModified: !(self is any MutationRequest))
        knownMutations.withLock { $0[type] = make }
        return make(self)
    }
}

/// How to make the mutation of a request, for each type of request. Asking whether a type conforms to a protocol takes long.
private let knownMutations = Lock<[ObjectIdentifier: @Sendable (any QueryRequest) -> any AnyMutation]>([:])

extension MutationRequest {
    fileprivate func maker(isModified: Bool) -> @Sendable (any QueryRequest) -> any AnyMutation {
        let isDurable = self is any DurableMutationRequest
        let isSourceBacked = self is any SourceBackedMutation
        return { request in
            guard let request = (isModified ? request.unwrapped : request) as? Self else {
                preconditionFailure("\(request) is no \(Self.self)")
            }
            return TypedMutation(request, isDurable: isDurable, isSourceBacked: isSourceBacked)
        }
    }
}

private final class TypedMutation<Request: MutationRequest>: AnyMutation {
    private let request: Request
    let isDurable: Bool
    let isSourceBacked: Bool

    init(_ request: Request, isDurable: Bool, isSourceBacked: Bool) {
        (self.request, self.isDurable, self.isSourceBacked) = (request, isDurable, isSourceBacked)
    }

    var scope: String? { request.scope }

    func declareLayers(with arguments: AnyValue, in layers: inout QueryLayers) throws {
        try request.optimistic(with: arguments.unboxed(as: Request.Arguments.self), in: &layers)
    }

    func invalidates(with arguments: AnyValue, value: AnyValue) -> [QueryPattern] {
        request.invalidates(with: arguments.unboxed(as: Request.Arguments.self), value: value.unboxed(as: Request.Value.self))
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
