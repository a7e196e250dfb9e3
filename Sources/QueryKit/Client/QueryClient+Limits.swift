extension QueryClient.Configuration {
    /// Limits the number of concurrent runs of the requests that a pattern matches. Default: no limit.
    ///
    /// The other runs wait in a queue, ordered by priority and then by arrival. They count as fetching, and ``QueryClient/settled()`` waits
    /// for them. If a caller of higher priority waits for a run, that run moves forward. A run takes a place only during an attempt, not
    /// while it waits for the network or for the next attempt. A stream takes a place only until its first value.
    ///
    /// If several limits match a request, all of them apply. If you set a limit twice for a pattern, the later call wins; a limit below one
    /// counts as one. A fetch inside a fetch doesn't wait at limits in which the outer run holds a place, nor at limits that were set
    /// before one of these. Otherwise the two runs could wait for each other. Mutations are not limited: they have their
    /// ``MutationRequest/scope``.
    ///
    /// ```swift
    /// configuration.setLimit(4, matching: "images/**")
    /// ```
    public mutating func setLimit(_ count: Int, matching pattern: QueryPattern = .all) {
        limits.removeAll { $0.pattern == pattern }
        limits.append(Limit(pattern: pattern, count: max(count, 1)))
    }
}
