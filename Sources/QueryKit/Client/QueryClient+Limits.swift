extension QueryClient.Configuration {
    /// Lets at most so many runs work at once among the requests that a pattern matches. Default: no limit.
    ///
    /// The others stand in line, higher priority first, then in the order in which they came; they count as fetching, and
    /// ``QueryClient/settled()`` waits for them. A caller of higher priority moves the run that it waits for forward. A run holds its place during an attempt
    /// only: not while it waits for the network or for the next attempt, and a stream not once it has brought its first value.
    ///
    /// Where several limits match a request, all of them hold. For one pattern the later call decides; less than one counts as one.
    /// A fetch inside a fetch passes the limits in which the outer run has a place, since they would wait for each other otherwise. Mutations are not
    /// limited: they have their ``MutationRequest/scope``.
    ///
    /// ```swift
    /// configuration.setLimit(4, matching: "images/**")
    /// ```
    public mutating func setLimit(_ count: Int, matching pattern: QueryPattern = .all) {
        limits.removeAll { $0.pattern == pattern }
        limits.append(Limit(pattern: pattern, count: max(count, 1)))
    }
}
