public import Foundation

/// What a cache keeps under a key: an encoded value, and what is known of its age.
public struct QueryCacheEntry: Hashable, Codable, Sendable {
    /// The value, encoded.
    public var data: Data

    /// When the value came about, by the wall clock.
    public var date: Date

    /// How long the entry is kept, counted from its date. Whether the value counts as fresh is another matter: the request says that.
    public var ttl: Duration

    /// Whether the value is known to be out of date. It is shown all the same, and refreshed whatever its age.
    public var isInvalidated: Bool

    /// Creates an entry.
    public init(data: Data, date: Date, ttl: Duration = .infinity, isInvalidated: Bool = false) {
        self.data = data
        self.date = date
        self.ttl = ttl
        self.isInvalidated = isInvalidated
    }

    /// Whether the entry is too old to be kept. One from the future is, unless it is kept for ever: the wall clock was set back, and its age is unknown.
    public func isExpired(by clock: any QueryClock) -> Bool { date.isPast(ttl, by: clock) }

    /// When the entry is too old to be kept.
    func expiry(by clock: any QueryClock) -> QueryInstant { date.expiry(after: ttl, by: clock) }
}

extension Date {
    /// Whether what came about at this date has reached an age. A date in the future has reached every age but `.infinity`.
    func isPast(_ age: Duration, by clock: any QueryClock) -> Bool { expiry(after: age, by: clock) <= clock.now }

    fileprivate func expiry(after age: Duration, by clock: any QueryClock) -> QueryInstant {
        age >= .infinity ? .never : QueryTimestamp(date: self, clock: clock).instant.advanced(by: age)
    }
}
