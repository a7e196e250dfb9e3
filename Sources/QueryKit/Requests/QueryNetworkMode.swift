/// How the runs of a request depend on the network; see ``NetworkObserver``.
public enum QueryNetworkMode: Hashable, Sendable {
    /// The first attempt always runs. An attempt that fails while there is no network pauses the run, which tries again once it is back.
    ///
    /// This is the default. A request that needs no network has its value without one: it reads a database, say, or asks a server on the same device.
    /// The reason of the failure does not matter, because a lost connection shows in many ways. Two kinds of errors end the run all the same: those that
    /// ``QueryRecovery`` gives up on, such as invalid parameters, and those that ``QueryRetry/condition`` refuses.
    case offlineFirst

    /// Without a network a run is paused before it attempts anything, and goes on once the network is back.
    ///
    /// For requests that should not even try, such as large downloads and calls that must not reach a server twice.
    case online

    /// The network plays no part: no run is ever paused, and a failure is a failure.
    case always

    /// Whether an attempt has to wait while there is no network.
    func needsNetwork(isFirst: Bool) -> Bool {
        switch self {
        case .online: true
        case .always: false
        case .offlineFirst: !isFirst
        }
    }
}

extension QueryContext {
    /// How the runs of a request depend on the network. Default: ``QueryNetworkMode/offlineFirst``.
    public var networkMode: QueryNetworkMode {
        get { settings.networkMode }
        set { settings.networkMode = newValue }
    }
}
