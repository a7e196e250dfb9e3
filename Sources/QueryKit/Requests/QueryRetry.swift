/// How often a failed attempt is repeated, and after which delays.
///
/// Runs are retried three times if they are started by the library, such as for a subscription, by `refetch()` or by `invalidate()`. The
/// request can set another limit. Runs that are started by `fetch()` are not retried, because their callers can handle the error
/// themselves.
public struct QueryRetry: Sendable {
    /// How many attempts may follow the first one. Default: `nil`. The limit then depends on what started the run; see ``QueryRetry``.
    public var limit: Int?

    /// How long to wait before each retry.
    public var backoff: QueryBackoff

    /// Whether an error is worth another attempt. Cancellation and invalid parameters are never retried.
    public var condition: @Sendable (any Error) -> Bool

    /// Creates a policy.
    public init(
        limit: Int? = nil,
        backoff: QueryBackoff = .exponential(),
        when condition: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) {
        self.limit = limit
        self.backoff = backoff
        self.condition = condition
    }
}

/// The delays between attempts.
public struct QueryBackoff: Sendable {
    private let delay: @Sendable (_ failures: Int) -> Duration

    /// Creates a backoff that computes the delay from the number of failed attempts so far: 1 before the first retry.
    public init(_ delay: @escaping @Sendable (_ failures: Int) -> Duration) { self.delay = delay }

    /// Exponential backoff with full jitter: a random part of 1 s, 2 s, 4 s, …, at most 30 s.
    ///
    /// `jitter` returns the part of the delay to wait, from 0 to 1. Pass a constant in tests.
    public static func exponential(
        base: Duration = .seconds(1),
        cap: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) -> QueryBackoff {
        QueryBackoff { failures in
            // 2^62 nanoseconds are a century and a half; further doubling would only overflow.
            let doublings = min(max(failures, 1) - 1, 62)
            let (full, overflow) = base.saturatedNanoseconds.multipliedReportingOverflow(by: 1 << doublings)
            let limit = overflow ? cap : min(.nanoseconds(full), cap)
            // The order matters: `max(0, jitter())` returns 0 if `jitter` returns NaN.
            return limit * min(max(0, jitter()), 1)
        }
    }

    /// The same delay before each retry.
    public static func constant(_ delay: Duration) -> QueryBackoff { QueryBackoff { _ in delay } }

    /// No delay at all.
    public static let none = QueryBackoff { _ in .zero }

    /// The delay after this many failures; never negative.
    public func delay(afterFailures failures: Int) -> Duration { max(delay(failures), .zero) }
}
