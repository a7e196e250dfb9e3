import QueryKitTesting
import TestSupport

@testable import QueryKit

/// A mutation of an engine whose code is a closure. It is identified by its number.
struct CodeMutation: MutationRequest {
    typealias Code = @Sendable (Int, QueryContext, QueryContinuation<Int>) async throws -> Int

    let id: Int
    var scope: String?
    var layers: @Sendable (Int, inout QueryLayers) throws -> Void = { _, _ in }
    var patterns: [QueryPattern] = []
    var settings: @Sendable (inout QueryContext) -> Void = { _ in }
    let code: Code

    var path: QueryPath { ["mutation", id] }

    func setup(context: inout QueryContext) { settings(&context) }

    func mutate(with arguments: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await code(arguments, context, continuation)
    }

    func optimistic(with arguments: Int, in layers: inout QueryLayers) throws { try self.layers(arguments, &layers) }
    func invalidates(with arguments: Int, value: Int) -> [QueryPattern] { patterns }

    static func == (left: CodeMutation, right: CodeMutation) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A mutation whose calls are kept in a journal. Its code is that of the context.
struct KeptMutation: DurableMutationRequest {
    typealias Code = @Sendable (Int, QueryContext) async throws -> Int

    enum CodeKey: QueryContext.Key {
        static var defaultValue: Code { { arguments, _ in arguments } }
    }

    static let journalName = "KeptMutation"
    var scope: String? = "kept"
    var isValid = true

    var path: QueryPath { ["kept", scope ?? "none"] }

    func validate(in context: QueryContext) throws { if !isValid { throw QueryError(.invalidParameters, "Not now.") } }

    func mutate(with arguments: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context[CodeKey.self](arguments, context)
    }
}

/// An engine with a mutation, for tests of its calls.
struct CallBench: Sendable {
    /// What a context finds as its client.
    private final class Owner: Sendable {}

    let clock: ManualClock
    let engine: Engine
    private let owner = Owner()

    init(clock: ManualClock = ManualClock(), journal: (any MutationJournal)? = nil, _ code: KeptMutation.Code? = nil) {
        var context = QueryContext()
        context.clock = clock
        context.mutationJournal = journal
        if let code { context[KeptMutation.CodeKey.self] = code }
        self.clock = clock
        engine = Engine(clock: clock, context: context)
        engine.belong(to: WeakOwner(owner))
    }

    func handle<Request: QueryRequest>(_ request: Request) -> Handle where Request.State.StateValue: ExpressibleByNilLiteral {
        engine.handle(for: request, Typing<Request.State>.shared)
    }

    func begin(_ session: String?) { engine.begin(session: session, WeakOwner(owner)) }

    @discardableResult
    func submit(_ mutation: CodeMutation, _ arguments: Int = 0, _ change: (inout Engine.Draft) -> Void = { _ in }) throws -> CallEntry {
        var draft = Engine.Draft(AnyValue(arguments))
        change(&draft)
        return try engine.submit(handle(mutation), draft)
    }

    @discardableResult
    func submit(_ mutation: KeptMutation, _ arguments: Int = 0, _ change: (inout Engine.Draft) -> Void = { _ in }) throws -> CallEntry {
        var draft = Engine.Draft(AnyValue(arguments))
        change(&draft)
        return try engine.submit(handle(mutation), draft)
    }

    func resume() async throws -> Engine.Resumed { try await engine.resumeCalls([ResumableMutation(KeptMutation.self)]) }

    func mutate(_ mutation: CodeMutation, _ arguments: Int = 0) async throws -> Int {
        try await engine.mutate(handle(mutation), Engine.Draft(AnyValue(arguments))).unboxed(as: Int.self)
    }

    func value(_ call: CallEntry) async throws -> Int { try await engine.value(of: call).unboxed(as: Int.self) }

    func state(_ mutation: CodeMutation) -> MutationState<Int, Int> {
        Typing<MutationState<Int, Int>>.shared.state(engine.state(handle(mutation)))
    }

    func shown<Request: QueryRequest>(_ request: Request) -> Int? where Request.State.StateValue: ExpressibleByNilLiteral {
        engine.state(handle(request)).current?.unboxed(as: Int.self)
    }

    func write<Request: QueryRequest>(_ request: Request, _ value: Int) where Request.State.StateValue: ExpressibleByNilLiteral {
        engine.enter(handle(request)) { ledger, entry, _ in ledger.write(entry, .success(AnyValue(value))) }
    }
}
