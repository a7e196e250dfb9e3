extension Run {
    /// What the attempts of a run have done so far, and what follows the failure of the next one (R11, R12, R26).
    struct Trials: Sendable {
        /// How many failures have counted as retries. For a stream, since its latest element.
        var retries = 0
        /// What has helped already.
        var helps: Set<Help> = []

        /// What the app is asked for before another attempt. Each at most once in a run.
        enum Help: Hashable, Sendable { case repair, authorization }

        /// What the code of the app says about a failure, and what is known of it.
        struct Failure {
            let step: QueryRecovery.Step
            /// Whether the retry of the request accepts the error.
            var isAccepted = true
            /// Whether a missing network may have caused it.
            var dependsOnNetwork = true
            /// How many retries are allowed.
            let limit: Int
            let networkMode: QueryNetworkMode
        }

        enum Next: Equatable {
            case end
            /// - Parameter number: That of the retry.
            case retry(number: Int)
            /// The next attempt waits for the network; if there is one, this is a retry, unless there were enough.
            case whenOnline(orRetry: Int?)
            case ask(Help)
        }

        func next(after failure: Failure) -> Next {
            let number = failure.isAccepted && retries < failure.limit ? retries + 1 : nil
            switch failure.step {
            case .fail: return .end
            case .repair: return helps.contains(.repair) ? .end : .ask(.repair)
            case .authorize: return helps.contains(.authorization) ? .end : .ask(.authorization)
            case .retry where failure.networkMode == .offlineFirst && failure.dependsOnNetwork,
                .waitForNetwork where failure.networkMode != .always:
                return failure.isAccepted ? .whenOnline(orRetry: number) : .end
            case .retry, .waitForNetwork: return number.map { .retry(number: $0) } ?? .end
            }
        }
    }

    /// What follows a failed attempt. Part of it is code of the app, so that is asked before.
    enum Sequel: Equatable, Sendable {
        case end
        case retry(after: Nanoseconds)
        /// Another attempt at once.
        case repeats(Trials.Help)
        /// Another attempt when there is a network; with a network, as `retry`.
        case whenOnline(orAfter: Nanoseconds?)
    }
}
