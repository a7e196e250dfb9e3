/// The closure of an inline request and its location in the source.
///
/// A class, so that a client can find a closure in use without keeping it alive.
final class InlineSource<Value: Sendable>: AnyInlineSource {
    let fetch: @Sendable (QueryContext, QueryContinuation<Value>) async throws -> Value
    let location: CodeLocation
    /// The maximum number of pages to keep, for a list of pages.
    let maxPages: Int?

    init(
        _ location: CodeLocation,
        maxPages: Int? = nil,
        _ fetch: @escaping @Sendable (QueryContext, QueryContinuation<Value>) async throws -> Value
    ) {
        (self.location, self.maxPages, self.fetch) = (location, maxPages, fetch)
    }
}

/// An `InlineSource` without its generic type.
protocol AnyInlineSource: AnyObject, Sendable {
    var location: CodeLocation { get }
    var maxPages: Int? { get }
}

/// A line of the user's code.
struct CodeLocation: Hashable, Sendable, CustomStringConvertible {
    private let file: String
    private let line: UInt

    init(_ file: StaticString, _ line: UInt) { (self.file, self.line) = (file.description, line) }

    var description: String { "\(file):\(line)" }
}

/// A request that holds a closure. The closure belongs to the users of the request, not to its store.
protocol ClosureRequest {
    var withoutClosure: Self { get }
    var inlineSource: (any AnyInlineSource)? { get }
}

extension QueryRequest {
    /// The same request, without the closure of an inline request inside it.
    var releasingClosure: Self { (self as? any ClosureRequest)?.withoutClosure as? Self ?? self }
}

/// Weak references to the closures of the inline requests that a client has used.
final class InlineSources: Sendable {
    private struct Reference {
        weak var source: (any AnyInlineSource)?
    }

    private struct State {
        var references: [QueryIdentity: [Reference]] = [:]
        /// When there are more identities than this, those whose closures were deallocated are removed.
        var limit = 64
        /// Two locations of closures for one request, until the client takes the conflict.
        var conflict: Conflict?

        /// Removes the identities whose closures were deallocated. Returns the other closures, to be released outside the lock.
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
        let former: CodeLocation
        let latter: CodeLocation
    }

    private let state = Lock(State())

    /// Notes the closure of a new handle.
    func note(_ source: any AnyInlineSource, for identity: QueryIdentity) {
        // Release the closures outside the lock: deallocating what they capture may run arbitrary code.
        let (known, _) = state.withLock { state -> ([any AnyInlineSource], [any AnyInlineSource]) in
            let known = state.references[identity, default: []].compactMap(\.source)
            if known.last === source { return (known, []) }
            let others = known.filter { $0 !== source }.map { Reference(source: $0) }
            state.references[identity] = others + [Reference(source: source)]
            return (known, state.references.count > state.limit ? state.sweep() : [])
        }
        guard let other = known.last(where: { $0.location != source.location }) else { return }
        state.withLock { $0.conflict = Conflict(former: other.location, latter: source.location) }
    }

    /// Returns the conflict between two closures for one request, once.
    func takeConflict() -> Conflict? {
        state.withLock { state in
            defer { state.conflict = nil }
            return state.conflict
        }
    }

    /// The closure that was last noted for a request and is still in use.
    func latest(for identity: QueryIdentity) -> (any AnyInlineSource)? {
        state.withLock { $0.references[identity, default: []].compactMap(\.source) }.last
    }
}

extension RunCondition {
    /// The condition that a closure for an inline request is in use.
    static func closure(of identity: QueryIdentity) -> RunCondition {
        RunCondition(holds: { context in context.inlineSource(for: identity) != nil }, needsClosure: true)
    }
}

extension QueryContext {
    /// Prepares the context of an inline request.
    mutating func useInline(_ source: (any AnyInlineSource)?, for identity: QueryIdentity) {
        settings.isInline = true
        if let source {
            owner?.shared?.inline.note(source, for: identity)
        } else {
            settings.conditions.append(.closure(of: identity))
        }
    }

    /// A closure in use for an inline request, if there is one.
    func inlineSource(for identity: QueryIdentity) -> (any AnyInlineSource)? { owner?.shared?.inline.latest(for: identity) }
}
