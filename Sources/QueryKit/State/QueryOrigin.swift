/// What started a change: a commit, a call such as ``QueryClient/invalidate(_:refetch:)-(QueryPattern,_)``, a mutation, a trigger. All runs
/// that the change causes have the same origin; see ``QueryCause/origin``.
///
/// ```swift
/// for await event in client.events where event.kind == .runStarted {
///     guard let origin = event.origin else { continue }
///     print(event.path, "because of", origin)
/// }
/// // food/today because of #7 commit diary/entries in log-food call 3
/// ```
///
/// A client creates origins only while its events have a listener. A run has only a ``QueryEvent/cause`` and no origin if it was started by
/// `fetch`, by ``QueryStore/refetch()`` or by a subscription.
public struct QueryOrigin: Sendable {
    /// A kind of origin. Later versions may add more.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Something changed in a data source in this process, such as by a commit; see ``QueryOrigin/regions``.
        public static let commit = Kind(description: "commit")
        /// Another process changed something in a data source; see ``QueryOrigin/regions``.
        public static let otherProcess = Kind(description: "otherProcess")
        /// The app, or a mutation that succeeded, invalidated requests by pattern; see ``QueryOrigin/pattern``.
        public static let invalidation = Kind(description: "invalidation")
        /// The app invalidated requests by tag; see ``QueryOrigin/tags``.
        public static let tags = Kind(description: "tags")
        /// A mutation was called. The events of the call and of its run have this origin; see ``QueryOrigin/mutation``.
        public static let mutation = Kind(description: "mutation")
        /// A trigger fired; see ``QueryOrigin/trigger``.
        public static let trigger = Kind(description: "trigger")
        /// The app wrote a result while a run was under way, so another run follows. Other writes cause no runs and have no origin.
        public static let write = Kind(description: "write")
        /// The app refetched requests by pattern; see ``QueryOrigin/pattern``.
        public static let refetch = Kind(description: "refetch")
        /// The app reset or removed requests; see ``QueryOrigin/pattern``.
        public static let reset = Kind(description: "reset")
        /// Another session began.
        public static let session = Kind(description: "session")
    }

    /// A call of a mutation.
    public struct Mutation: Hashable, Sendable {
        /// The path of the mutation.
        public let path: QueryPath
        /// The number of the call among all mutation calls of the client.
        public let call: Int
    }

    /// The parts of an origin, behind one reference, because many causes share an origin.
    private final class Content: Sendable {
        let number: Int
        let kind: Kind
        let mutation: Mutation?
        let subject: Subject

        init(_ number: Int, _ kind: Kind, _ mutation: Mutation?, _ subject: Subject) {
            (self.number, self.kind, self.mutation, self.subject) = (number, kind, mutation, subject)
        }
    }

    /// What has changed.
    enum Subject: Sendable {
        case regions([QueryRegion], count: Int)
        case pattern(QueryPattern)
        case tags([QueryTag])
        case trigger(String)
        case nothing
    }

    /// The maximum number of regions that an origin lists.
    static let regionLimit = 16

    private let content: Content

    init(number: Int, _ kind: Kind, in mutation: Mutation?, _ subject: Subject) {
        content = Content(number, kind, mutation, subject)
    }

    /// The number of the origin among all origins of the client. Later ones have higher numbers.
    public var number: Int { content.number }

    /// What happened.
    public var kind: Kind { content.kind }

    /// The mutation call that made the change; `nil` if no mutation made it, or if the events had no listener when the call began.
    public var mutation: Mutation? { content.mutation }

    /// The regions that changed, at most 16 of them; see ``regionCount``.
    public var regions: [QueryRegion] { if case .regions(let regions, _) = content.subject { regions } else { [] } }

    /// How many regions changed.
    public var regionCount: Int { if case .regions(_, let count) = content.subject { count } else { 0 } }

    /// The pattern of the requests that were invalidated, refetched, reset or removed; `nil` for other kinds.
    public var pattern: QueryPattern? { if case .pattern(let pattern) = content.subject { pattern } else { nil } }

    /// The tags of the requests that were invalidated; empty for other kinds.
    public var tags: [QueryTag] { if case .tags(let tags) = content.subject { tags } else { [] } }

    /// The name of the trigger that fired; `nil` for other kinds.
    public var trigger: String? { if case .trigger(let name) = content.subject { name } else { nil } }
}

extension QueryOrigin: Redacted, CustomStringConvertible {
    /// Number, kind, what changed, and the mutation that changed it.
    public var description: String { text(showsValues: false) }

    package func text(showsValues: Bool) -> String {
        var text = "#\(number) \(kind)"
        switch content.subject {
        case .regions(let regions, let count):
            text += regions.prefix(2).map { " " + $0.text(showsValues: showsValues) }.joined()
            if count > 2 { text += " and \(count - 2) more" }
        case .pattern(let pattern): text += " " + pattern.text(showsValues: showsValues)
        case .tags(let tags): text += tags.map { " \($0.name)" }.joined()
        case .trigger(let name): text += " \(name)"
        case .nothing: break
        }
        guard let mutation else { return text }
        return text + (kind == .mutation ? " " : " in ") + "\(mutation.path.text(showsValues: showsValues)) call \(mutation.call)"
    }
}
