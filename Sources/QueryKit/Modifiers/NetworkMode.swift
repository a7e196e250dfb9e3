extension QueryRequest {
    /// Sets how runs depend on the network. Default without it: ``QueryNetworkMode/offlineFirst``.
    ///
    /// If the context has no ``NetworkObserver``, the network counts as available.
    public func networkMode(_ mode: QueryNetworkMode) -> some QueryRequest<Value, State> {
        setting { $0.networkMode = mode }
    }
}
