/// How often a failed attempt is repeated, and after which delay.
///
/// Runs that the library starts by itself (for a subscription, an invalidation) are retried three times unless the request
/// says otherwise; runs that a caller asks for and waits for are not, because the caller can decide better.
public struct QueryRetry: Sendable {
    /// How many attempts may follow the first one. `nil` for the default, which depends on what starts the run.
    public var limit: Int?

    /// How long to wait before each.
    public var backoff: QueryBackoff

    /// Which errors are worth another attempt. Cancellation and invalid parameters never are.
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

    /// Delays computed from the number of attempts that failed so far: 1 before the first retry.
    public init(_ delay: @escaping @Sendable (_ failures: Int) -> Duration) { self.delay = delay }

    /// Delays that double, capped, with full jitter: a random part of 1 s, 2 s, 4 s, … of at most 30 s.
    ///
    /// The jitter is a number from 0 to 1, the share of the delay that is waited; tests pass a constant.
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
            // In this order `max` takes a share that is not a number for none.
            return limit * min(max(0, jitter()), 1)
        }
    }

    /// The same delay each time.
    public static func constant(_ delay: Duration) -> QueryBackoff { QueryBackoff { _ in delay } }

    /// No delay at all.
    public static let none = QueryBackoff { _ in .zero }

    /// The delay after that many failures; never negative.
    public func delay(afterFailures failures: Int) -> Duration { max(delay(failures), .zero) }
}
