/// How the runs of a request depend on the network; see ``NetworkObserver``.
public enum QueryNetworkMode: Hashable, Sendable {
    /// Without a network a run is paused, and goes on once it is back.
    case online

    /// The network plays no part: for requests that read a database, say.
    case always

    /// The first attempt always runs, because a cache may answer it; further ones wait for the network.
    case offlineFirst

    /// Whether an attempt can not be made without a network.
    func needsNetwork(isFirst: Bool) -> Bool {
        switch self {
        case .online: true
        case .always: false
        case .offlineFirst: !isFirst
        }
    }
}

extension QueryContext {
    /// How the runs of a request depend on the network. Default: ``QueryNetworkMode/online``.
    public var networkMode: QueryNetworkMode {
        get { settings.networkMode }
        set { settings.networkMode = newValue }
    }
}
