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
        if let known = knownMutations.withLock({ $0[type] }) { return known.mutation(of: self) }
        guard let mutation = unwrapped as? any MutationRequest else {
            preconditionFailure("\(self) has the state of a mutation and is none")
        }
        let known = KnownMutation(isModified: !(self is any MutationRequest), make: mutation.maker)
        knownMutations.withLock { $0[type] = known }
        return known.mutation(of: self)
    }
}

/// How to make the mutations of requests of one type. To ask whether a type conforms to a protocol, or a value is of a type, takes long.
private struct KnownMutation: Sendable {
    let isModified: Bool
    /// Makes the mutation of the request at an address, which is of the type that lies beneath the modifiers: their types say which that is.
    let make: @Sendable (UnsafeRawPointer) -> any AnyMutation

    func mutation(of request: some QueryRequest) -> any AnyMutation {
        isModified ? mutation(beneath: request.unwrapped) : mutation(beneath: request)
    }

    private func mutation(beneath request: some QueryRequest) -> any AnyMutation {
        withUnsafePointer(to: request) { make(UnsafeRawPointer($0)) }
    }
}

private let knownMutations = Lock<[ObjectIdentifier: KnownMutation]>([:])

extension MutationRequest {
    fileprivate var maker: @Sendable (UnsafeRawPointer) -> any AnyMutation {
        let isDurable = self is any DurableMutationRequest
        let isSourceBacked = self is any SourceBackedMutation
        return { TypedMutation($0.assumingMemoryBound(to: Self.self).pointee, isDurable: isDurable, isSourceBacked: isSourceBacked) }
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
