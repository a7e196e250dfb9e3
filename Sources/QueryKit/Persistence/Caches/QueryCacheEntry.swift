public import Foundation

/// An entry of a cache: an encoded value and its age.
public struct QueryCacheEntry: Hashable, Codable, Sendable {
    /// The encoded value.
    public var data: Data

    /// When the value was fetched or written, by the wall clock.
    public var date: Date

    /// How long the entry is kept, counted from its date. This is independent of how long the request considers the value fresh.
    public var ttl: Duration

    /// Whether the value is known to be out of date. It is shown nevertheless, and refetched regardless of its age.
    public var isInvalidated: Bool

    /// Creates an entry.
    public init(data: Data, date: Date, ttl: Duration = .infinity, isInvalidated: Bool = false) {
        self.data = data
        self.date = date
        self.ttl = ttl
        self.isInvalidated = isInvalidated
    }

    /// Whether the entry is too old to be kept. An entry with a date in the future is expired, too, unless it is kept forever: the wall
    /// clock was set back, and its age is unknown.
    public func isExpired(by clock: any QueryClock) -> Bool { date.isPast(ttl, by: clock) }

    /// The instant from which the entry is too old to be kept.
    func expiry(by clock: any QueryClock) -> QueryInstant { date.expiry(after: ttl, by: clock) }
}

extension Date {
    /// Whether a value of this date has reached an age. A date in the future has reached every age but `.infinity`.
    func isPast(_ age: Duration, by clock: any QueryClock) -> Bool { expiry(after: age, by: clock) <= clock.now }

    fileprivate func expiry(after age: Duration, by clock: any QueryClock) -> QueryInstant {
        age >= .infinity ? .never : QueryTimestamp(date: self, clock: clock).instant.advanced(by: age)
    }
}
