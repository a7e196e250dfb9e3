extension QueryRequest {
    /// Counts a value as fresh for this long. Default without it: zero, so that each new subscriber brings a refresh.
    ///
    /// `.infinity` never ages; a negative duration is zero.
    public func ttl(_ duration: Duration) -> some QueryRequest<Value, State> {
        setting { $0.ttl = duration }
    }
}
