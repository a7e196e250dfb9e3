import TestSupport

@testable import QueryKit

/// A request for an engine whose code is a closure. It is identified by its number.
struct CodeRequest: QueryRequest {
    typealias Value = Int
    let id: Int
    var isValid = true
    let code: @Sendable () async throws -> Int

    func validate(in context: QueryContext) throws { if !isValid { throw QueryError(.invalidParameters) } }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { try await code() }

    static func == (left: CodeRequest, right: CodeRequest) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A request in an engine, with its entry.
struct Coded: Sendable {
    let engine: Engine
    let entry: Entry
    let settings: Settings
    let count = Lock(0)

    /// - Parameter code: The code of the request, with the number of its run.
    init(
        _ engine: Engine,
        _ id: Int,
        ttl: Duration = .zero,
        isDeduplicated: Bool = true,
        retries: Int = 0,
        backoff: Duration = .zero,
        isValid: Bool = true,
        changing change: (inout QueryContext) -> Void = { _ in },
        code: @escaping @Sendable (Int) async throws -> Int
    ) {
        var context = QueryContext()
        context.clock = engine.clock
        context.ttl = ttl
        context.retry = QueryRetry(limit: retries, backoff: .constant(backoff))
        context.settings.isDeduplicated = isDeduplicated
        change(&context)
        let count = count
        let request = CodeRequest(id: id, isValid: isValid) {
            try await code(
                count.withLock {
                    $0 += 1
                    return $0
                }
            )
        }
        self.engine = engine
        settings = Settings(RequestSettings(request, context))
        entry = engine.entry(for: request.identity, ["code", id], Typing<CodeRequest.State>.shared)
    }

    var value: Int? { engine.state(entry).current?.unboxed(as: Int.self) }
    var isStale: Bool { engine.state(entry).record.flags.contains(.invalidated) }
    var runs: Int { count.withLock { $0 } }
    var reads: Set<QueryRegion> { Set(engine.enter { $0.reads(of: entry).regions }) }

    func fetch(takesFresh: Bool = true) async throws -> Int {
        try await engine.fetch(entry, settings, takesFresh: takesFresh).unboxed(as: Int.self)
    }

    func observe(_ receive: @escaping @Sendable (Publication) -> Void = { _ in }) -> QuerySubscription {
        engine.subscribe(entry, settings, receive)
    }
}

func region(_ name: String) -> QueryRegion { QueryRegion(source: "s", name: name) }

extension Engine {
    /// An observer whose settings don't matter.
    func subscribe(
        _ entry: Entry,
        _ settings: Settings,
        isOnMainActor: Bool = false,
        _ receive: @escaping @Sendable (Publication) -> Void
    ) -> QuerySubscription {
        subscribe(entry, settings, isOnMainActor: isOnMainActor) { publication, _ in receive(publication) }
    }

    func subscribe(
        _ handle: Handle,
        observes: Bool = true,
        isOnMainActor: Bool = false,
        _ receive: @escaping @Sendable (Publication) -> Void
    ) -> QuerySubscription {
        subscribe(handle, observes: observes, isOnMainActor: isOnMainActor) { publication, _ in receive(publication) }
    }
}
