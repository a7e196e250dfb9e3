/// How the runs of a request depend on the network; see ``NetworkObserver``.
public enum QueryNetworkMode: Hashable, Sendable {
    /// The first attempt always runs. If an attempt fails while there is no network, the run pauses and tries again when the network is
    /// back.
    ///
    /// This is the default. A request that needs no network, such as one that reads a database or a server on the same device, gets its
    /// value even then. The reason for the failure does not matter, because a lost connection causes many kinds of errors. There are
    /// three exceptions. If ``QueryRecovery`` chooses to fail, as for invalid parameters, or if ``QueryRetry/condition`` returns `false`,
    /// the run ends with the error. If ``QueryErrorConvertible/dependsOnNetwork`` of the error is `false`, the run retries as if there were
    /// a network.
    case offlineFirst

    /// Without a network, a run pauses before its first attempt, and continues when the network is back.
    ///
    /// Use it for requests that should not even try, such as large downloads and calls that must not reach a server twice.
    case online

    /// The network is ignored: no run pauses for it, and a failure without a network is treated like any other.
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
