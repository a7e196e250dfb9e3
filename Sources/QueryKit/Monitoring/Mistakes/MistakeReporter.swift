/// Reports each mistake of a client once.
///
/// A client has a reporter only if its mistakes are reported, so a release build does no work for them.
final class MistakeReporter: Sendable {
    private struct Key: Hashable {
        let kind: QueryMistake.Kind
        let subject: String
    }

    /// The maximum number of different mistakes to report and remember.
    private static let limit = 256

    private let reported = Lock<Set<Key>>([])
    private let matched = Lock<Set<QueryPattern>>([])
    private let sink: @Sendable (QueryMistake) -> Void

    /// - Parameter sink: Called without a lock, on the thread that made the mistake.
    init(_ sink: @escaping @Sendable (QueryMistake) -> Void) { self.sink = sink }

    /// Reports a mistake, unless it was reported before. Call it without holding a lock.
    ///
    /// - Parameters:
    ///   - subject: What the mistake is about. Each subject is reported once per kind.
    ///   - path: The path of the request, if the mistake concerns a single one.
    ///   - message: What happened, and what to write instead.
    func report(
        _ kind: QueryMistake.Kind,
        about subject: String,
        at path: QueryPath? = nil,
        _ message: @autoclosure () -> String
    ) {
        let isNew = reported.withLock { $0.count < Self.limit && $0.insert(Key(kind: kind, subject: subject)).inserted }
        if isNew { sink(QueryMistake(kind: kind, message: message(), path: path)) }
    }

    // MARK: Patterns

    private static let patternLimit = 1_000

    /// Remembers that a pattern is spelled correctly, because it has matched something.
    func noteMatch(of pattern: QueryPattern) {
        matched.withLock { if $0.count < Self.patternLimit { $0.insert(pattern) } }
    }

    /// Whether a pattern has matched something, or may have. When there are too many patterns to remember, any pattern may have matched, so
    /// none is reported.
    func mayHaveMatched(_ pattern: QueryPattern) -> Bool {
        matched.withLock { $0.count == Self.patternLimit || $0.contains(pattern) }
    }
}
