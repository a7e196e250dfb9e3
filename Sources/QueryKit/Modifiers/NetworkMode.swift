extension QueryRequest {
    /// Says how runs depend on the network. Default without it: ``QueryNetworkMode/offlineFirst``.
    ///
    /// Without a ``NetworkObserver`` in the context the network counts as always there.
    public func networkMode(_ mode: QueryNetworkMode) -> some QueryRequest<Value, State> {
        setting { $0.networkMode = mode }
    }
}
