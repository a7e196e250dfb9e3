/// The closure of an inline request, and where it is written.
///
/// A reference, so that a client can find a closure that is in use without keeping it alive.
final class InlineSource<Value: Sendable>: AnyInlineSource {
    let fetch: @Sendable (QueryContext, QueryContinuation<Value>) async throws -> Value
    let place: SourcePlace
    /// How many pages are kept at most, for a list of pages.
    let maxPages: Int?

    init(
        _ place: SourcePlace,
        maxPages: Int? = nil,
        _ fetch: @escaping @Sendable (QueryContext, QueryContinuation<Value>) async throws -> Value
    ) {
        (self.place, self.maxPages, self.fetch) = (place, maxPages, fetch)
    }
}

/// The same without its types.
protocol AnyInlineSource: AnyObject, Sendable {
    var place: SourcePlace { get }
    var maxPages: Int? { get }
}

/// A line of a user's code.
struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    private let file: String
    private let line: UInt

    init(_ file: StaticString, _ line: UInt) { (self.file, self.line) = (file.description, line) }

    var description: String { "\(file):\(line)" }
}

/// A request that holds a closure. The closure belongs to those who use the request, not to its store.
protocol ClosureRequest {
    var withoutClosure: Self { get }
    var inlineSource: (any AnyInlineSource)? { get }
}

extension QueryRequest {
    /// The same request without the closure of an inline request in it.
    var releasingClosure: Self { (self as? any ClosureRequest)?.withoutClosure as? Self ?? self }
}

/// The closures of the inline requests that a client has met, as long as anything else holds them.
final class InlineSources: Sendable {
    private struct Reference {
        weak var source: (any AnyInlineSource)?
    }

    private struct State {
        var references: [QueryIdentity: [Reference]] = [:]
        /// How many identities there may be before those whose closures are gone are removed.
        var limit = 64
        /// Two places with a closure for one request, if a client has not asked yet.
        var conflict: Conflict?

        /// Removes the identities whose closures are gone. Returns the others, to be released outside the lock.
        mutating func sweep() -> [any AnyInlineSource] {
            var inUse: [any AnyInlineSource] = []
            references = references.filter { _, references in
                let sources = references.compactMap(\.source)
                inUse.append(contentsOf: sources)
                return !sources.isEmpty
            }
            limit = max(64, references.count * 2)
            return inUse
        }
    }

    /// Two closures in use for one request that are written in different places.
    struct Conflict: Sendable {
        let former: SourcePlace
        let latter: SourcePlace
    }

    private let state = Lock(State())

    /// A handle was made with a closure.
    func note(_ source: any AnyInlineSource, for identity: QueryIdentity) {
        // The closures that are found are released outside the lock: what they capture may run arbitrary code as it ends.
        let (known, _) = state.withLock { state -> ([any AnyInlineSource], [any AnyInlineSource]) in
            let known = state.references[identity, default: []].compactMap(\.source)
            if known.last === source { return (known, []) }
            let others = known.filter { $0 !== source }.map { Reference(source: $0) }
            state.references[identity] = others + [Reference(source: source)]
            return (known, state.references.count > state.limit ? state.sweep() : [])
        }
        guard let other = known.last(where: { $0.place != source.place }) else { return }
        state.withLock { $0.conflict = Conflict(former: other.place, latter: source.place) }
    }

    /// Two places with a closure for one request, once.
    func takeConflict() -> Conflict? {
        state.withLock { state in
            defer { state.conflict = nil }
            return state.conflict
        }
    }

    /// The closure for a request that was noted last and is still in use.
    func latest(for identity: QueryIdentity) -> (any AnyInlineSource)? {
        state.withLock { $0.references[identity, default: []].compactMap(\.source) }.last
    }
}

extension QueryContext {
    /// Prepares the context of an inline request.
    mutating func useInline(_ source: (any AnyInlineSource)?, for identity: QueryIdentity) {
        settings.isInline = true
        if let source {
            owner?.shared?.inline.note(source, for: identity)
        } else {
            settings.conditions.append { context in context.inlineSource(for: identity) != nil }
        }
    }

    /// A closure in use for an inline request.
    func inlineSource(for identity: QueryIdentity) -> (any AnyInlineSource)? { owner?.shared?.inline.latest(for: identity) }
}
