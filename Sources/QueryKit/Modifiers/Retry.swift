extension QueryRequest {
    /// Repeats failed attempts up to `limit` times, with increasing delays, as long as `condition` accepts the error.
    ///
    /// Applies to all runs of the request. Without it, runs are retried three times if they are started by the library, by `refetch()` or
    /// by `invalidate()`. Runs that are started by `fetch()` are not retried. Cancellation and invalid parameters are never retried. A
    /// negative number counts as zero.
    public func retry(
        limit: Int,
        backoff: QueryBackoff = .exponential(),
        when condition: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> some QueryRequest<Value, State> {
        setting { $0.retry = QueryRetry(limit: max(limit, 0), backoff: backoff, when: condition) }
    }
}
